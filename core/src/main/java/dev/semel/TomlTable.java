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
 * A table of a TOML file whose values are taken by name. What nobody has taken in the end is unknown. A wrong value is an
 * {@link InvalidInput} that names the file, the line and the name.
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

    /** A table in this one; an empty one if it is not there. */
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

    /** The tables in this one by their names, which the user chose. */
    Map<String, TomlTable> tables(String what) {
        Map<String, TomlTable> tables = new LinkedHashMap<>();
        for (Object key : values.keySet()) {
            String name = String.valueOf(key);
            read(name, () -> Limits.name(what, name));
            tables.put(name, table(name));
        }
        return tables;
    }

    /** A text, turned into something. */
    <T> @Nullable T text(String name, Function<String, T> reader) {
        Object value = taken(name);
        if (value == null) {
            return null;
        }
        if (value instanceof String text) {
            return read(name, () -> reader.apply(text));
        }
        throw wrongType(name, "a text in quotation marks", value);
    }

    /** A list of texts, each turned into something. */
    <T> @Nullable List<T> texts(String name, Function<String, T> reader) {
        Object value = taken(name);
        if (value == null) {
            return null;
        }
        if (!(value instanceof List<?> list)) {
            throw wrongType(name, "a list of texts", value);
        }
        List<T> all = new ArrayList<>();
        for (Object one : list) {
            if (!(one instanceof String text)) {
                throw wrongType(name, "a list of texts", one);
            }
            all.add(read(name, () -> reader.apply(text)));
        }
        return all;
    }

    /** A whole number, checked. */
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

    /** Ends the reading: a name that is left is unknown. */
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
                                + "Known are " + String.join(", ", known) + ".");
            }
        }
    }

    InvalidInput wrong(String name, String what) {
        return document.wrong(at(name), what);
    }

    /** Runs what may refuse a value, and says where the value is. */
    <T> T read(String name, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (InvalidInput e) {
            InvalidInput told = wrong(name, String.valueOf(e.getMessage()));
            told.initCause(e);
            throw told;
        }
    }

    private @Nullable Object taken(String name) {
        known.add(name);
        return values.get(name);
    }

    private InvalidInput wrongType(String name, String expected, Object value) {
        // Only the kind: where a text is expected, the value may be a password that lacks its quotation marks.
        String kind = switch (value) {
            case Map<?, ?> table -> "a table";
            case List<?> list -> "a list";
            case String text -> "a text";
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
