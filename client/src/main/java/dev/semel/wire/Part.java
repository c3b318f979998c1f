package dev.semel.wire;

import java.util.List;

/**
 * The answer to a request for several things, which may end early if it would become too large.
 *
 * @param answered how many of the requested ones were looked up, from the first on; ask for the others again
 * @param values those that were found
 * @param <T> what was asked for
 */
public record Part<T>(int answered, List<T> values) {

    /** Creates a part. */
    public Part {
        values = List.copyOf(values);
    }

    static <T> Form<Part<T>> of(Form<T> value) {
        return Form.object(
                (out, part) -> out.beginObject()
                        .member("answered", part.answered())
                        .list("values", part.values(), value)
                        .endObject(),
                in -> new Part<>(in.integer("answered"), in.list("values", value)));
    }
}
