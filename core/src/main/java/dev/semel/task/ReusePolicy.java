package dev.semel.task;

/**
 * What becomes of a submission whose identity has a task already.
 *
 * @param pending what to do while that task is pending
 * @param running what to do while it is running
 * @param waiting what to do while it is waiting
 * @param completed what to do after it completed
 * @param failed what to do after it failed
 * @param cancelled what to do after it was cancelled
 * @param timedOut what to do after it timed out
 * @param otherInput what to do first when the new input or type is another one
 */
public record ReusePolicy(
        WhileOpen pending,
        WhileOpen running,
        WhileOpen waiting,
        AfterEnd completed,
        AfterEnd failed,
        AfterEnd cancelled,
        AfterEnd timedOut,
        OtherInput otherInput) {

    /** What to do while the existing task is open. */
    public enum WhileOpen {
        /** Answer with the existing task. */
        RETURN,
        /** Answer with an error that names it. */
        REJECT,
        /** Cancel it and make a new task, due when the old one has really ended. */
        REPLACE
    }

    /** What to do after the existing task has ended. */
    public enum AfterEnd {
        /** Answer with the existing task and its stored outcome. */
        RETURN,
        /** Answer with an error that names it. */
        REJECT,
        /** Make a new task under the same identity and keep the old one as history. */
        RERUN
    }

    /** What to do when the same identity comes with another input or type. */
    public enum OtherInput {
        /** Answer with an error; nothing changes. */
        CONFLICT,
        /** Answer with the existing task and say that the input differs. */
        WARN,
        /** Go on as if the input were the same. */
        IGNORE
    }

    /**
     * The default: an open or completed task is returned, one that ended without success is run again.
     *
     * @return the policy
     */
    public static ReusePolicy allowFailedOnly() {
        return of(WhileOpen.RETURN, AfterEnd.RETURN, AfterEnd.RERUN);
    }

    /**
     * Never a second task within the window, whatever became of the first.
     *
     * @return the policy
     */
    public static ReusePolicy never() {
        return of(WhileOpen.RETURN, AfterEnd.RETURN, AfterEnd.RETURN);
    }

    /**
     * One at a time: an open task is returned, a finished one is run again, successful or not.
     *
     * @return the policy
     */
    public static ReusePolicy afterFinish() {
        return of(WhileOpen.RETURN, AfterEnd.RERUN, AfterEnd.RERUN);
    }

    /**
     * A policy that treats all open states alike and all ends without success alike, and answers other input with a
     * conflict.
     *
     * @param open what to do while the existing task is open
     * @param completed what to do after it completed
     * @param unsuccessful what to do after it failed, was cancelled or timed out
     * @return the policy
     */
    public static ReusePolicy of(WhileOpen open, AfterEnd completed, AfterEnd unsuccessful) {
        return new ReusePolicy(
                open, open, open, completed, unsuccessful, unsuccessful, unsuccessful, OtherInput.CONFLICT);
    }

    /**
     * This policy with another answer to other input.
     *
     * @param answer the answer
     * @return a new policy
     */
    public ReusePolicy onOtherInput(OtherInput answer) {
        return new ReusePolicy(pending, running, waiting, completed, failed, cancelled, timedOut, answer);
    }
}
