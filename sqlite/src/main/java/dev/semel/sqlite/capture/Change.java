package dev.semel.sqlite.capture;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction did to one row, in names that mean the same in every copy.
 *
 * <p>Values are a {@link Long}, a {@link String}, a list of strings (the names behind a number: tenant, queue and type of a
 * lane), or null. Bytes are strings: ids as UUIDs, all others in hexadecimal digits.
 *
 * @param entity what the row is, {@code task} for example
 * @param key the columns that identify it
 * @param fields the other columns: those that are not null of a row that is put, those that changed of one that is set
 */
public record Change(String entity, Kind kind, Map<String, Object> key, Map<String, @Nullable Object> fields) {

    /** What happens to the row. */
    public enum Kind {
        /** The row is exactly this, whether it was there before or not. */
        PUT("put"),
        /** These fields of a row that is there have new values. */
        SET("set"),
        /** The row is removed. */
        REMOVE("remove");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }

        /** The kind of a word; throws if there is none. */
        public static Kind of(String word) {
            for (Kind kind : values()) {
                if (kind.word.equals(word)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("Expected \"put\", \"set\" or \"remove\", but got \"" + word + "\"");
        }
    }
}
