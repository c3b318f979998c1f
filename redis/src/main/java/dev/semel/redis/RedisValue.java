package dev.semel.redis;

import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.task.InputHash;
import dev.semel.task.StoreUnusable;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The value of an entry: {@code 1 state owner payload began changed lease expires text}, separated by single spaces.
 * The scripts write the value; this class reads it.
 */
final class RedisValue {

    private static final int FIELDS = 9;
    private static final String NONE = "-";
    private static final String TEXT = "=";

    private RedisValue() {}

    static GuardEntry parse(GuardKey key, String name, String value) {
        String[] fields = value.split(" ", FIELDS);
        try {
            if (fields.length == FIELDS && fields[0].equals("1")) {
                GuardState state = GuardState.valueOf(fields[1].toUpperCase(Locale.ROOT));
                return new GuardEntry(
                        key,
                        state,
                        fields[3].equals(NONE) ? null : InputHash.parse(fields[3]),
                        time(fields[4]),
                        time(fields[5]),
                        state == GuardState.IN_PROGRESS ? time(fields[6]) : null,
                        time(fields[7]),
                        state == GuardState.SUCCESS ? text(fields[8]) : null,
                        state == GuardState.FAILURE ? text(fields[8]) : null);
            }
        } catch (IllegalArgumentException e) {
            // Not an entry of Semel: reported below like every other malformed value.
        }
        throw new StoreUnusable(
                "The Redis key \"" + name + "\" holds a value that this version of Semel did not write. Use a prefix"
                        + " or a database that nothing else uses.");
    }

    /** Encodes an optional text as an argument of the scripts. */
    static String argument(@Nullable String text) {
        return text == null ? NONE : TEXT + text;
    }

    static String argument(@Nullable InputHash payload) {
        return payload == null ? NONE : payload.toString();
    }

    private static @Nullable String text(String field) {
        return field.startsWith(TEXT) ? field.substring(TEXT.length()) : null;
    }

    private static Instant time(String millis) {
        return Instant.ofEpochMilli(Long.parseLong(millis));
    }
}
