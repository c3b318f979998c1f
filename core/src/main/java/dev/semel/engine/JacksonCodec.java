package dev.semel.engine;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** The standard codec. Jackson stays behind it: no Jackson type is part of Semel's interface. */
final class JacksonCodec implements Codec {

    static final Codec STANDARD = new JacksonCodec();

    // NaN would otherwise be stored as the text "NaN"; bare, it is refused when the document is checked.
    private final JsonMapper mapper =
            JsonMapper.builder().disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS).build();

    @Override
    public String encode(@Nullable Object value) {
        if (value instanceof RawJson(String text)) {
            return text;
        }
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException | StackOverflowError e) {
            throw new InvalidInput(
                    "A value of " + nameOf(value) + " cannot be written as JSON: " + Limits.shown(reason(e)), e);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // null is the value of the JSON null, which T may or may not include
    public <T extends @Nullable Object> T decode(String json, Class<T> type) {
        if (type == RawJson.class) {
            return type.cast(new RawJson(json));
        }
        try {
            return mapper.readValue(json, type);
        } catch (JacksonException e) {
            // Jackson's message quotes the value, which must not reach a log or a task's errors: so no message, no
            // cause.
            throw new InvalidInput("The JSON does not fit " + type.getName() + ": "
                    + e.getClass().getSimpleName() + " at "
                    + Limits.shown(e.getPath().isEmpty() ? "the root" : e.getPathReference()) + ".");
        }
    }

    private static String reason(Throwable thrown) {
        String message = thrown instanceof JacksonException jackson ? jackson.getOriginalMessage() : null;
        return message == null ? thrown.getClass().getSimpleName() : message;
    }

    private static String nameOf(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getName();
    }
}
