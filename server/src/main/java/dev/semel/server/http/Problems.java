package dev.semel.server.http;

import dev.semel.server.json.JsonText;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.InvalidInput;
import dev.semel.task.LeaseLost;
import dev.semel.task.ResultGone;
import dev.semel.task.ResultNotReady;
import dev.semel.task.ScheduleNotFound;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskAlreadyCompleted;
import dev.semel.task.TaskAlreadyExists;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.WorkflowNotFound;
import java.util.Collection;
import java.util.stream.Collectors;

/** Which problem an exception becomes. The table is in the reference of the HTTP API, and a test compares the two. */
public final class Problems {

    private Problems() {}

    /**
     * Returns the problem that reports an exception.
     *
     * @param thrown the exception
     * @return the problem; of an exception that is not Semel's, one that says nothing about it
     */
    public static Problem of(Throwable thrown) {
        return switch (thrown) {
            case Problem problem -> problem;
            case SemelException known -> known(known);
            default -> internal();
        };
    }

    private static Problem known(SemelException thrown) {
        String said = thrown.getMessage() == null ? "" : thrown.getMessage();
        return switch (thrown) {
            case IdempotencyConflict e ->
                new Problem(422, "idempotency-conflict", said)
                        .with("existing_task_id", e.existingTaskId().toString())
                        .with("existing_status", e.status().word())
                        .with("existing_hash", e.existingHash().toString())
                        .with("request_hash", e.requestHash().toString())
                        .withRaw("differing_paths", strings(e.differingPaths()));
            case TaskAlreadyCompleted e ->
                new Problem(409, "task-already-completed", said)
                        .with("existing_task_id", e.existingTaskId().toString())
                        .with("existing_status", "completed")
                        .with("completed_at", e.completedAt().toString())
                        .withRaw("result", e.result().orElse(null));
            case TaskAlreadyExists e ->
                new Problem(409, "task-already-exists", said)
                        .with("existing_task_id", e.existingTaskId().toString())
                        .with("existing_status", e.status().word());
            case TaskAlreadyFinished e ->
                new Problem(409, "task-already-finished", said)
                        .with("existing_task_id", e.existingTaskId().toString())
                        .with("existing_status", e.status().word())
                        .with("finished_at", e.finishedAt().toString());
            case TaskUnsuccessful e ->
                new Problem(409, "task-unsuccessful", said)
                        .with("task_id", e.taskId().toString())
                        .with("state", e.status().word())
                        .with("last_error", e.lastError().orElse(null));
            case InvalidInput e -> new Problem(400, "invalid-input", said);
            case TaskNotFound e -> new Problem(404, "not-found", said);
            case WorkflowNotFound e -> new Problem(404, "not-found", said);
            case ScheduleNotFound e -> new Problem(404, "not-found", said);
            case ResultGone e -> new Problem(410, "result-gone", said);
            case ResultNotReady e -> new Problem(503, "result-not-ready", said).header("Retry-After", "1");
            case LeaseLost e -> new Problem(409, "lease-lost", said);
            case StoreUnavailable e ->
                new Problem(503, "store-unavailable", "The store does not answer. Send the same request again.")
                        .header("Retry-After", "1");
            case StoreUnusable e ->
                new Problem(503, "store-unusable", "The store cannot be used. Its operator has to act.");
            default -> internal();
        };
    }

    static Problem internal() {
        return new Problem(
                500, "internal-error", "The server failed. Its log has more under the id of this request. Report it.");
    }

    private static String strings(Collection<String> values) {
        return values.stream().map(JsonText::quoted).collect(Collectors.joining(",", "[", "]"));
    }
}
