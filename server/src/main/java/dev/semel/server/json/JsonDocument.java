package dev.semel.server.json;

import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private final String text;
    private final JsonToken first;

    private JsonDocument(String text, JsonToken first) {
        this.text = text;
        this.first = first;
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
                JsonToken token = first;
                int depth = 0;
                while (true) {
                    depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                    if (depth == 0) {
                        break;
                    }
                    // Numbers and strings are lexed completely here: a part is only sliced later.
                    parser.finishToken();
                    token = parser.nextToken();
                    if (token == null) {
                        throw broken(parser);
                    }
                }
                if (parser.nextToken() != null) {
                    throw new InvalidInput("The body is one JSON value, but more text follows it. Send one value.");
                }
                return new JsonDocument(text.strip(), first);
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
        List<JsonDocument> elements = new ArrayList<>();
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                elements.add(part(parser, token));
            }
        }
        return elements;
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
        Map<String, JsonDocument> members = new LinkedHashMap<>();
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                members.put(name, part(parser, parser.nextToken()));
            }
        }
        return new JsonMembers(what, members);
    }

    private JsonDocument part(JsonParser parser, JsonToken token) {
        int begin = (int) parser.currentTokenLocation().getCharOffset();
        if (token.isStructStart()) {
            parser.skipChildren();
        } else {
            parser.finishToken();
        }
        int end = (int) parser.currentLocation().getCharOffset();
        return new JsonDocument(text.substring(begin, end).strip(), token);
    }

    String string(String name) {
        if (first != JsonToken.VALUE_STRING) {
            throw new InvalidInput("The member \"" + name + "\" is a string, but got " + kind() + ".");
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
