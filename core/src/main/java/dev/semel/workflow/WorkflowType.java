package dev.semel.workflow;

import dev.semel.engine.Handlers;
import dev.semel.engine.Replayed;
import dev.semel.engine.StepPreparer;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.Limits;
import dev.semel.task.TaskType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The named kind of a workflow. It is a task type whose key is the id of the workflow.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
public final class WorkflowType<I, O extends @Nullable Object> implements Replayed<I, O, WorkflowHandler<I, O>> {

    private final TaskType<I, O> type;

    private WorkflowType(TaskType<I, O> type) {
        this.type = type;
    }

    /**
     * Creates a type with the default settings.
     *
     * @param name its name
     * @param input the class of the input
     * @param output the class of the output
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the type
     */
    public static <I, O extends @Nullable Object> WorkflowType<I, O> of(String name, Class<I> input, Class<O> output) {
        return of(TaskType.builder(name, input, output)
                .identity(IdentityStrategy.callerProvided())
                .build());
    }

    /**
     * Makes a workflow type of a task type, for example of one with a queue or a retry policy.
     *
     * @param type the task type; its timeout is that of one turn, from one wait to the next
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the type
     */
    public static <I, O extends @Nullable Object> WorkflowType<I, O> of(TaskType<I, O> type) {
        Limits.notNull("task type", type);
        return new WorkflowType<>(type.isWorkflow() ? type : type.asWorkflow(null));
    }

    /**
     * Returns this type with a time limit of the whole workflow. When it has passed, the workflow is told to end, as by a cancellation: its
     * steps are cancelled, then its code gets {@link WorkflowCancelled} and may clean up. If it passes that on, it ends as timed out.
     *
     * @param limit how long after its start
     * @return the type with the limit
     */
    public WorkflowType<I, O> withTimeLimit(Duration limit) {
        return new WorkflowType<>(type.asWorkflow(Limits.positive("time limit", limit)));
    }

    /**
     * Returns the name of this type.
     *
     * @return the name
     */
    public String name() {
        return type.name();
    }

    /**
     * Returns the task type of the workflow's task.
     *
     * @return the task type
     */
    public TaskType<I, O> taskType() {
        return type;
    }

    @Override
    public void register(Handlers.Builder handlers, WorkflowHandler<I, O> handler, StepPreparer steps) {
        handlers.addReplayed(type, new Replayer<>(type, handler, steps));
    }

    /** {@return the name} */
    @Override
    public String toString() {
        return "WorkflowType[" + type.name() + "]";
    }
}
