package dev.semel.server.api;

import dev.semel.server.json.JsonText;
import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.KeyRecord;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.Scope;
import java.util.List;

/** Tasks, attempts, effects and keys as JSON, with the names that the command line uses. */
final class TaskJson {

    private TaskJson() {}

    static JsonText summary(Task task) {
        Task.Progress progress = task.progress();
        Identity identity = task.identity();
        return new JsonText()
                .put("task_id", task.id().toString())
                .put("state", task.state().word())
                .put("tenant", task.tenant())
                .put("queue", task.queue())
                .put("type", task.type())
                .put("key", identity == null ? null : identity.key())
                .put("scope", identity == null ? null : scope(identity))
                .put("run", task.run())
                .put("lineage", task.lineage().toString())
                .put("priority", task.options().priority())
                .put("attempt", progress.attempt())
                .put("failures", progress.failures())
                .put("vanished", progress.vanished())
                .put("cancel_requested", progress.cancelRequested())
                .put("created_at", task.createdAt())
                .put("due_at", progress.dueAt())
                .put("finished_at", progress.finishedAt())
                .put("last_error", progress.lastError());
    }

    static JsonText whole(Task task, List<Attempt> attempts) {
        var timeout = task.options().timeout();
        var retry = task.options().retry();
        var limits = task.options().limits();
        JsonText json = summary(task);
        if (task.dataGone()) {
            json.put("data_gone", true);
        }
        return json.put("mutex", task.options().mutex())
                .put("timeout", timeout == null ? null : Durations.text(timeout))
                .put("retry", retry == null ? null : retry.text())
                .put("start_by", limits == null ? null : limits.startBy(task.createdAt()))
                .put("deadline", limits == null ? null : limits.deadline(task.createdAt()))
                .put("tags", task.options().tags())
                .raw("input", task.input())
                .raw("result", task.progress().result())
                .objects("attempts", attempts.stream().map(TaskJson::attempt).toList());
    }

    private static JsonText attempt(Attempt attempt) {
        Attempt.Outcome outcome = attempt.outcome();
        return new JsonText()
                .put("number", attempt.number())
                .put("worker", attempt.worker())
                .put("started_at", attempt.startedAt())
                .put("ended_at", attempt.endedAt())
                .put("outcome", outcome == null ? null : outcome.word())
                .put("error", attempt.error());
    }

    static JsonText effect(EffectRecord effect) {
        Resolution resolution = effect.resolution();
        var how = effect.how();
        return new JsonText()
                .put("lineage", effect.id().lineage().toString())
                .put("effect", effect.id().label())
                .put("state", effect.state().word())
                .put("task_id", effect.by().taskId().toString())
                .put("attempt", effect.by().attempt())
                .put("intended_at", effect.intendedAt())
                .put("window_end", effect.windowEnd())
                .put("window_passed", effect.windowPassed())
                .put("settled_at", effect.settledAt())
                .put("how", how == null ? null : how.name().toLowerCase(java.util.Locale.ROOT))
                .put("note", effect.note())
                .put("resolved_by", resolution == null ? null : resolution.by())
                .put(
                        "resolution",
                        resolution == null ? null : resolution.verdict().word())
                .put("reason", resolution == null ? null : resolution.reason());
    }

    static JsonText key(KeyRecord record) {
        return new JsonText()
                .put("key", record.identity().key())
                .put("scope", scope(record.identity()))
                .put("scope_name", record.identity().scopeName())
                .put("tenant", record.identity().tenant())
                .put("task_id", record.taskId().toString())
                .put("type", record.type())
                .put("state", record.state().word())
                .put("run", record.run())
                .put("created_at", record.createdAt())
                .put("expires_at", record.expiresAt())
                .put("window_passed", record.windowPassed())
                .put("finished_at", record.finishedAt())
                .put("data_gone", record.dataGone())
                .put("input_hash", record.inputHash().toString())
                .put("duplicates", record.duplicates())
                .put("last_duplicate_at", record.lastDuplicateAt());
    }

    static String scope(Identity identity) {
        return identity.scopeKind() == Scope.Kind.CUSTOM
                ? "custom:" + identity.scopeName()
                : identity.scopeKind().word();
    }
}
