package dev.semel.guard;

import dev.semel.task.InvalidInput;
import dev.semel.task.JsonFailure;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The standard codec. It encodes and decodes like the codec of the engine, so that results have the same form in both.
 */
final class JacksonCodec implements GuardCodec {

    static final GuardCodec STANDARD = new JacksonCodec();

    private final JsonMapper mapper = JsonMapper.builder()
            .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
            .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .build();

    @Override
    public String encode(@Nullable Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException | StackOverflowError e) {
            // Jackson's message may quote the value, which must not reach a log.
            throw new InvalidInput("A value of "
                    + (value == null ? "null" : value.getClass().getName()) + " cannot be encoded as JSON: "
                    + JsonFailure.reason(e) + ". Use a class that Jackson can write, or set a codec.");
        }
    }

    @Override
    @SuppressWarnings("NullAway") // null is the value of the JSON null, which T may or may not include
    public <T extends @Nullable Object> T decode(String json, Class<T> type) {
        try {
            return mapper.readValue(json, type);
        } catch (JacksonException e) {
            throw new InvalidInput("The JSON does not fit " + type.getName() + ": " + JsonFailure.reason(e) + ".");
        }
    }
}
