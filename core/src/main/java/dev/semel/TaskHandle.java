package dev.semel;

import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.task.InvalidInput;
import dev.semel.task.ResultGone;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.task.TypeRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handle of a task that was submitted in this or another process.
 *
 * @param <O> the class of its output
 */
public final class TaskHandle<O extends @Nullable Object> {

    private final TaskId taskId;
    private final TypeRef<O> output;
    private final Semel semel;
    private final boolean known;

    /** Creates a handle. If the task is known to have existed, its absence means that its data was deleted. */
    TaskHandle(TaskId taskId, TypeRef<O> output, Semel semel, boolean known) {
        this.taskId = taskId;
        this.output = output;
        this.semel = semel;
        this.known = known;
    }

    /** {@return the id of the task} */
    public TaskId taskId() {
        return taskId;
    }

    /**
     * Looks up the state of the task.
     *
     * @return its state now
     * @throws ResultGone if its data is no longer stored
     * @throws TaskNotFound if there is no such task
     */
    public TaskState state() {
        return semel.tasks().find(taskId).orElseThrow(() -> absent(false)).state();
    }

    /**
     * Looks up the attempts of the task.
     *
     * @return its attempts, oldest first; empty if it has not started, or its data is no longer stored
     */
    public List<Attempt> attempts() {
        return semel.tasks().attempts(taskId);
    }

    /**
     * Cancels the task. See {@link Operations#cancel}.
     *
     * @return the outcome; a running task is only asked to cancel
     * @throws TaskNotFound if there is no such task
     */
    public Operations.Cancellation cancel() {
        return semel.operations().cancel(taskId);
    }

    /**
     * Returns a stage that completes when the task ends: with its result, or with the exception that {@link #result}
     * would throw. The task is looked up without a thread that waits. Actions of the stage run on a virtual thread.
     *
     * @return the stage; it completes with {@link dev.semel.task.StoreUnusable} if the instance is closed before
     */
    public CompletionStage<O> completion() {
        CompletableFuture<O> completion = new CompletableFuture<>();
        CompletableFuture<Optional<Task>> unused = semel.results()
                .ended(taskId)
                .whenComplete((ended, thrown) -> Thread.ofVirtual()
                        .name("semel-completion")
                        .start(
                                thrown == null
                                        ? () -> complete(completion, ended)
                                        : () -> completion.completeExceptionally(cause(thrown))));
        return completion.minimalCompletionStage();
    }

    private void complete(CompletableFuture<O> completion, Optional<Task> ended) {
        try {
            completion.complete(result(ended, false));
        } catch (Throwable e) {
            completion.completeExceptionally(e);
        }
    }

    private static Throwable cause(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : null;
        return cause == null ? thrown : cause;
    }

    /**
     * Waits for the task to end and returns its result, which is the same stored value for every caller.
     *
     * @param timeout how long to wait
     * @return the result; null if the handler returned none
     * @throws dev.semel.task.ResultNotReady if the task has not ended in time
     * @throws TaskUnsuccessful if it ended without success
     * @throws ResultGone if its data is no longer stored
     * @throws TaskNotFound if there is no such task
     */
    public O result(Duration timeout) {
        return result(timeout, false);
    }

    O result(Duration timeout, boolean provisional) {
        return result(semel.results().await(taskId, timeout), provisional);
    }

    private O result(Optional<Task> ended, boolean provisional) {
        if (ended.isEmpty()) {
            throw absent(provisional);
        }
        Task task = ended.get();
        if (task.state() != TaskState.COMPLETED) {
            String error = task.progress().lastError();
            throw new TaskUnsuccessful(
                    "Task " + taskId + " of type \"" + task.type() + "\" ended as "
                            + task.state().word() + " after "
                            + task.progress().attempt()
                            + (task.progress().attempt() == 1 ? " attempt" : " attempts") + ". Its last error: "
                            + (error == null
                                    ? "none"
                                    : error.lines().findFirst().orElse("none")),
                    taskId,
                    task.state(),
                    error);
        }
        if (task.dataGone()) {
            throw gone();
        }
        String result = task.progress().result();
        return semel.codec().decode(result == null ? "null" : result, output);
    }

    private ResultGone gone() {
        return new ResultGone(
                "The result of task " + taskId
                        + " is no longer stored. Read results sooner, or set a longer retention for the queue.",
                taskId);
    }

    private RuntimeException absent(boolean provisional) {
        if (provisional) {
            return new InvalidInput("Task " + taskId
                    + " was submitted inside a transaction that has not committed, so it cannot have a"
                    + " result. Commit first, then wait for the result.");
        }
        return known
                ? gone()
                : new TaskNotFound("There is no task " + taskId + ", or its data is no longer stored.", taskId);
    }

    /** {@return the id of the task and the type of its output} */
    @Override
    public String toString() {
        return "TaskHandle[" + taskId + ", " + output + "]";
    }
}
