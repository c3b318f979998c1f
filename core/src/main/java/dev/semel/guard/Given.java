package dev.semel.guard;

import dev.semel.task.InvalidInput;
import org.jspecify.annotations.Nullable;

/** Answers null where it came in, and not where it would hurt later. */
final class Given {

    private Given() {}

    static <T> T notNull(String what, @Nullable T value) {
        if (value == null) {
            throw new InvalidInput("A guard needs a " + what + ", but got null.");
        }
        return value;
    }
}
