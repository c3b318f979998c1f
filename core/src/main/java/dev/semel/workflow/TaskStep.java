package dev.semel.workflow;

import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/** A step that is a task. */
final class TaskStep<O extends @Nullable Object> extends Step<O> {

    private final Turn turn;
    private final TaskType<?, O> type;
    private final int line;
    private final @Nullable ChildPolicy policy;

    TaskStep(Turn turn, TaskType<?, O> type, int line, @Nullable ChildPolicy policy) {
        this.turn = turn;
        this.type = type;
        this.line = line;
        this.policy = policy;
    }

    @Override
    public O result() {
        return turn.result(this);
    }

    @Override
    public TaskId taskId() {
        return turn.taskOf(this);
    }

    TaskType<?, O> type() {
        return type;
    }

    /** What happens to it when the workflow ends; null for a step that is no child workflow. */
    @Nullable
    ChildPolicy policy() {
        return policy;
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
