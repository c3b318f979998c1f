package dev.semel.wire;

import java.util.Locale;

/** The words of enums: their names in lower case. */
final class Word {

    private Word() {}

    static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static <E extends Enum<E>> E parse(Class<E> type, String word) {
        for (E value : type.getEnumConstants()) {
            if (of(value).equals(word)) {
                return value;
            }
        }
        throw Misread.unknown("a word of " + type.getSimpleName(), word);
    }
}
