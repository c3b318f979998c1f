package dev.semel.task;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Reads text into checked values with Jackson's streaming parser. Every error gets a message of our own: Jackson's
 * messages quote the text, which may be secret, so neither they nor their exceptions are passed on.
 */
final class JsonReader {

    private static final JsonFactory FACTORY = JsonFactory.builder()
            // Our limit on the whole document has been checked before, so no part needs a limit of its own.
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Json.MAX_BYTES)
                    .maxNumberLength(Json.MAX_BYTES)
                    .maxNameLength(Json.MAX_BYTES)
                    // One more than our own limit, so that our error message is the one that is reported.
                    .maxNestingDepth(Json.MAX_DEPTH + 1)
                    .build())
            // The table of names is state shared between documents, and rejects names that collide in it.
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            // So that NaN is read as a number, and can be rejected with its position and the reason.
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private static final int NOWHERE = Integer.MAX_VALUE;

    private final JsonParser parser;

    // The offset of the first unpaired surrogate. It is found in the text and not by Jackson, whose versions differ in
    // which unpaired surrogates they reject; the reader only finds out which string contains it.
    private final int loneHalf;

    private JsonReader(JsonParser parser, int loneHalf) {
        this.parser = parser;
        this.loneHalf = loneHalf;
    }

    static JsonValue read(String text, boolean isAscii) {
        int half = isAscii && !text.contains("\\u") ? -1 : Surrogates.firstLoneInJson(text);
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            return new JsonReader(parser, half < 0 ? NOWHERE : half).document();
        }
    }

    private JsonValue document() {
        try {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new InvalidInput(
                        "JSON text contains one value, but this text is empty or only white space. Send a value, or"
                                + " null if there is nothing to send.");
            }
            JsonValue root = value(first, 0);
            if (hasMore()) {
                throw new InvalidInput("JSON text contains one value, but more text follows it at "
                        + lineAndColumn(parser.currentTokenLocation()) + ". Remove the rest, or send an array.");
            }
            return root;
        } catch (JacksonException e) {
            throw refusal(e);
        }
    }

    private boolean hasMore() {
        try {
            return parser.nextToken() != null;
        } catch (JacksonException e) {
            return true;
        }
    }

    private InvalidInput refusal(JacksonException e) {
        String pointer = pointer();
        // Only near: Jackson may report a syntax error before it has reached the value itself.
        String place = (pointer.isEmpty() ? "at " : "near \"" + Limits.shown(pointer) + "\", ")
                + lineAndColumn(e.getLocation());
        if (e.getLocation().getCharOffset() >= loneHalf) {
            return loneHalf("string or member name", place);
        }
        if (e instanceof UnexpectedEndOfInputException) {
            return new InvalidInput("JSON text must be complete, but this text ends in the middle of a value " + place
                    + ". Send the complete text.");
        }
        return new InvalidInput("JSON text must follow the grammar of RFC 8259, but this text breaks it " + place
                + ". Fix it there, or generate the text with a JSON library.");
    }

    private JsonValue value(JsonToken token, int depth) {
        return switch (token) {
            case START_OBJECT -> members(deeper(depth));
            case START_ARRAY -> elements(deeper(depth));
            case VALUE_STRING -> new JsonValue.Text(wellFormed("string", parser.getString()));
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser.getString());
            case VALUE_NULL -> JsonValue.Word.NULL;
            case VALUE_TRUE -> JsonValue.Word.TRUE;
            case VALUE_FALSE -> JsonValue.Word.FALSE;
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new AssertionError("No value begins with " + token);
        };
    }

    private int deeper(int depth) {
        if (depth == Json.MAX_DEPTH) {
            throw new InvalidInput(
                    "JSON is nested at most " + Json.MAX_DEPTH + " levels deep, but this text is nested deeper "
                            + here() + ". Flatten it, or send the inner part as a string.");
        }
        return depth + 1;
    }

    private JsonValue members(int depth) {
        List<JsonValue.Member> members = new ArrayList<>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            wellFormed("member name", name);
            members.add(new JsonValue.Member(name, value(parser.nextToken(), depth)));
        }
        members.sort(JsonValue.Member.BY_NAME);
        for (int i = 1; i < members.size(); i++) {
            String name = members.get(i).name();
            if (name.equals(members.get(i - 1).name())) {
                throw new InvalidInput("Member names of a JSON object are unique, but \"" + Limits.shown(name)
                        + "\" occurs more than once in the object " + at() + " that ends at "
                        + lineAndColumn(parser.currentTokenLocation()) + ". Remove or rename one.");
            }
        }
        return new JsonValue.Members(List.copyOf(members));
    }

    private JsonValue elements(int depth) {
        List<JsonValue> elements = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            elements.add(value(token, depth));
        }
        return new JsonValue.Elements(List.copyOf(elements));
    }

    private JsonValue number(String literal) {
        char last = literal.charAt(literal.length() - 1);
        if (last < '0' || last > '9') {
            throw new InvalidInput(
                    "A JSON number must be finite, but got NaN or infinity " + here() + ". Send null, or a string.");
        }
        String canonical = DecimalLiteral.canonical(literal);
        if (canonical == null) {
            throw new InvalidInput("A JSON number has an exponent between -" + Integer.MAX_VALUE + " and "
                    + Integer.MAX_VALUE + ", but the exponent of the number " + here()
                    + " is out of range. Send a number in the range, or a string.");
        }
        return new JsonValue.Decimal(literal, canonical);
    }

    private String wellFormed(String what, String text) {
        if (loneHalf != NOWHERE && parser.currentLocation().getCharOffset() > loneHalf) {
            throw loneHalf(what, here());
        }
        return text;
    }

    private static InvalidInput loneHalf(String what, String place) {
        return new InvalidInput("A JSON " + what + " must be valid Unicode, but there is half of a surrogate pair "
                + place + ". Remove it, or send both halves in the same way, escaped or not.");
    }

    private String here() {
        return at() + ", " + lineAndColumn(parser.currentTokenLocation());
    }

    private String at() {
        String pointer = pointer();
        return pointer.isEmpty() ? "at the root" : "at \"" + Limits.shown(pointer) + "\"";
    }

    private static String lineAndColumn(TokenStreamLocation place) {
        return "line " + place.getLineNr() + ", column " + place.getColumnNr();
    }

    private String pointer() {
        Deque<String> tokens = new ArrayDeque<>();
        for (TokenStreamContext c = parser.streamReadContext(); c != null; c = c.getParent()) {
            if (c.inObject() && c.hasCurrentName()) {
                tokens.addFirst(c.currentName());
            } else if (c.inArray() && c.hasCurrentIndex()) {
                tokens.addFirst(Integer.toString(c.getCurrentIndex()));
            }
        }
        return JsonPointer.join(List.copyOf(tokens));
    }
}
