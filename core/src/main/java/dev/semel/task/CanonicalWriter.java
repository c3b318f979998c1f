package dev.semel.task;

import java.util.HexFormat;
import java.util.List;

/** Writes JSON values without white space and with sorted members, in canonical or in faithful form. */
final class CanonicalWriter {

    private static final HexFormat HEX = HexFormat.of();

    private final StringBuilder out;
    private final boolean canonical;

    private CanonicalWriter(int expectedLength, boolean canonical) {
        this.out = new StringBuilder(expectedLength);
        this.canonical = canonical;
    }

    /** Returns the canonical form, as {@link Json#canonical()} describes it. */
    static String canonical(JsonValue value, ExcludedFields leftOut, int expectedLength) {
        CanonicalWriter writer = new CanonicalWriter(expectedLength, true);
        writer.write(value, leftOut);
        return writer.out.toString();
    }

    /** Returns the faithful form, which keeps null members and the original spelling of numbers. */
    static String faithful(JsonValue value) {
        CanonicalWriter writer = new CanonicalWriter(64, false);
        writer.write(value, ExcludedFields.NOTHING);
        return writer.out.toString();
    }

    /** Returns a text as a JSON string. */
    static String quoted(String text) {
        CanonicalWriter writer = new CanonicalWriter(text.length() + 2, true);
        writer.writeText(text);
        return writer.out.toString();
    }

    private void write(JsonValue value, ExcludedFields leftOut) {
        switch (value) {
            case JsonValue.Members(List<JsonValue.Member> members) -> writeMembers(members, leftOut);
            case JsonValue.Elements(List<JsonValue> elements) -> writeElements(elements, leftOut);
            case JsonValue.Text(String text) -> writeText(text);
            case JsonValue.Decimal(String literal, String spelling) -> out.append(canonical ? spelling : literal);
            case JsonValue.Word word -> out.append(word.spelling());
        }
    }

    private void writeMembers(List<JsonValue.Member> members, ExcludedFields leftOut) {
        char separator = '{';
        for (JsonValue.Member member : members) {
            ExcludedFields inside = leftOut.under(member.name());
            if (inside.everything() || (canonical && member.value() == JsonValue.Word.NULL)) {
                continue;
            }
            out.append(separator);
            separator = ',';
            writeText(member.name());
            out.append(':');
            write(member.value(), inside);
        }
        if (separator == '{') {
            out.append('{');
        }
        out.append('}');
    }

    private void writeElements(List<JsonValue> elements, ExcludedFields leftOut) {
        char separator = '[';
        for (int i = 0; i < elements.size(); i++) {
            ExcludedFields inside = leftOut.under(i);
            if (!inside.everything()) {
                out.append(separator);
                separator = ',';
                write(elements.get(i), inside);
            }
        }
        if (separator == '[') {
            out.append('[');
        }
        out.append(']');
    }

    private void writeText(String text) {
        out.append('"');
        int written = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == '"' || c == '\\') {
                out.append(text, written, i);
                writeEscaped(c);
                written = i + 1;
            }
        }
        out.append(text, written, text.length()).append('"');
    }

    private void writeEscaped(char c) {
        switch (c) {
            case '"', '\\' -> out.append('\\').append(c);
            case '\b' -> out.append("\\b");
            case '\t' -> out.append("\\t");
            case '\n' -> out.append("\\n");
            case '\f' -> out.append("\\f");
            case '\r' -> out.append("\\r");
            default -> out.append("\\u").append(HEX.toHexDigits(c));
        }
    }
}
