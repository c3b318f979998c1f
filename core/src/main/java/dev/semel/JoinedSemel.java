package dev.semel;

import dev.semel.store.Submitting;
import dev.semel.task.TaskType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Submits inside a JDBC transaction of the caller's own. What it answers is provisional until the commit, and asking for a
 * result before that is an error. It never commits, rolls back or closes the connection.
 */
public final class JoinedSemel {

    private final Semel semel;
    private final Sender sender;

    JoinedSemel(Semel semel, Submitting joined) {
        this.semel = semel;
        this.sender = new Sender(semel, task -> joined.submit(List.of(task)).getFirst(), joined, true);
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
    public <I, O extends @Nullable Object> SubmissionRequest<I, O> submit(TaskType<I, O> type, I input) {
        return semel.request(sender, type, input);
    }

    /**
     * Sends many submissions inside the transaction: one outcome per item, in order.
     *
     * @param requests the submissions
     * @param <O> the class of the output
     * @return as many outcomes as there are submissions
     */
    public <O extends @Nullable Object> List<SubmitOutcome<O>> submitAll(
            List<? extends SubmissionRequest<?, O>> requests) {
        return sender.sendAll(requests);
    }
}
