package dev.semel.store;

import dev.semel.task.TaskState;

/**
 * What a request to cancel does to a task. It comes from an operator, a submitter, or a submission that replaces the task.
 * The rule is pure, and every store calls it inside its atomic section.
 */
public enum CancelDecision {
    /** The task is cancelled at once, without an attempt that could still report anything. */
    END(Operated.APPLIED),
    /** The cancellation is recorded; the task stays open until its attempt ends or vanishes. */
    ASK(Operated.CANCEL_REQUESTED),
    /** Nothing changes: the task is cancelled already. */
    DONE_BEFORE(Operated.APPLIED),
    /** Nothing changes: the task has ended in another way. */
    TOO_LATE(Operated.STALE);

    private final Operated answer;

    CancelDecision(Operated answer) {
        this.answer = answer;
    }

    /**
     * Decides.
     *
     * @param state the state of the task
     * @return what the store does
     */
    public static CancelDecision of(TaskState state) {
        return switch (state) {
            case PENDING, WAITING -> END;
            case RUNNING -> ASK;
            case CANCELLED -> DONE_BEFORE;
            case COMPLETED, FAILED, TIMED_OUT -> TOO_LATE;
        };
    }

    /**
     * The answer to the request.
     *
     * @return the same for the first send and for a repeated one
     */
    public Operated answer() {
        return answer;
    }
}
