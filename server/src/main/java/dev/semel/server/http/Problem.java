package dev.semel.server.http;

import dev.semel.server.json.JsonText;
import java.io.Serial;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that cannot be answered as asked: a problem of RFC 9457. */
public final class Problem extends RuntimeException {

    /** What the type of every problem begins with. */
    public static final String TYPES = "https://semel.dev/problems/";

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient int status;
    private final transient String slug;
    private final transient Map<String, String> fields = new LinkedHashMap<>();
    private final transient Map<String, String> headers = new LinkedHashMap<>();

    /**
     * Creates a problem.
     *
     * @param status the status of the reply
     * @param slug the last part of its type
     * @param detail what happened, what was expected, what to do
     */
    public Problem(int status, String slug, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.slug = slug;
    }

    /**
     * Adds a member.
     *
     * @param name its name
     * @param value its value; null for none
     * @return this
     */
    public Problem with(String name, @Nullable String value) {
        return value == null ? this : withRaw(name, JsonText.quoted(value));
    }

    /**
     * Adds a member that is JSON.
     *
     * @param name its name
     * @param json its value; null for none
     * @return this
     */
    public Problem withRaw(String name, @Nullable String json) {
        if (json != null) {
            fields.put(name, json);
        }
        return this;
    }

    /**
     * Adds a header to the reply.
     *
     * @param name its name
     * @param value its value
     * @return this
     */
    public Problem header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** {@return the status of the reply} */
    public int status() {
        return status;
    }

    /** {@return the last part of its type} */
    public String slug() {
        return slug;
    }

    /**
     * Returns the problem as a JSON object.
     *
     * @param request what names the request in logs; null where there is none
     * @return the object
     */
    public String json(@Nullable String request) {
        JsonText json = new JsonText()
                .put("type", TYPES + slug)
                .put("title", title())
                .put("status", status)
                .put("detail", getMessage())
                .put("request_id", request);
        fields.forEach(json::raw);
        return json.toString();
    }

    private String title() {
        String words = slug.replace('-', ' ');
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    Reply reply(@Nullable String request) {
        Reply reply = Reply.bytes(
                status, "application/problem+json", json(request).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        headers.forEach(reply::header);
        return reply;
    }
}
