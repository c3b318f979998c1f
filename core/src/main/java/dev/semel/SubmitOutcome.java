package dev.semel;

import dev.semel.task.SemelException;
import org.jspecify.annotations.Nullable;

/**
 * What became of one item of a batch.
 *
 * @param <O> the class of the task's output
 */
public sealed interface SubmitOutcome<O extends @Nullable Object> {

    /**
     * The submission was taken: a new task, or the one that stands for it already.
     *
     * @param submission the answer
     * @param <O> the class of the task's output
     */
    record Accepted<O extends @Nullable Object>(Submission<O> submission) implements SubmitOutcome<O> {}

    /**
     * The submission was refused: a conflict, a rejection or a wrong value. Its neighbours are not affected.
     *
     * @param error what {@link SubmissionRequest#send} would have thrown
     * @param <O> the class of the task's output
     */
    record Refused<O extends @Nullable Object>(SemelException error) implements SubmitOutcome<O> {}

    /**
     * The answer, or the exception that the single submission would have thrown.
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
