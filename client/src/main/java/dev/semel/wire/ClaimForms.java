package dev.semel.wire;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The forms of claims. */
final class ClaimForms {

    static final Form<ClaimRequest> REQUEST = Form.object(ClaimForms::write, ClaimForms::request);

    private static final Form<Claims.Claimed> CLAIMED = Form.object(
            (out, claimed) -> out.beginObject()
                    .member("task", claimed.task(), TaskForms.TASK)
                    .member("lease", claimed.lease(), TaskForms.LEASE)
                    .member("waited", claimed.waited())
                    .endObject(),
            in -> new Claims.Claimed(
                    in.get("task", TaskForms.TASK), in.get("lease", TaskForms.LEASE), in.durationOrNull("waited")));

    static final Form<Claims> ANSWER = Form.object(
            (out, claims) -> out.beginObject()
                    .list("tasks", claims.tasks(), CLAIMED)
                    .member("next_due", claims.nextDue())
                    .endObject(),
            in -> new Claims(in.list("tasks", CLAIMED), in.durationOrNull("next_due")));

    private ClaimForms() {}

    private static void write(JsonOutput out, ClaimRequest request) {
        out.beginObject()
                .member("claim", request.claim())
                .member("repeated", request.repeated())
                .list("queues", request.queues(), TaskForms.TEXT);
        Set<String> types = request.types();
        if (types != null) {
            out.list("types", types, TaskForms.TEXT);
        }
        out.member("limit", request.limit())
                .member("limited", request.limited())
                .member("suspects", request.suspects())
                .member("bytes", request.bytes())
                .member("lease", request.lease())
                .member("worker", request.worker())
                .member("tenant", request.tenant())
                .endObject();
    }

    private static ClaimRequest request(JsonObject in) {
        @Nullable List<String> types = in.getOrNull("types", TaskForms.TEXT.list());
        return new ClaimRequest(
                in.number("claim"),
                in.flag("repeated"),
                Distinct.set(in.list("queues", TaskForms.TEXT)),
                types == null ? null : Distinct.set(types),
                in.integer("limit"),
                in.integer("limited"),
                in.integer("suspects"),
                in.number("bytes"),
                in.duration("lease"),
                in.text("worker"),
                in.textOrNull("tenant"));
    }
}
