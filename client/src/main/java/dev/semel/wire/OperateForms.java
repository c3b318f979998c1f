package dev.semel.wire;

import dev.semel.store.DueSchedules;
import dev.semel.store.Operation;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.task.Identity;
import dev.semel.task.RateLimit;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The forms of operations, queues, schedules and sweeps. */
final class OperateForms {

    static final Form<Operation> REQUEST = Form.object(OperateForms::write, OperateForms::operation);

    static final Form<ScheduleId> SCHEDULE_ID = Form.object(
            (out, id) -> out.beginObject()
                    .member("tenant", id.tenant())
                    .member("name", id.name())
                    .endObject(),
            in -> new ScheduleId(in.text("tenant"), in.text("name")));

    static final Form<ScheduleRecord> SCHEDULE = Form.object(
            (out, schedule) -> out.beginObject()
                    .member("id", schedule.id(), SCHEDULE_ID)
                    .member("version", schedule.version().toString())
                    .member("next_at", schedule.nextAt())
                    .member("document", schedule.document())
                    .endObject(),
            in -> new ScheduleRecord(
                    in.get("id", SCHEDULE_ID),
                    in.id("version").value(),
                    in.timeOrNull("next_at"),
                    in.text("document")));

    static final Form<ScheduleQuery> SCHEDULE_QUERY = Form.object(
            (out, query) -> out.beginObject()
                    .member("tenant", query.tenant())
                    .member("after", query.after(), SCHEDULE_ID)
                    .member("limit", query.limit())
                    .endObject(),
            in -> new ScheduleQuery(in.textOrNull("tenant"), in.getOrNull("after", SCHEDULE_ID), in.integer("limit")));

    static final Form<DueSchedules> DUE = Form.object(
            (out, due) -> out.beginObject()
                    .list("schedules", due.schedules(), SCHEDULE)
                    .member("now", due.now())
                    .member("next_due", due.nextDue())
                    .endObject(),
            in -> new DueSchedules(in.list("schedules", SCHEDULE), in.time("now"), in.durationOrNull("next_due")));

    private static final Form<QueueSettings> SETTINGS = Form.object(OperateForms::write, OperateForms::settings);

    static final Form<QueueSetUp> SET_UP = Form.object(
            (out, setUp) -> out.beginObject()
                    .member("declared", setUp.declared(), SETTINGS)
                    .member("set", setUp.set(), SETTINGS)
                    .endObject(),
            in -> new QueueSetUp(in.get("declared", SETTINGS), in.get("set", SETTINGS)));

    private static final Form<Duration> KEPT = new Form<>() {
        @Override
        public void write(JsonOutput out, Duration value) {
            out.value(value);
        }

        @Override
        public Duration read(Object json) {
            return JsonObject.duration("a retention", json);
        }
    };

    static final Form<SweepRequest> SWEEP = Form.object(
            (out, request) -> out.beginObject()
                    .member("retention", request.retention())
                    .member("by_queue", request.byQueue(), Distinct.map(KEPT))
                    .member("workflow_retention", request.workflowRetention())
                    .member("dead_retention", request.deadRetention())
                    .member("limit", request.limit())
                    .endObject(),
            in -> new SweepRequest(
                    in.duration("retention"),
                    in.get("by_queue", Distinct.map(KEPT)),
                    in.duration("workflow_retention"),
                    in.duration("dead_retention"),
                    in.integer("limit")));

    static final Form<Swept> SWEPT = Form.object(
            (out, swept) -> out.beginObject()
                    .member("tasks", swept.tasks())
                    .member("records", swept.records())
                    .member("more", swept.more())
                    .endObject(),
            in -> new Swept(in.integer("tasks"), in.integer("records"), in.flag("more")));

    private OperateForms() {}

    private static void write(JsonOutput out, Operation operation) {
        switch (operation) {
            case Operation.Cancel(TaskId task) ->
                out.kind("cancel").member("task", task).endObject();
            case Operation.Redrive(TaskId task, int attempt) ->
                out.kind("redrive")
                        .member("task", task)
                        .member("attempt", attempt)
                        .endObject();
            case Operation.Restart(TaskId task, int generation, int from) ->
                out.kind("restart")
                        .member("task", task)
                        .member("generation", generation)
                        .member("from", from)
                        .endObject();
            case Operation.ReleaseKey(Identity identity, TaskId task) ->
                out.kind("release_key")
                        .member("identity", identity, TaskForms.IDENTITY)
                        .member("task", task)
                        .endObject();
            case Operation.Erase(TaskId task) ->
                out.kind("erase").member("task", task).endObject();
            case Operation.Resolve resolve ->
                out.kind("resolve")
                        .member("effect", resolve.effect(), EffectForms.ID)
                        .member("left", resolve.left(), EffectForms.ATTEMPT)
                        .member("resolution", resolve.resolution(), EffectForms.RESOLUTION)
                        .endObject();
            case Operation.ChangeSchedule change -> write(out, change);
            case Operation.DeclareQueue(String queue, QueueSettings settings) ->
                out.kind("declare_queue")
                        .member("queue", queue)
                        .member("settings", settings, SETTINGS)
                        .endObject();
            case Operation.SetQueue(String queue, QueueSettings changes) ->
                out.kind("set_queue")
                        .member("queue", queue)
                        .member("settings", changes, SETTINGS)
                        .endObject();
            case Operation.ResetQueue(String queue) ->
                out.kind("reset_queue").member("queue", queue).endObject();
        }
    }

    private static void write(JsonOutput out, Operation.ChangeSchedule change) {
        UUID expected = change.expected();
        out.kind("change_schedule")
                .member("id", change.id(), SCHEDULE_ID)
                .member("expected", expected == null ? null : expected.toString())
                .member("next", change.next(), SCHEDULE)
                .member("not_before", change.notBefore())
                .list("create", change.create(), TaskForms.NEW_TASK)
                .list("cancel", change.cancel(), TaskForms.ID)
                .endObject();
    }

    private static Operation operation(JsonObject in) {
        return switch (in.kind()) {
            case "cancel" -> new Operation.Cancel(in.id("task"));
            case "redrive" -> new Operation.Redrive(in.id("task"), in.integer("attempt"));
            case "restart" -> new Operation.Restart(in.id("task"), in.integer("generation"), in.integer("from"));
            case "release_key" -> new Operation.ReleaseKey(in.get("identity", TaskForms.IDENTITY), in.id("task"));
            case "erase" -> new Operation.Erase(in.id("task"));
            case "resolve" ->
                new Operation.Resolve(
                        in.get("effect", EffectForms.ID),
                        in.get("left", EffectForms.ATTEMPT),
                        in.get("resolution", EffectForms.RESOLUTION));
            case "change_schedule" -> change(in);
            case "declare_queue" -> new Operation.DeclareQueue(in.text("queue"), in.get("settings", SETTINGS));
            case "set_queue" -> new Operation.SetQueue(in.text("queue"), in.get("settings", SETTINGS));
            case "reset_queue" -> new Operation.ResetQueue(in.text("queue"));
            default -> throw Misread.unknown("a kind of operation", in.kind());
        };
    }

    private static Operation.ChangeSchedule change(JsonObject in) {
        @Nullable TaskId expected = in.idOrNull("expected");
        return new Operation.ChangeSchedule(
                in.get("id", SCHEDULE_ID),
                expected == null ? null : expected.value(),
                in.getOrNull("next", SCHEDULE),
                in.timeOrNull("not_before"),
                in.list("create", TaskForms.NEW_TASK),
                in.list("cancel", TaskForms.ID));
    }

    private static void write(JsonOutput out, QueueSettings settings) {
        Boolean paused = settings.paused();
        Integer concurrency = settings.concurrency();
        RateLimit limit = settings.rateLimit();
        out.beginObject();
        if (paused != null) {
            out.member("paused", paused.booleanValue());
        }
        out.member("rate_limit", limit == null ? null : limit.text());
        if (concurrency != null) {
            out.member("concurrency", concurrency.longValue());
        }
        out.member("retention", settings.retention())
                .member("idempotency_ttl", settings.idempotencyTtl())
                .member("reuse", settings.reuse(), TaskForms.REUSE)
                .member("dead_letter_queue", settings.deadLetterQueue())
                .endObject();
    }

    private static QueueSettings settings(JsonObject in) {
        String limit = in.textOrNull("rate_limit");
        return new QueueSettings(
                in.flagOrNull("paused"),
                limit == null ? null : RateLimit.parse(limit),
                in.integerOrNull("concurrency"),
                in.durationOrNull("retention"),
                in.durationOrNull("idempotency_ttl"),
                in.getOrNull("reuse", TaskForms.REUSE),
                in.textOrNull("dead_letter_queue"));
    }
}
