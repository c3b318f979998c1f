package dev.semel.cli;

import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.Scope;
import org.jspecify.annotations.Nullable;

/** A task as JSON: the same names as in the HTTP API. */
final class TaskJson {

    private TaskJson() {}

    /** Returns a task as in a listing: everything except its documents and its history. */
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

    /** Returns everything that is stored about a task. */
    static JsonText whole(TaskHistory history, boolean tokens) {
        Task task = history.task();
        var timeout = task.options().timeout();
        var retry = task.options().retry();
        var limits = task.options().limits();
        var workflow = task.options().workflow();
        var total = workflow == null ? null : workflow.timeLimit();
        JsonText json = summary(task);
        if (task.dataGone()) {
            json.put("data_gone", true);
        }
        return json.put("mutex", task.options().mutex())
                .put("timeout", timeout == null ? null : Durations.text(timeout))
                .put("retry", retry == null ? null : retry.text())
                .put("start_by", limits == null ? null : limits.startBy(task.createdAt()))
                .put("deadline", limits == null ? null : limits.deadline(task.createdAt()))
                .put("time_limit", total == null ? null : Durations.text(total))
                .put("tags", task.options().tags())
                .raw("input", task.input())
                .raw("result", task.progress().result())
                .put(
                        "parked_for",
                        history.parkedFor().map(effect -> effect.id().label()).orElse(null))
                .objects(
                        "attempts",
                        history.attempts().stream().map(TaskJson::attempt).toList())
                .objects(
                        "effects",
                        history.effects().stream()
                                .map(effect -> EffectJson.of(effect, tokens))
                                .toList());
    }

    static JsonText attempt(Attempt attempt) {
        return new JsonText()
                .put("number", attempt.number())
                .put("worker", attempt.worker())
                .put("started_at", attempt.startedAt())
                .put("ended_at", attempt.endedAt())
                .put("outcome", outcome(attempt))
                .put("error", attempt.error());
    }

    static @Nullable String outcome(Attempt attempt) {
        Attempt.Outcome outcome = attempt.outcome();
        return outcome == null ? null : outcome.word();
    }

    /** Returns the scope in the form that {@code --scope} takes. */
    static String scope(Identity identity) {
        return identity.scopeKind() == Scope.Kind.CUSTOM
                ? "custom:" + identity.scopeName()
                : identity.scopeKind().word();
    }
}
