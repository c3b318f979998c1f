package dev.semel.guard;

import org.jspecify.annotations.Nullable;

/** A codec that encodes results and payloads as JSON and decodes results. */
public interface GuardCodec {

    /**
     * Encodes a value.
     *
     * @param value the value
     * @return the JSON text
     * @throws dev.semel.task.InvalidInput if the value cannot be encoded
     */
    String encode(@Nullable Object value);

    /**
     * Decodes a result.
     *
     * @param json the JSON text
     * @param type its class
     * @param <T> its class
     * @return the value; null for a JSON null
     * @throws dev.semel.task.InvalidInput if the text does not fit the class
     */
    <T extends @Nullable Object> T decode(String json, Class<T> type);

    /** {@return the default codec: plain records and classes, dates as text, unknown members ignored} */
    static GuardCodec standard() {
        return JacksonCodec.STANDARD;
    }
}
