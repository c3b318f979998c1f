package dev.semel.task;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One value of a parsed document; checked and immutable. */
sealed interface JsonValue {

    /** An object: members sorted by name, each name once. */
    record Members(List<Member> members) implements JsonValue {}

    /** An array. */
    record Elements(List<JsonValue> elements) implements JsonValue {}

    /** A string, unescaped. */
    record Text(String text) implements JsonValue {}

    /** A number, as it was written and in canonical spelling. */
    record Decimal(String literal, String canonical) implements JsonValue {}

    /** One of the three literals null, true and false. */
    enum Word implements JsonValue {
        NULL("null"),
        TRUE("true"),
        FALSE("false");

        private final String spelling;

        Word(String spelling) {
            this.spelling = spelling;
        }

        String spelling() {
            return spelling;
        }
    }

    /** A name and its value. */
    record Member(String name, JsonValue value) {

        // Strings compare by UTF-16 code units, which is the order that RFC 8785 requires.
        static final Comparator<Member> BY_NAME = Comparator.comparing(Member::name);
    }

    /** Follows the tokens of a pointer. Returns null if the value is absent or a JSON null. */
    default @Nullable JsonValue find(List<String> tokens) {
        JsonValue found = this;
        for (String token : tokens) {
            JsonValue next = switch (found) {
                case Members(List<Member> members) -> member(members, token);
                case Elements(List<JsonValue> elements) -> element(elements, token);
                case Text text -> null;
                case Decimal decimal -> null;
                case Word word -> null;
            };
            if (next == null) {
                return null;
            }
            found = next;
        }
        return found == Word.NULL ? null : found;
    }

    private static @Nullable JsonValue member(List<Member> sorted, String name) {
        int low = 0;
        int high = sorted.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = sorted.get(middle).name().compareTo(name);
            if (order == 0) {
                return sorted.get(middle).value();
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    private static @Nullable JsonValue element(List<JsonValue> elements, String token) {
        // RFC 6901: digits without a leading zero. Seven digits are more elements than a document can hold.
        if (token.isEmpty() || token.length() > 7 || (token.length() > 1 && token.charAt(0) == '0')) {
            return null;
        }
        int index = 0;
        for (int i = 0; i < token.length(); i++) {
            char c = token.charAt(i);
            if (c < '0' || c > '9') {
                return null;
            }
            index = index * 10 + (c - '0');
        }
        return index < elements.size() ? elements.get(index) : null;
    }
}
