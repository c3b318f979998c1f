package dev.semel.workflow;

import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/**
 * A step that was started.
 *
 * @param <O> the class of its result
 */
public final class Step<O extends @Nullable Object> {

    private final Turn turn;
    private final TaskType<?, O> type;
    private final int line;

    Step(Turn turn, TaskType<?, O> type, int line) {
        this.turn = turn;
        this.type = type;
        this.line = line;
    }

    /**
     * Waits until the step has ended.
     *
     * @return its result
     * @throws dev.semel.task.TaskUnsuccessful if it ended without success
     */
    public O result() {
        return turn.result(this);
    }

    /**
     * Returns the task of the step. If the step has a key, this waits until the store has decided about it.
     *
     * @return its id
     */
    public TaskId taskId() {
        return turn.taskOf(this);
    }

    TaskType<?, O> type() {
        return type;
    }

    /** The number of the line that started it. */
    int line() {
        return line;
    }

    /** {@return the task type and the number of the line in the history} */
    @Override
    public String toString() {
        return "Step[" + type.name() + ", line " + line + "]";
    }
}
