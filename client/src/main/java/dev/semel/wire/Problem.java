package dev.semel.wire;

import java.util.Optional;

/**
 * A problem as RFC 9457 describes it: why a request was not carried out.
 *
 * @param type what kind of problem it is: a URI whose last part is a stable name
 * @param title the kind in words
 * @param status the status of the answer
 * @param detail what happened, and what to do
 */
public record Problem(String type, String title, int status, String detail) {

    /** What precedes the name in the type of a problem. */
    public static final String TYPES = "https://semel.dev/problems/";

    private static final Form<Problem> FORM = Form.object(
            (out, problem) -> out.beginObject()
                    .member("type", problem.type())
                    .member("title", problem.title())
                    .member("status", problem.status())
                    .member("detail", problem.detail())
                    .endObject(),
            in -> {
                String detail = in.textOrNull("detail");
                String title = in.textOrNull("title");
                return new Problem(
                        in.text("type"),
                        title == null ? "" : title,
                        in.find("status") == null ? 0 : in.integer("status"),
                        detail == null ? "" : detail);
            });

    /**
     * Returns the name of the kind: the last part of its type.
     *
     * @return for example {@code invalid-input}
     */
    public String name() {
        return type.substring(type.lastIndexOf('/') + 1);
    }

    /**
     * Writes the problem.
     *
     * @return the body
     */
    public byte[] toBytes() {
        JsonOutput out = new JsonOutput();
        FORM.write(out, this);
        return out.toBytes();
    }

    /**
     * Reads a problem.
     *
     * @param body the body of an answer
     * @return the problem; empty if the body is something else, for example a page of a proxy
     */
    public static Optional<Problem> read(byte[] body) {
        try {
            return Optional.of(FORM.read(JsonInput.read(body)));
        } catch (Misread e) {
            return Optional.empty();
        }
    }
}
