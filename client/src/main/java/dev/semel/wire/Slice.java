package dev.semel.wire;

import java.util.List;

/**
 * A part of a listing.
 *
 * @param values the part
 * @param more whether the listing was cut here because of its size
 * @param <T> what is listed
 */
public record Slice<T>(List<T> values, boolean more) {

    /** Creates a slice. */
    public Slice {
        values = List.copyOf(values);
    }

    static <T> Form<Slice<T>> of(Form<T> value) {
        return Form.object(
                (out, slice) -> out.beginObject()
                        .list("values", slice.values(), value)
                        .member("more", slice.more())
                        .endObject(),
                in -> new Slice<>(in.list("values", value), in.flag("more")));
    }
}
