package dev.semel.guard;

import dev.semel.task.InvalidInput;
import org.jspecify.annotations.Nullable;

/** Null checks of arguments, which report a null where it is passed and not where it is used later. */
final class Arguments {

    private Arguments() {}

    static <T> T notNull(String what, @Nullable T value) {
        if (value == null) {
            throw new InvalidInput("A guard needs a " + what + ", but got null. Pass a value.");
        }
        return value;
    }
}
