package dev.semel.engine;

import dev.semel.task.InvalidInput;
import dev.semel.task.JsonFailure;
import dev.semel.task.TypeRef;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The default codec. It hides Jackson: no Jackson type is part of Semel's API. */
final class JacksonCodec implements Codec {

    static final Codec STANDARD = new JacksonCodec();

    // NaN would otherwise be stored as the text "NaN"; without quotes it is rejected when the document is validated.
    // An object without properties would be stored as {} and never be what it was; a record without components is.
    private final JsonMapper mapper = JsonMapper.builder()
            .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
            .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .build();

    @Override
    public String encode(@Nullable Object value) {
        if (value instanceof RawJson(String text)) {
            return text;
        }
        try {
            String json = mapper.writeValueAsString(value);
            if (value != null && isMachinery(value, json)) {
                throw new InvalidInput("A value of " + value.getClass().getName()
                        + " cannot be written as JSON: it is not data. Return a record, or nothing.");
            }
            return json;
        } catch (JacksonException | StackOverflowError e) {
            throw notWritable(value, e);
        }
    }

    @Override
    public String encode(@Nullable Object value, TypeRef<?> type) {
        if (type.isClass()) {
            return encode(value);
        }
        try {
            // By its declared type: a list does not know the class of its elements, which may need to be written.
            return mapper.writerFor(mapper.constructType(type.type())).writeValueAsString(value);
        } catch (JacksonException | StackOverflowError e) {
            throw notWritable(value, e);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // JSON null decodes to null, whether or not T includes it
    public <T extends @Nullable Object> T decode(String json, Class<T> type) {
        if (type == RawJson.class) {
            return type.cast(new RawJson(json));
        }
        try {
            return mapper.readValue(json, type);
        } catch (JacksonException e) {
            throw notReadable(type.getName(), e);
        }
    }

    @Override
    @SuppressWarnings({"NullAway", "unchecked"}) // the mapper reads what the type says
    public <T extends @Nullable Object> T decode(String json, TypeRef<T> type) {
        if (type.type() instanceof Class<?> plain) {
            return (T) decode(json, plain);
        }
        try {
            return mapper.readValue(json, mapper.constructType(type.type()));
        } catch (JacksonException e) {
            throw notReadable(type.toString(), e);
        }
    }

    /**
     * Returns whether a value is an object of the JDK that is not data: a thread, a stream, a future, or one whose properties
     * Jackson leaves out altogether.
     */
    private static boolean isMachinery(Object value, String json) {
        String module = value.getClass().getModule().getName();
        if (module == null || !module.startsWith("java.")) {
            return false;
        }
        return value instanceof Thread
                || value instanceof AutoCloseable
                || value instanceof Future<?>
                || (json.equals("{}") && !(value instanceof Map<?, ?>));
    }

    // Jackson's own message quotes values, so neither the message nor the cause is passed on.

    private static InvalidInput notWritable(@Nullable Object value, Throwable e) {
        return new InvalidInput(
                "A value of " + (value == null ? "null" : value.getClass().getName()) + " cannot be written as JSON: "
                        + JsonFailure.reason(e) + ".");
    }

    private static InvalidInput notReadable(String type, JacksonException e) {
        return new InvalidInput("The JSON does not fit " + type + ": " + JsonFailure.reason(e) + ".");
    }
}
