package dev.semel.cli;

import java.time.Instant;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/** A writer of one JSON object on one line. A member that is null is left out, unless it is given as the JSON null. */
final class JsonText {

    private final StringBuilder text = new StringBuilder("{");

    JsonText put(String name, @Nullable String value) {
        return value == null ? this : raw(name, quoted(value));
    }

    JsonText put(String name, @Nullable Instant value) {
        return value == null ? this : raw(name, quoted(value.toString()));
    }

    JsonText put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    JsonText put(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    JsonText put(String name, Collection<String> values) {
        return raw(name, values.stream().map(JsonText::quoted).collect(Collectors.joining(",", "[", "]")));
    }

    JsonText objects(String name, Collection<JsonText> values) {
        return raw(name, values.stream().map(JsonText::toString).collect(Collectors.joining(",", "[", "]")));
    }

    /**
     * Adds a member whose value is JSON text. Line breaks in it can only be white space, so the object stays on one
     * line.
     */
    JsonText raw(String name, @Nullable String json) {
        if (json != null) {
            String line = json.replace('\n', ' ').replace('\r', ' ');
            text.append(text.length() == 1 ? "" : ",")
                    .append(quoted(name))
                    .append(':')
                    .append(line);
        }
        return this;
    }

    static String quoted(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2).append('"');
        JsonStringEncoder.getInstance().quoteAsString(value, quoted);
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
