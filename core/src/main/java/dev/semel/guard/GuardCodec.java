package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/** Turns results and payloads into JSON, and results back. */
public interface GuardCodec {

    /**
     * Writes a value.
     *
     * @param value the value
     * @return the JSON text
     * @throws dev.semel.task.InvalidInput if the value cannot be written
     */
    String encode(@Nullable Object value);

    /**
     * Reads a result.
     *
     * @param json the JSON text
     * @param type its class
     * @param <T> its class
     * @return the value; null for the JSON null
     * @throws dev.semel.task.InvalidInput if the text does not fit the class
     */
    <T extends @Nullable Object> T decode(String json, Class<T> type);

    /**
     * The codec that is used where none is given: plain records and classes, dates as text, unknown members ignored.
     *
     * @return the codec
     */
    static GuardCodec standard() {
        return JacksonCodec.STANDARD;
    }
}
