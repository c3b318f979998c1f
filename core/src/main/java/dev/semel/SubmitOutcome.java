package dev.semel;

import dev.semel.task.SemelException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one item of a batch.
 *
 * @param <O> the class of the task's output
 */
public sealed interface SubmitOutcome<O extends @Nullable Object> {

    /**
     * The submission was accepted: a task was created, or the existing one was returned.
     *
     * @param submission the answer
     * @param <O> the class of the task's output
     */
    record Accepted<O extends @Nullable Object>(Submission<O> submission) implements SubmitOutcome<O> {}

    /**
     * The submission was refused: a conflict, a rejection or an invalid value. The other items are not affected.
     *
     * @param error the exception that {@link SubmissionRequest#send} would have thrown
     * @param <O> the class of the task's output
     */
    record Refused<O extends @Nullable Object>(SemelException error) implements SubmitOutcome<O> {}

    /**
     * Returns the answer, or throws the exception that {@link SubmissionRequest#send} would have thrown.
     *
     * @return the answer
     */
    default Submission<O> submission() {
        return switch (this) {
            case Accepted<O>(Submission<O> submission) -> submission;
            case Refused<O>(SemelException error) -> throw error;
        };
    }
}
