package dev.semel;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.Nearest;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table of a TOML file whose values are read by name. A name that was never read is unknown. An invalid value is
 * reported as an {@link InvalidInput} with the file, the line and the name.
 */
final class TomlTable {

    private final TomlDocument document;
    private final List<String> path;
    private final Map<?, ?> values;
    private final Set<String> known = new LinkedHashSet<>();

    private TomlTable(TomlDocument document, List<String> path, Map<?, ?> values) {
        this.document = document;
        this.path = path;
        this.values = values;
    }

    static TomlTable of(TomlDocument document) {
        return new TomlTable(document, List.of(), document.root());
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    boolean isTable(String name) {
        return values.get(name) instanceof Map<?, ?>;
    }

    /** Returns a table in this one; an empty table if it is absent. */
    TomlTable table(String name) {
        Object value = taken(name);
        if (value == null) {
            return new TomlTable(document, at(name), Map.of());
        }
        if (value instanceof Map<?, ?> table) {
            return new TomlTable(document, at(name), table);
        }
        throw wrongType(name, "a table", value);
    }

    /** Returns the tables in this one by their user-defined names. */
    Map<String, TomlTable> tables(String what) {
        Map<String, TomlTable> tables = new LinkedHashMap<>();
        for (Object key : values.keySet()) {
            String name = String.valueOf(key);
            read(name, () -> Limits.name(what, name));
            tables.put(name, table(name));
        }
        return tables;
    }

    /** Returns a string, converted by a reader. */
    <T> @Nullable T text(String name, Function<String, T> reader) {
        Object value = taken(name);
        if (value == null) {
            return null;
        }
        if (value instanceof String text) {
            return read(name, () -> reader.apply(text));
        }
        throw wrongType(name, "a string in quotation marks", value);
    }

    /** Returns a list of strings, each converted by a reader. */
    <T> @Nullable List<T> texts(String name, Function<String, T> reader) {
        Object value = taken(name);
        if (value == null) {
            return null;
        }
        if (!(value instanceof List<?> list)) {
            throw wrongType(name, "a list of strings", value);
        }
        List<T> all = new ArrayList<>();
        for (Object one : list) {
            if (!(one instanceof String text)) {
                throw wrongType(name, "a list of strings", one);
            }
            all.add(read(name, () -> reader.apply(text)));
        }
        return all;
    }

    /** Returns a whole number, checked. */
    @Nullable
    Integer number(String name, Function<Integer, Integer> check) {
        Object value = taken(name);
        if (value == null) {
            return null;
        }
        if (value instanceof Integer number) {
            return read(name, () -> check.apply(number));
        }
        throw value instanceof Number
                ? wrong(
                        name,
                        "takes a whole number of at most 2147483647, but got \"" + Limits.shown(value.toString())
                                + "\".")
                : wrongType(name, "a whole number", value);
    }

    /** Ends the reading: a name that was not read is unknown. */
    void end() {
        for (Object key : values.keySet()) {
            String name = String.valueOf(key);
            if (!known.contains(name)) {
                throw wrong(
                        name,
                        "there is no such setting"
                                + (path.isEmpty() ? "" : " in [" + Limits.shown(String.join(".", path)) + "]") + ". "
                                + Nearest.to(name, known)
                                        .map(near -> "Did you mean \"" + near + "\"? ")
                                        .orElse("")
                                + "Known settings are " + String.join(", ", known) + ".");
            }
        }
    }

    InvalidInput wrong(String name, String what) {
        return document.wrong(at(name), what);
    }

    /** Runs a reader, and adds the position of the value to its error. */
    <T> T read(String name, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (InvalidInput e) {
            InvalidInput located = wrong(name, String.valueOf(e.getMessage()));
            located.initCause(e);
            throw located;
        }
    }

    private @Nullable Object taken(String name) {
        known.add(name);
        return values.get(name);
    }

    private InvalidInput wrongType(String name, String expected, Object value) {
        // Only the kind: if a string is expected, the value may be a password without its quotation marks.
        String kind = switch (value) {
            case Map<?, ?> table -> "a table";
            case List<?> list -> "a list";
            case String text -> "a string";
            case Boolean truth -> "\"" + truth + "\"";
            case Double number -> "a number";
            case BigDecimal number -> "a number";
            case Number number -> "a whole number";
            default -> "a date or time";
        };
        return wrong(name, "takes " + expected + ", but got " + kind + ".");
    }

    private List<String> at(String name) {
        List<String> all = new ArrayList<>(path);
        all.add(name);
        return all;
    }
}
