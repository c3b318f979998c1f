package dev.semel.wire;

import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A JSON object that was read: its members by name. */
final class JsonObject {

    /** The maximum number of members of an object. */
    static final int MAX_MEMBERS = 64;

    private static final int USUAL_MEMBERS = 12;

    private String[] names = new String[USUAL_MEMBERS];
    private Object[] values = new Object[USUAL_MEMBERS];
    private int size;

    /** A number that is not a whole one of 64 bits, as it was written. */
    record Decimal(String literal) {}

    /** The JSON null. */
    enum Null {
        NULL
    }

    static JsonObject of(Object json) {
        if (json instanceof JsonObject object) {
            return object;
        }
        throw Misread.wrong("expected an object, but got " + typeOf(json));
    }

    static String text(String what, Object json) {
        if (json instanceof String text) {
            return text;
        }
        throw Misread.wrong("expected a text as " + what + ", but got " + typeOf(json));
    }

    static List<?> elements(String what, Object json) {
        if (json instanceof List<?> list) {
            return list;
        }
        throw Misread.wrong("expected an array as " + what + ", but got " + typeOf(json));
    }

    void put(String name, Object value) {
        // Few members: a search is quicker than a table.
        for (int i = 0; i < size; i++) {
            if (names[i].equals(name)) {
                throw Misread.broken("the member \"" + Limits.shown(name) + "\" occurs twice in one object");
            }
        }
        if (size == MAX_MEMBERS) {
            throw Misread.broken("an object has more than " + MAX_MEMBERS + " members");
        }
        if (size == names.length) {
            names = Arrays.copyOf(names, MAX_MEMBERS);
            values = Arrays.copyOf(values, MAX_MEMBERS);
        }
        names[size] = name;
        values[size++] = value;
    }

    /** The value of a member; null if it is absent, or null. */
    @Nullable
    Object find(String name) {
        for (int i = 0; i < size; i++) {
            if (names[i].equals(name)) {
                return values[i] == Null.NULL ? null : values[i];
            }
        }
        return null;
    }

    private Object get(String name) {
        Object value = find(name);
        if (value == null) {
            throw Misread.wrong("expected a member \"" + name + "\", but there is none");
        }
        return value;
    }

    String kind() {
        return text("kind");
    }

    String text(String name) {
        return text("member \"" + name + "\"", get(name));
    }

    @Nullable
    String textOrNull(String name) {
        Object value = find(name);
        return value == null ? null : text("member \"" + name + "\"", value);
    }

    long number(String name) {
        if (get(name) instanceof Long number) {
            return number;
        }
        throw Misread.wrong("expected a whole number as member \"" + name + "\", but got " + typeOf(get(name)));
    }

    int integer(String name) {
        long number = number(name);
        if (number < Integer.MIN_VALUE || number > Integer.MAX_VALUE) {
            throw Misread.wrong("expected a number of 32 bits as member \"" + name + "\", but got \"" + number + "\"");
        }
        return (int) number;
    }

    @Nullable
    Integer integerOrNull(String name) {
        return find(name) == null ? null : (Integer) integer(name);
    }

    double decimal(String name) {
        Object value = get(name);
        if (value instanceof Long number) {
            return (double) number;
        }
        if (value instanceof Decimal decimal) {
            return Double.parseDouble(decimal.literal());
        }
        throw Misread.wrong("expected a number as member \"" + name + "\", but got " + typeOf(value));
    }

    boolean flag(String name) {
        if (get(name) instanceof Boolean flag) {
            return flag;
        }
        throw Misread.wrong("expected true or false as member \"" + name + "\", but got " + typeOf(get(name)));
    }

    @Nullable
    Boolean flagOrNull(String name) {
        return find(name) == null ? null : (Boolean) flag(name);
    }

    TaskId id(String name) {
        return TaskId.parse(text(name));
    }

    @Nullable
    TaskId idOrNull(String name) {
        return find(name) == null ? null : id(name);
    }

    Instant time(String name) {
        Object value = get(name);
        try {
            return value instanceof Long millis
                    ? Instant.ofEpochMilli(millis)
                    : Instant.parse(text("member \"" + name + "\"", value));
        } catch (DateTimeException e) {
            throw Misread.wrong("expected a time of ISO 8601 as member \"" + name + "\", but got \""
                    + Limits.shown(text(name)) + "\"");
        }
    }

    @Nullable
    Instant timeOrNull(String name) {
        return find(name) == null ? null : time(name);
    }

    Duration duration(String name) {
        return duration("member \"" + name + "\"", get(name));
    }

    static Duration duration(String what, Object json) {
        if (json instanceof Long millis) {
            return Duration.ofMillis(millis);
        }
        String text = text(what, json);
        try {
            return Duration.parse(text);
        } catch (DateTimeException | ArithmeticException e) {
            throw Misread.wrong(
                    "expected a duration of ISO 8601 as " + what + ", but got \"" + Limits.shown(text) + "\"");
        }
    }

    @Nullable
    Duration durationOrNull(String name) {
        return find(name) == null ? null : duration(name);
    }

    <E extends Enum<E>> E word(String name, Class<E> type) {
        return Word.parse(type, text(name));
    }

    <E extends Enum<E>> @Nullable E wordOrNull(String name, Class<E> type) {
        return find(name) == null ? null : word(name, type);
    }

    <T> T get(String name, Form<T> form) {
        return form.read(get(name));
    }

    <T> @Nullable T getOrNull(String name, Form<T> form) {
        Object value = find(name);
        return value == null ? null : form.read(value);
    }

    <T> List<T> list(String name, Form<T> form) {
        List<T> read = new ArrayList<>();
        elements("member \"" + name + "\"", get(name)).forEach(element -> read.add(form.read(element)));
        return read;
    }

    private static String typeOf(Object json) {
        return switch (json) {
            case String text -> "a text";
            case Long number -> "a number";
            case Decimal decimal -> "a number";
            case Boolean flag -> "true or false";
            case List<?> list -> "an array";
            case JsonObject object -> "an object";
            default -> "null";
        };
    }
}
