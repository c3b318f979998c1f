package dev.semel.s3.log;

import dev.semel.sqlite.capture.Change;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Values of changes as JSON: numbers, strings, lists of strings, null, and objects that name a document. */
final class JsonText {

    /**
     * A document that is stored in an object of its own.
     *
     * @param object the name of the object
     * @param index its place in the object
     */
    record DocumentReference(String object, int index) {}

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonText() {}

    static JsonGenerator generator(ByteArrayOutputStream out) {
        return FACTORY.createGenerator(ObjectWriteContext.empty(), out);
    }

    static JsonParser parser(byte[] bytes) {
        return FACTORY.createParser(ObjectReadContext.empty(), bytes);
    }

    static JsonParser parser(String text) {
        return FACTORY.createParser(ObjectReadContext.empty(), text);
    }

    /** Writes a change as one object: {@code {"set":"task","key":{…},"fields":{…}}}. */
    static void write(JsonGenerator json, Change change) {
        json.writeStartObject();
        json.writeStringProperty(change.kind().word(), change.entity());
        json.writeName("key");
        write(json, change.key());
        if (!change.fields().isEmpty()) {
            json.writeName("fields");
            write(json, change.fields());
        }
        json.writeEndObject();
    }

    static void write(JsonGenerator json, Map<String, ? extends @Nullable Object> values) {
        json.writeStartObject();
        for (Map.Entry<String, ? extends @Nullable Object> entry : values.entrySet()) {
            json.writeName(entry.getKey());
            switch (entry.getValue()) {
                case null -> json.writeNull();
                case Long number -> json.writeNumber(number);
                case String text -> json.writeString(text);
                case List<?> names -> {
                    json.writeStartArray();
                    names.forEach(name -> json.writeString((String) name));
                    json.writeEndArray();
                }
                case DocumentReference reference -> {
                    json.writeStartObject();
                    json.writeStringProperty("document", reference.object());
                    json.writeNumberProperty("index", reference.index());
                    json.writeEndObject();
                }
                case Object other -> throw new IllegalStateException("Expected a value of a change, but got " + other);
            }
        }
        json.writeEndObject();
    }

    /** The text of values, by which a row is found again. */
    static String text(Map<String, ? extends @Nullable Object> values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = generator(out)) {
            write(json, values);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    static Map<String, @Nullable Object> values(String text) {
        try (JsonParser json = parser(text)) {
            json.nextToken();
            return values(json);
        }
    }

    /** Reads a change whose object has begun; members that this version does not know are skipped. */
    static Change change(JsonParser json) {
        Change.Kind kind = null;
        String entity = "";
        Map<String, Object> key = Map.of();
        Map<String, @Nullable Object> fields = Map.of();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "put", "set", "remove" -> {
                    kind = Change.Kind.of(name);
                    entity = json.getString();
                }
                case "key" -> key = present(values(json));
                case "fields" -> fields = values(json);
                default -> json.skipChildren();
            }
        }
        if (kind == null) {
            throw new IllegalArgumentException("Expected a change that is put, set or removed");
        }
        return new Change(entity, kind, key, fields);
    }

    private static Map<String, Object> present(Map<String, @Nullable Object> values) {
        Map<String, Object> all = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (value != null) {
                all.put(name, value);
            }
        });
        return all;
    }

    /** Reads an object of values that has begun. */
    private static Map<String, @Nullable Object> values(JsonParser json) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            values.put(name, value(json, json.nextToken()));
        }
        return values;
    }

    private static @Nullable Object value(JsonParser json, JsonToken token) {
        return switch (token) {
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT -> json.getLongValue();
            case VALUE_STRING -> json.getString();
            case START_ARRAY -> {
                List<String> names = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    names.add(json.getString());
                }
                yield List.copyOf(names);
            }
            case START_OBJECT -> reference(values(json));
            default -> throw new IllegalArgumentException("Expected a value of a change, but got " + token);
        };
    }

    private static DocumentReference reference(Map<String, @Nullable Object> values) {
        if (values.get("document") instanceof String object && values.get("index") instanceof Long index) {
            return new DocumentReference(object, Math.toIntExact(index));
        }
        throw new IllegalArgumentException("Expected the name of a document, but got the members " + values.keySet());
    }
}
