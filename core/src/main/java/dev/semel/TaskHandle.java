package dev.semel;

import dev.semel.engine.Codec;
import dev.semel.engine.Results;
import dev.semel.store.Task;
import dev.semel.task.InvalidInput;
import dev.semel.task.ResultGone;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import dev.semel.task.TaskUnsuccessful;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A task that somebody submitted, in this process or another.
 *
 * @param <O> the class of its output
 */
public final class TaskHandle<O extends @Nullable Object> {

    private final TaskId taskId;
    private final Class<O> output;
    private final Results results;
    private final Codec codec;
    private final boolean known;

    /** A handle; known says that the task is known to have existed, so that its absence means that its data has gone. */
    TaskHandle(TaskId taskId, Class<O> output, Results results, Codec codec, boolean known) {
        this.taskId = taskId;
        this.output = output;
        this.results = results;
        this.codec = codec;
        this.known = known;
    }

    /**
     * The task.
     *
     * @return its id
     */
    public TaskId taskId() {
        return taskId;
    }

    /**
     * Waits for the task to end and gives its result: the same stored value for everybody who asks.
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
        Optional<Task> ended = results.await(taskId, timeout);
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
        return codec.decode(result == null ? "null" : result, output);
    }

    private ResultGone gone() {
        return new ResultGone("The result of task " + taskId + " is no longer stored.", taskId);
    }

    private RuntimeException absent(boolean provisional) {
        if (provisional) {
            return new InvalidInput(
                    "Task " + taskId + " was submitted inside a transaction that has not committed, so it"
                            + " cannot have a result. Commit first, then ask.");
        }
        return known
                ? gone()
                : new TaskNotFound("There is no task " + taskId + ", or its data is no longer stored.", taskId);
    }
}
