package dev.semel.guard;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** The standard codec; it writes and reads as the one of the engine does, so that a handler's result means the same. */
final class JacksonCodec implements GuardCodec {

    static final GuardCodec STANDARD = new JacksonCodec();

    private final JsonMapper mapper =
            JsonMapper.builder().disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS).build();

    @Override
    public String encode(@Nullable Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException | StackOverflowError e) {
            // Jackson's message may quote what it met, which must not reach a log.
            throw new InvalidInput("A value of "
                    + (value == null ? "null" : value.getClass().getName()) + " cannot be written as JSON: "
                    + e.getClass().getSimpleName() + ".");
        }
    }

    @Override
    @SuppressWarnings("NullAway") // null is the value of the JSON null, which T may or may not include
    public <T extends @Nullable Object> T decode(String json, Class<T> type) {
        try {
            return mapper.readValue(json, type);
        } catch (JacksonException e) {
            throw new InvalidInput("The JSON does not fit " + type.getName() + ": "
                    + e.getClass().getSimpleName() + " at "
                    + Limits.shown(e.getPath().isEmpty() ? "the root" : e.getPathReference()) + ".");
        }
    }
}
