package dev.semel.server.json;

import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON text that a client sent, and its parts. A part keeps its exact text, so that a number in a task's input is stored as it was
 * sent. The whole text is checked once, when it is parsed: grammar, nesting, duplicate members, length of numbers. Error messages name
 * the place and never a value, because the text may be secret.
 */
public final class JsonDocument {

    /** How deep a body may be nested: an input of the deepest kind, inside an object, inside an array. */
    public static final int MAX_DEPTH = Json.MAX_DEPTH + 4;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(Limits.DOCUMENT_BYTES)
                    .maxStringLength(Limits.DOCUMENT_BYTES)
                    .maxNameLength(Limits.DOCUMENT_BYTES)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // The table of names is state shared between documents, and rejects names that collide in it.
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .build();

    /** How many members and elements a body has outside of its inputs: those of a batch, many times over. */
    public static final int MAX_VALUES = 50_000;

    private final String text;
    private final JsonToken first;
    // By name, or in order; null if it is no object or array, or lies deeper.
    private final @Nullable Map<String, JsonDocument> members;
    private final @Nullable List<JsonDocument> elements;

    private JsonDocument(
            String text,
            JsonToken first,
            @Nullable Map<String, JsonDocument> members,
            @Nullable List<JsonDocument> elements) {
        this.text = text;
        this.first = first;
        this.members = members;
        this.elements = elements;
    }

    /**
     * Parses and checks a text.
     *
     * @param text the text
     * @return the document
     * @throws InvalidInput if it is not one JSON value, is nested too deeply, or has a member twice
     */
    public static JsonDocument parse(String text) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            try {
                JsonToken first = parser.nextToken();
                if (first == null) {
                    throw new InvalidInput("The body is one JSON value, but got an empty body. Send a JSON object.");
                }
                // The members of a submission, or of each one in a batch, are found while the text is checked.
                JsonDocument document = new Reader(text, parser).value(first, first == JsonToken.START_ARRAY ? 2 : 1);
                if (parser.nextToken() != null) {
                    throw new InvalidInput("The body is one JSON value, but more text follows it. Send one value.");
                }
                return document;
            } catch (StreamConstraintsException e) {
                // Its own location may be null.
                var at = parser.currentLocation();
                throw new InvalidInput("A JSON body is nested at most " + MAX_DEPTH
                        + " levels deep, and a string, name or number in it has at most " + Limits.DOCUMENT_BYTES
                        + " characters, but this body exceeds that at line " + at.getLineNr() + ", column "
                        + at.getColumnNr() + ".");
            } catch (JacksonException e) {
                throw broken(parser);
            }
        }
    }

    /** One pass over a text. */
    private static final class Reader {

        private final String text;
        private final JsonParser parser;
        private int values;

        Reader(String text, JsonParser parser) {
            this.text = text;
            this.parser = parser;
        }

        /** Reads the value that begins with the current token, up to its end, and keeps so many levels of its parts. */
        JsonDocument value(JsonToken first, int levels) {
            // Each part that is kept takes more memory than the two characters that it may be.
            if (++values > MAX_VALUES) {
                throw new InvalidInput("A JSON body has at most " + MAX_VALUES
                        + " members and elements, without those of inputs, but got more. Send several requests.");
            }
            int begin = (int) parser.currentTokenLocation().getCharOffset();
            Map<String, JsonDocument> members = null;
            List<JsonDocument> elements = null;
            if (levels == 0 || !first.isStructStart()) {
                skip(first);
            } else if (first == JsonToken.START_OBJECT) {
                members = new LinkedHashMap<>();
                while (next() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    members.put(name, value(next(), levels - 1));
                }
            } else {
                elements = new ArrayList<>();
                for (JsonToken token = next(); token != JsonToken.END_ARRAY; token = next()) {
                    elements.add(value(token, levels - 1));
                }
            }
            int end = (int) parser.currentLocation().getCharOffset();
            return new JsonDocument(text.substring(begin, end).strip(), first, members, elements);
        }

        private void skip(JsonToken first) {
            JsonToken token = first;
            int depth = 0;
            while (true) {
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                // Numbers and strings are lexed completely here: a part is only sliced later.
                parser.finishToken();
                if (depth == 0) {
                    return;
                }
                token = next();
            }
        }

        private JsonToken next() {
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw broken(parser);
            }
            return token;
        }
    }

    private static InvalidInput broken(JsonParser parser) {
        var at = parser.currentLocation();
        return new InvalidInput(
                "A JSON body follows the grammar of RFC 8259 with unique member names, but this body breaks it at or"
                        + " before line " + at.getLineNr() + ", column " + at.getColumnNr()
                        + ". Fix it there, or generate the text with a JSON library.");
    }

    /** {@return the text as it was sent} */
    public String text() {
        return text;
    }

    /** {@return whether it is an array} */
    public boolean isArray() {
        return first == JsonToken.START_ARRAY;
    }

    /** {@return whether it is an object} */
    public boolean isObject() {
        return first == JsonToken.START_OBJECT;
    }

    /** {@return whether it is null} */
    public boolean isNull() {
        return first == JsonToken.VALUE_NULL;
    }

    /**
     * Returns the elements of an array.
     *
     * @param what what it is, for the error message
     * @return its elements
     */
    public List<JsonDocument> elements(String what) {
        if (!isArray()) {
            throw new InvalidInput("The " + what + " is an array, but got " + kind() + ".");
        }
        List<JsonDocument> known = elements;
        return known == null ? parse(text).elements(what) : known;
    }

    /**
     * Returns the members of an object.
     *
     * @param what what it is, for the error message
     * @return its members
     */
    public JsonMembers members(String what) {
        if (!isObject()) {
            throw new InvalidInput("The " + what + " is an object, but got " + kind() + ".");
        }
        Map<String, JsonDocument> known = members;
        return known == null ? parse(text).members(what) : new JsonMembers(what, known);
    }

    String string(String name) {
        if (first != JsonToken.VALUE_STRING) {
            throw new InvalidInput("The member \"" + name + "\" is a string, but got " + kind() + ".");
        }
        if (text.indexOf('\\') < 0) {
            return text.substring(1, text.length() - 1);
        }
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            return parser.getString();
        }
    }

    int number(String name) {
        if (first != JsonToken.VALUE_NUMBER_INT || text.length() > 11) {
            throw new InvalidInput(
                    "The member \"" + name + "\" is a whole number between " + Integer.MIN_VALUE + " and "
                            + Integer.MAX_VALUE + ", but got " + (first.isNumeric() ? "another number" : kind()) + ".");
        }
        long value = Long.parseLong(text);
        if (value != (int) value) {
            throw new InvalidInput("The member \"" + name + "\" is a whole number between " + Integer.MIN_VALUE
                    + " and " + Integer.MAX_VALUE + ", but got another number.");
        }
        return (int) value;
    }

    boolean truth(String name) {
        if (first != JsonToken.VALUE_TRUE && first != JsonToken.VALUE_FALSE) {
            throw new InvalidInput("The member \"" + name + "\" is true or false, but got " + kind() + ".");
        }
        return first == JsonToken.VALUE_TRUE;
    }

    private String kind() {
        return switch (first) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NULL -> "null";
            case VALUE_TRUE, VALUE_FALSE -> "a truth value";
            default -> "a number";
        };
    }

    /** Returns the size, without the content. */
    @Override
    public String toString() {
        return "JsonDocument[" + text.length() + " characters]";
    }
}
