package dev.semel.wire;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** Reads JSON with limits. Values are texts, whole numbers, {@link JsonObject.Decimal}, truth values, lists and objects. */
final class JsonInput {

    /** The maximum nesting depth. The deepest form of the protocol has 9; the rest is for members of later versions. */
    static final int MAX_DEPTH = 24;

    /** The maximum number of values in one body: those of the longest history of a workflow, twice. */
    static final int MAX_VALUES = 2_000_000;

    /** The maximum length of a member's name. */
    static final int MAX_NAME_LENGTH = 100;

    /** The maximum length of a number. */
    static final int MAX_NUMBER_LENGTH = 50;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    // The size of the whole body was checked before.
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .maxNestingDepth(MAX_DEPTH)
                    .build())
            // The table of names is state shared between bodies, and rejects names that collide in it.
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .build();

    private final JsonParser parser;
    private int values;

    private JsonInput(JsonParser parser) {
        this.parser = parser;
    }

    static Object read(byte[] body) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), body)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw Misread.broken("there is no JSON in it");
            }
            Object value = new JsonInput(parser).value(first);
            if (parser.nextToken() != null) {
                throw Misread.broken("more text follows the JSON");
            }
            return value;
        } catch (JacksonException e) {
            // Without Jackson's own message: it may quote a part of a document.
            throw Misread.broken("it is no JSON of RFC 8259, is nested deeper than " + MAX_DEPTH
                    + ", or has a name or number that is too long");
        }
    }

    private Object value(JsonToken token) {
        if (++values > MAX_VALUES) {
            throw Misread.broken("it has more than " + MAX_VALUES + " values");
        }
        return switch (token) {
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> whole(parser.getString());
            case VALUE_NUMBER_FLOAT -> new JsonObject.Decimal(parser.getString());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> JsonObject.Null.NULL;
            case START_OBJECT -> object();
            case START_ARRAY -> array();
            case END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
                throw new IllegalStateException("A JSON value does not begin with " + token);
        };
    }

    private static Object whole(String literal) {
        try {
            return Long.valueOf(literal);
        } catch (NumberFormatException e) {
            return new JsonObject.Decimal(literal);
        }
    }

    private JsonObject object() {
        JsonObject object = new JsonObject();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_OBJECT; token = parser.nextToken()) {
            String name = parser.currentName();
            object.put(name, value(parser.nextToken()));
        }
        return object;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            elements.add(value(token));
        }
        return elements;
    }
}
