package dev.semel.engine;

import dev.semel.task.InvalidInput;
import dev.semel.task.TypeRef;
import org.jspecify.annotations.Nullable;

/** A converter of inputs and results to JSON and back. */
public interface Codec {

    /**
     * Converts a value to JSON.
     *
     * @param value the value
     * @return the JSON text
     * @throws dev.semel.task.InvalidInput if the value cannot be written
     */
    String encode(@Nullable Object value);

    /**
     * Converts JSON to a value.
     *
     * @param json the JSON text
     * @param type the class of the value
     * @param <T> the class of the value
     * @return the value; null for the JSON null
     * @throws dev.semel.task.InvalidInput if the text does not fit the class
     */
    <T extends @Nullable Object> T decode(String json, Class<T> type);

    /**
     * Converts a value of a declared type to JSON.
     *
     * @param value the value
     * @param type its declared type, which can have type arguments
     * @return the JSON text
     * @throws dev.semel.task.InvalidInput if the value cannot be written
     */
    default String encode(@Nullable Object value, TypeRef<?> type) {
        return encode(value);
    }

    /**
     * Converts JSON to a value of a type that can have type arguments.
     *
     * @param json the JSON text
     * @param type the type of the value
     * @param <T> the type of the value
     * @return the value; null for the JSON null
     * @throws dev.semel.task.InvalidInput if the text does not fit the type, or this codec reads plain classes only
     */
    @SuppressWarnings({"NullAway", "unchecked"}) // the class is that of T
    default <T extends @Nullable Object> T decode(String json, TypeRef<T> type) {
        if (type.type() instanceof Class<?> plain) {
            return (T) decode(json, plain);
        }
        throw new InvalidInput("The codec \"" + getClass().getName() + "\" reads plain classes only, but the type is \""
                + type + "\". Override decode(String, TypeRef) in the codec.");
    }

    /**
     * Returns the default codec: plain records and classes, dates as text, unknown members ignored.
     * It rejects objects that have no properties at all, such as {@code new Object()}.
     *
     * @return the codec
     */
    static Codec standard() {
        return JacksonCodec.STANDARD;
    }
}
