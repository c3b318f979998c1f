package dev.semel.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answer to a request. */
public final class Reply {

    /** Writes a body while the connection stays open. */
    @FunctionalInterface
    public interface StreamWriter {

        /**
         * Writes the body.
         *
         * @param out what it is written to; a flush sends it
         * @throws IOException if the client has gone
         */
        void write(OutputStream out) throws IOException;
    }

    private final int status;
    private final byte[] body;
    private final @Nullable StreamWriter stream;
    private final Map<String, String> headers = new LinkedHashMap<>();

    private Reply(int status, byte[] body, @Nullable StreamWriter stream) {
        this.status = status;
        this.body = body;
        this.stream = stream;
    }

    /**
     * Creates a reply with a body of JSON.
     *
     * @param status the status
     * @param json the body
     * @return the reply
     */
    public static Reply json(int status, String json) {
        return bytes(status, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Creates a reply of status 200 with a body of JSON.
     *
     * @param json the body
     * @return the reply
     */
    public static Reply json(String json) {
        return json(200, json);
    }

    /**
     * Creates a reply with any body.
     *
     * @param status the status
     * @param contentType the type of the body
     * @param body the body
     * @return the reply
     */
    public static Reply bytes(int status, String contentType, byte[] body) {
        return new Reply(status, body, null).header("Content-Type", contentType);
    }

    /**
     * Creates a reply without a body.
     *
     * @param status the status
     * @return the reply
     */
    public static Reply empty(int status) {
        return new Reply(status, new byte[0], null);
    }

    /**
     * Creates a reply of status 200 whose body is written while the connection stays open.
     *
     * @param contentType the type of the body
     * @param writer what writes it
     * @return the reply
     */
    public static Reply stream(String contentType, StreamWriter writer) {
        return new Reply(200, new byte[0], writer).header("Content-Type", contentType);
    }

    /**
     * Sets a header.
     *
     * @param name its name
     * @param value its value
     * @return this
     */
    public Reply header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** {@return the status} */
    public int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }

    @Nullable
    StreamWriter stream() {
        return stream;
    }
}
