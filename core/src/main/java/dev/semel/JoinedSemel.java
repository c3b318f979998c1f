package dev.semel;

import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.CheckReturnValue;
import dev.semel.task.Limits;
import dev.semel.task.TaskType;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The entry point for submissions inside a JDBC transaction of the caller. Its answers are provisional until the
 * commit, and waiting for a result before the commit is an error. It never commits, rolls back or closes the
 * connection.
 */
public final class JoinedSemel {

    private final Semel semel;
    private final Sender sender;
    private final Runnable committed;

    JoinedSemel(Semel semel, Function<List<NewTask>, List<Submitted>> joined, Runnable committed) {
        this.semel = semel;
        this.committed = committed;
        this.sender = new Sender(semel, task -> joined.apply(List.of(task)).getFirst(), joined, true);
    }

    /**
     * Prepares a submission, as {@link Semel#submit} does.
     *
     * @param type the task type
     * @param input the input
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the request; nothing happens until it is sent
     */
    @CheckReturnValue
    public <I, O extends @Nullable Object> SubmissionRequest<I, O> submit(TaskType<I, O> type, I input) {
        return semel.request(() -> sender, type, input);
    }

    /**
     * Sends several submissions inside the transaction and returns one outcome per item, in order.
     *
     * @param requests the submissions
     * @param <O> the class of the output
     * @return as many outcomes as there are submissions
     */
    public <O extends @Nullable Object> List<SubmitOutcome<O>> submitAll(
            List<? extends SubmissionRequest<?, O>> requests) {
        return sender.sendAll(Limits.notNull("list of submissions", requests));
    }

    /**
     * Wakes the workers for the tasks that were submitted here. Call it after the transaction has committed; without it
     * workers on PostgreSQL find the tasks with their next poll. A SQLite store notices the commit by itself.
     */
    public void committed() {
        committed.run();
    }

    Sender sender() {
        return sender;
    }
}
