package dev.semel.wire;

import org.jspecify.annotations.Nullable;

/** The requests that have at most one parameter. */
public final class Question {

    private Question() {}

    /** A request without parameters. */
    public record Plain() {

        static final Form<Plain> FORM =
                Form.object((out, plain) -> out.beginObject().endObject(), in -> new Plain());
    }

    /**
     * A request for depths.
     *
     * @param tenant the tenant whose tasks are counted; null counts those of all tenants
     */
    public record Depths(@Nullable String tenant) {

        static final Form<Depths> FORM = Form.object(
                (out, depths) ->
                        out.beginObject().member("tenant", depths.tenant()).endObject(),
                in -> new Depths(in.textOrNull("tenant")));
    }

    /**
     * A request for due schedules.
     *
     * @param limit how many at the most
     */
    public record Due(int limit) {

        static final Form<Due> FORM = Form.object(
                (out, due) -> out.beginObject().member("limit", due.limit()).endObject(),
                in -> new Due(in.integer("limit")));
    }
}
