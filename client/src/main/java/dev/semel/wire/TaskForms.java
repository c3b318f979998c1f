package dev.semel.wire;

import dev.semel.store.Attempt;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.QueueDepth;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Lease;
import dev.semel.task.RetryPolicy;
import dev.semel.task.RetryPolicy.Backoff;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The forms of tasks, and of what tasks are made of. */
final class TaskForms {

    static final Form<String> TEXT = Form.text(text -> text, text -> text);

    static final Form<TaskId> ID = Form.text(TaskId::toString, TaskId::parse);

    static final Form<InputHash> HASH = Form.text(InputHash::toString, InputHash::parse);

    static final Form<ReusePolicy> REUSE = Form.text(ReusePolicy::text, ReusePolicy::parse);

    static final Form<Lease> LEASE = Form.object(
            (out, lease) -> out.beginObject()
                    .member("task", lease.taskId())
                    .member("attempt", lease.attempt())
                    .member("claim", lease.claim())
                    .endObject(),
            in -> new Lease(in.id("task"), in.integer("attempt"), in.number("claim")));

    static final Form<Identity> IDENTITY = Form.object(
            (out, identity) -> out.beginObject()
                    .member("tenant", identity.tenant())
                    .member("scope_kind", Word.of(identity.scopeKind()))
                    .member("scope_name", identity.scopeName())
                    .member("key", identity.key())
                    .endObject(),
            in -> new Identity(
                    in.text("tenant"), in.word("scope_kind", Scope.Kind.class), in.text("scope_name"), in.text("key")));

    private static final Form<Duration> DURATION = new Form<>() {
        @Override
        public void write(JsonOutput out, Duration value) {
            out.value(value);
        }

        @Override
        public Duration read(Object json) {
            return JsonObject.duration("a delay", json);
        }
    };

    private static final Form<Backoff> BACKOFF = Form.object(TaskForms::write, TaskForms::backoff);

    private static final Form<RetryPolicy> RETRY = Form.object(
            (out, retry) -> out.beginObject()
                    .member("max_attempts", retry.maxAttempts())
                    .member("backoff", retry.backoff(), BACKOFF)
                    .endObject(),
            in -> new RetryPolicy(in.integer("max_attempts"), in.get("backoff", BACKOFF)));

    private static final Form<TraceContext> TRACE = Form.object(
            (out, trace) -> out.beginObject()
                    .member("parent", trace.parent())
                    .member("state", trace.state())
                    .endObject(),
            in -> new TraceContext(in.text("parent"), in.textOrNull("state")));

    private static final Form<WorkflowOptions> WORKFLOW = Form.object(
            (out, workflow) ->
                    out.beginObject().member("time_limit", workflow.timeLimit()).endObject(),
            in -> new WorkflowOptions(in.durationOrNull("time_limit")));

    private static final Form<TimeLimits> LIMITS = Form.object(
            (out, limits) -> out.beginObject()
                    .member("time_limit", limits.total())
                    .member("start_by", limits.startBy())
                    .member("since", limits.since())
                    .member("attempt", limits.attempt())
                    .endObject(),
            in -> new TimeLimits(
                    in.durationOrNull("time_limit"),
                    in.durationOrNull("start_by"),
                    in.duration("since"),
                    in.integer("attempt")));

    private static final Form<List<String>> TAGS = TEXT.list();

    private static final Form<TaskOptions> OPTIONS = Form.object(
            (out, options) -> out.beginObject()
                    .member("priority", options.priority())
                    .member("retry", options.retry(), RETRY)
                    .member("timeout", options.timeout())
                    .member("mutex", options.mutex())
                    .member("trace", options.trace(), TRACE)
                    .member("workflow", options.workflow(), WORKFLOW)
                    .member("limits", options.limits(), LIMITS)
                    .member("tags", options.tags().isEmpty() ? null : options.tags(), TAGS)
                    .endObject(),
            in -> new TaskOptions(
                    in.integer("priority"),
                    in.getOrNull("retry", RETRY),
                    in.durationOrNull("timeout"),
                    in.textOrNull("mutex"),
                    in.getOrNull("trace", TRACE),
                    in.getOrNull("workflow", WORKFLOW),
                    in.getOrNull("limits", LIMITS),
                    tags(in.getOrNull("tags", TAGS))));

    private static List<String> tags(@Nullable List<String> given) {
        return given == null ? List.of() : given;
    }

    private static final Form<NewTask.Start> START = Form.object(TaskForms::write, TaskForms::start);

    private static final Form<NewTask.KeyRequest> KEY = Form.object(
            (out, key) -> out.beginObject()
                    .member("identity", key.identity(), IDENTITY)
                    .member("input_hash", key.inputHash(), HASH)
                    .member("ttl", key.ttl())
                    .member("reuse", key.policy(), REUSE)
                    .endObject(),
            in -> new NewTask.KeyRequest(
                    in.get("identity", IDENTITY),
                    in.get("input_hash", HASH),
                    in.duration("ttl"),
                    in.get("reuse", REUSE)));

    private static final Form<Task.Progress> PROGRESS = Form.object(
            (out, progress) -> out.beginObject()
                    .member("state", Word.of(progress.state()))
                    .member("attempt", progress.attempt())
                    .member("failures", progress.failures())
                    .member("vanished", progress.vanished())
                    .member("due_at", progress.dueAt())
                    .member("cancel_requested", progress.cancelRequested())
                    .member("finished_at", progress.finishedAt())
                    .member("result", progress.result())
                    .member("last_error", progress.lastError())
                    .endObject(),
            in -> new Task.Progress(
                    in.word("state", TaskState.class),
                    in.integer("attempt"),
                    in.integer("failures"),
                    in.integer("vanished"),
                    in.timeOrNull("due_at"),
                    in.flag("cancel_requested"),
                    in.timeOrNull("finished_at"),
                    in.textOrNull("result"),
                    in.textOrNull("last_error")));

    static final Form<Task> TASK = Form.object(
            (out, task) -> out.beginObject()
                    .member("id", task.id())
                    .member("tenant", task.tenant())
                    .member("queue", task.queue())
                    .member("type", task.type())
                    .member("input", task.input())
                    .member("options", noneIsNull(task.options()), OPTIONS)
                    .member("identity", task.identity(), IDENTITY)
                    .member("run", task.run())
                    .member("series", task.series())
                    .member("lineage", task.lineage())
                    .member("created_at", task.createdAt())
                    .member("progress", task.progress(), PROGRESS)
                    .endObject(),
            in -> new Task(
                    in.id("id"),
                    in.text("tenant"),
                    in.text("queue"),
                    in.text("type"),
                    in.textOrNull("input"),
                    options(in),
                    in.getOrNull("identity", IDENTITY),
                    in.integer("run"),
                    in.id("series"),
                    in.id("lineage"),
                    in.time("created_at"),
                    in.get("progress", PROGRESS)));

    static final Form<NewTask> NEW_TASK = Form.object(TaskForms::writeNewTask, TaskForms::newTask);

    static final Form<Attempt> ATTEMPT = Form.object(
            (out, attempt) -> out.beginObject()
                    .member("number", attempt.number())
                    .member("worker", attempt.worker())
                    .member("started_at", attempt.startedAt())
                    .member("ended_at", attempt.endedAt())
                    .member("outcome", attempt.outcome(), Form.word(Attempt.Outcome.class))
                    .member("error", attempt.error())
                    .endObject(),
            in -> new Attempt(
                    in.integer("number"),
                    in.text("worker"),
                    in.time("started_at"),
                    in.timeOrNull("ended_at"),
                    in.wordOrNull("outcome", Attempt.Outcome.class),
                    in.textOrNull("error")));

    static final Form<KeyRecord> RECORD = Form.object(
            (out, key) -> out.beginObject()
                    .member("identity", key.identity(), IDENTITY)
                    .member("task", key.taskId())
                    .member("type", key.type())
                    .member("input_hash", key.inputHash(), HASH)
                    .member("run", key.run())
                    .member("lineage", key.lineage())
                    .member("created_at", key.createdAt())
                    .member("expires_at", key.expiresAt())
                    .member("window_passed", key.windowPassed())
                    .member("state", Word.of(key.state()))
                    .member("finished_at", key.finishedAt())
                    .member("data_gone", key.dataGone())
                    .member("duplicates", key.duplicates())
                    .member("last_duplicate_at", key.lastDuplicateAt())
                    .endObject(),
            in -> new KeyRecord(
                    in.get("identity", IDENTITY),
                    in.id("task"),
                    in.text("type"),
                    in.get("input_hash", HASH),
                    in.integer("run"),
                    in.id("lineage"),
                    in.time("created_at"),
                    in.time("expires_at"),
                    in.flag("window_passed"),
                    in.word("state", TaskState.class),
                    in.timeOrNull("finished_at"),
                    in.flag("data_gone"),
                    in.number("duplicates"),
                    in.timeOrNull("last_duplicate_at")));

    static final Form<QueueDepth> DEPTH = Form.object(
            (out, depth) -> out.beginObject()
                    .member("due", depth.due())
                    .member("delayed", depth.delayed())
                    .member("running", depth.running())
                    .member("waiting", depth.waiting())
                    .member("dead", depth.dead())
                    .member("oldest_due", depth.oldestDue())
                    .endObject(),
            in -> new QueueDepth(
                    in.number("due"),
                    in.number("delayed"),
                    in.number("running"),
                    in.number("waiting"),
                    in.number("dead"),
                    in.timeOrNull("oldest_due")));

    private TaskForms() {}

    /** Writes the members of a new task into an object that has begun, and ends it. */
    private static void writeNewTask(JsonOutput out, NewTask task) {
        members(out.beginObject(), task);
    }

    static void members(JsonOutput out, NewTask task) {
        out.member("id", task.id())
                .member("tenant", task.tenant())
                .member("queue", task.queue())
                .member("type", task.type())
                .member("input", task.input())
                .member("start", task.start(), START)
                .member("options", noneIsNull(task.options()), OPTIONS)
                .member("key", task.key(), KEY)
                .endObject();
    }

    static NewTask newTask(JsonObject in) {
        return new NewTask(
                in.id("id"),
                in.text("tenant"),
                in.text("queue"),
                in.text("type"),
                in.text("input"),
                in.get("start", START),
                options(in),
                in.getOrNull("key", KEY));
    }

    private static void write(JsonOutput out, NewTask.Start start) {
        switch (start) {
            case NewTask.Start.After(Duration delay) ->
                out.kind("after").member("delay", delay).endObject();
            case NewTask.Start.At(Instant time) ->
                out.kind("at").member("time", time).endObject();
        }
    }

    private static NewTask.Start start(JsonObject in) {
        return switch (in.kind()) {
            case "after" -> new NewTask.Start.After(in.duration("delay"));
            case "at" -> new NewTask.Start.At(in.time("time"));
            default -> throw Misread.unknown("a kind of start", in.kind());
        };
    }

    private static void write(JsonOutput out, Backoff backoff) {
        switch (backoff) {
            case Backoff.Exponential(Duration first, Duration cap, double factor, double jitter) ->
                out.kind("exponential")
                        .member("first", first)
                        .member("cap", cap)
                        .member("factor", factor)
                        .member("jitter", jitter)
                        .endObject();
            case Backoff.Fixed(List<Duration> delays) ->
                out.kind("fixed").list("delays", delays, DURATION).endObject();
        }
    }

    private static Backoff backoff(JsonObject in) {
        return switch (in.kind()) {
            case "exponential" ->
                new Backoff.Exponential(
                        in.duration("first"), in.duration("cap"), in.decimal("factor"), in.decimal("jitter"));
            case "fixed" -> new Backoff.Fixed(in.list("delays", DURATION));
            default -> throw Misread.unknown("a kind of backoff", in.kind());
        };
    }

    private static @Nullable TaskOptions noneIsNull(TaskOptions options) {
        return options.equals(TaskOptions.NONE) ? null : options;
    }

    private static TaskOptions options(JsonObject in) {
        TaskOptions options = in.getOrNull("options", OPTIONS);
        return options == null ? TaskOptions.NONE : options;
    }
}
