package dev.semel.wire;

import dev.semel.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON as UTF-8. Members that are null are left out.
 *
 * <p>Not Jackson's generator, because that rejects halves of surrogate pairs, which texts of tasks may contain.
 */
final class JsonOutput {

    private static final int FIRST_SIZE = 512;
    private static final int MOST_BYTES_PER_CHARACTER = 6;
    private static final String HEX = "0123456789abcdef";

    private byte[] bytes = new byte[FIRST_SIZE];
    private int size;

    int size() {
        return size;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    JsonOutput beginObject() {
        return begin('{');
    }

    JsonOutput endObject() {
        return end('}');
    }

    JsonOutput beginArray() {
        return begin('[');
    }

    JsonOutput endArray() {
        return end(']');
    }

    /** Begins an object of a sealed type. */
    JsonOutput kind(String kind) {
        return beginObject().member("kind", kind);
    }

    JsonOutput member(String name, @Nullable String value) {
        return value == null ? this : name(name).text(value);
    }

    JsonOutput member(String name, long value) {
        return name(name).raw(Long.toString(value));
    }

    JsonOutput member(String name, double value) {
        return name(name).raw(Double.toString(value));
    }

    JsonOutput member(String name, boolean value) {
        return name(name).raw(value ? "true" : "false");
    }

    JsonOutput member(String name, @Nullable TaskId id) {
        return id == null ? this : member(name, id.toString());
    }

    JsonOutput member(String name, @Nullable Instant time) {
        if (time == null) {
            return this;
        }
        name(name);
        return Times.isWholeMillis(time) ? raw(Long.toString(time.toEpochMilli())) : text(time.toString());
    }

    JsonOutput member(String name, @Nullable Duration duration) {
        return duration == null ? this : name(name).value(duration);
    }

    <T> JsonOutput member(String name, @Nullable T value, Form<T> form) {
        if (value != null) {
            form.write(name(name), value);
        }
        return this;
    }

    <T> JsonOutput list(String name, Collection<? extends T> values, Form<T> form) {
        return name(name).array(values, form);
    }

    JsonOutput words(String name, Collection<? extends Enum<?>> values) {
        name(name).beginArray();
        values.forEach(value -> text(Word.of(value)));
        return endArray();
    }

    <T> JsonOutput array(Collection<? extends T> values, Form<T> form) {
        beginArray();
        for (T value : values) {
            form.write(this, value);
        }
        return endArray();
    }

    JsonOutput value(Duration duration) {
        return Times.isWholeMillis(duration) ? raw(Long.toString(duration.toMillis())) : text(duration.toString());
    }

    JsonOutput text(String value) {
        comma();
        reserve(value.length() + 2L);
        bytes[size++] = '"';
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= ' ' && c < 0x7F && c != '"' && c != '\\') {
                bytes[size++] = (byte) c;
            } else {
                i += special(value, i, c);
            }
        }
        bytes[size++] = '"';
        return this;
    }

    /** Writes a character that is not itself, and returns how many characters beyond it were written. */
    private int special(String value, int at, char c) {
        // The rest of the text may be written without another check.
        reserve((long) value.length() - at + MOST_BYTES_PER_CHARACTER + 1);
        if (c == '"' || c == '\\') {
            bytes[size++] = '\\';
            bytes[size++] = (byte) c;
        } else if (c < ' ' || c == 0x7F) {
            escape(c);
        } else if (c < 0x800) {
            bytes[size++] = (byte) (0xC0 | (c >> 6));
            bytes[size++] = (byte) (0x80 | (c & 0x3F));
        } else if (!Character.isSurrogate(c)) {
            bytes[size++] = (byte) (0xE0 | (c >> 12));
            bytes[size++] = (byte) (0x80 | ((c >> 6) & 0x3F));
            bytes[size++] = (byte) (0x80 | (c & 0x3F));
        } else if (Character.isHighSurrogate(c)
                && at + 1 < value.length()
                && Character.isLowSurrogate(value.charAt(at + 1))) {
            int point = Character.toCodePoint(c, value.charAt(at + 1));
            bytes[size++] = (byte) (0xF0 | (point >> 18));
            bytes[size++] = (byte) (0x80 | ((point >> 12) & 0x3F));
            bytes[size++] = (byte) (0x80 | ((point >> 6) & 0x3F));
            bytes[size++] = (byte) (0x80 | (point & 0x3F));
            return 1;
        } else {
            escape(c);
        }
        return 0;
    }

    private void escape(char c) {
        bytes[size++] = '\\';
        bytes[size++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
            bytes[size++] = (byte) HEX.charAt((c >> shift) & 0xF);
        }
    }

    /** Writes what is JSON already, and ASCII. */
    private JsonOutput raw(String json) {
        comma();
        return append(json.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Appends an element that was written by another output. */
    JsonOutput element(JsonOutput other) {
        comma();
        reserve(other.size);
        System.arraycopy(other.bytes, 0, bytes, size, other.size);
        size += other.size;
        return this;
    }

    JsonOutput name(String name) {
        text(name);
        reserve(1);
        bytes[size++] = ':';
        return this;
    }

    private JsonOutput begin(char bracket) {
        comma();
        reserve(1);
        bytes[size++] = (byte) bracket;
        return this;
    }

    private JsonOutput end(char bracket) {
        reserve(1);
        bytes[size++] = (byte) bracket;
        return this;
    }

    // A text ends with a quotation mark, so the last byte says what precedes.
    private void comma() {
        if (size > 0 && bytes[size - 1] != '{' && bytes[size - 1] != '[' && bytes[size - 1] != ':') {
            reserve(1);
            bytes[size++] = ',';
        }
    }

    private JsonOutput append(byte[] more) {
        reserve(more.length);
        System.arraycopy(more, 0, bytes, size, more.length);
        size += more.length;
        return this;
    }

    private void reserve(long more) {
        long needed = size + more;
        if (needed > bytes.length) {
            if (needed > Integer.MAX_VALUE - 16) {
                throw new IllegalArgumentException("Expected less than 2 GiB of JSON, but got " + needed + " bytes");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, 2L * bytes.length)));
        }
    }
}
