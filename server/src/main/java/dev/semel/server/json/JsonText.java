package dev.semel.server.json;

import dev.semel.task.Json;
import java.time.Instant;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A JSON object that is written member by member. Null members are left out. */
public final class JsonText {

    private final StringBuilder text = new StringBuilder("{");

    /** Creates an empty object. */
    public JsonText() {}

    /**
     * Adds a string.
     *
     * @param name the member
     * @param value its value; null for none
     * @return this
     */
    public JsonText put(String name, @Nullable String value) {
        return value == null ? this : raw(name, quoted(value));
    }

    /**
     * Adds a time.
     *
     * @param name the member
     * @param value its value; null for none
     * @return this
     */
    public JsonText put(String name, @Nullable Instant value) {
        return value == null ? this : put(name, value.toString());
    }

    /**
     * Adds a number.
     *
     * @param name the member
     * @param value its value
     * @return this
     */
    public JsonText put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    /**
     * Adds a truth value.
     *
     * @param name the member
     * @param value its value
     * @return this
     */
    public JsonText put(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    /**
     * Adds an array of strings.
     *
     * @param name the member
     * @param values its elements
     * @return this
     */
    public JsonText put(String name, Collection<String> values) {
        return raw(name, values.stream().map(JsonText::quoted).collect(Collectors.joining(",", "[", "]")));
    }

    /**
     * Adds an array of objects.
     *
     * @param name the member
     * @param values its elements
     * @return this
     */
    public JsonText objects(String name, Collection<JsonText> values) {
        return raw(name, values.stream().map(JsonText::toString).collect(Collectors.joining(",", "[", "]")));
    }

    /**
     * Adds any value.
     *
     * @param name the member
     * @param json its value in JSON; null for none
     * @return this
     */
    public JsonText raw(String name, @Nullable String json) {
        if (json != null) {
            text.append(text.length() == 1 ? "" : ",")
                    .append(quoted(name))
                    .append(':')
                    .append(json);
        }
        return this;
    }

    /**
     * Returns a string in JSON.
     *
     * @param value the string
     * @return the string in quotes, with what has to be escaped escaped
     */
    public static String quoted(String value) {
        return Json.quoted(value);
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
