package dev.semel.task;

import org.jspecify.annotations.Nullable;

/** What becomes of one submission that has a key. */
public sealed interface Decision {

    /** Make the first task of this identity. */
    record Create() implements Decision {}

    /**
     * Answer with the existing task.
     *
     * @param inputDiffers whether the new input is another one and the policy only warns
     */
    record Return(boolean inputDiffers) implements Decision {}

    /**
     * Refuse, and name the existing task.
     *
     * @param inputDiffers whether the new input is another one and the policy only warns
     */
    record Reject(boolean inputDiffers) implements Decision {}

    /**
     * Make a new task under the same identity; the old one has ended and stays as history.
     *
     * @param run the new task's run
     * @param sameLineage whether the new task continues the old one, with its tokens and recorded effects: after an end
     *     without success it does, after success it is new work
     */
    record Rerun(int run, boolean sameLineage) implements Decision {}

    /**
     * Cancel the open task and make a new one, due when the old one has really ended.
     *
     * @param run the new task's run
     */
    record Replace(int run) implements Decision {}

    /** Refuse, because the same identity was used with another input or type. */
    record Conflict() implements Decision {}

    /**
     * The task that an identity has already, as far as the decision needs it.
     *
     * @param type its task type
     * @param inputHash the hash of its input
     * @param state its state; for a task whose data has gone, the state that its record remembers
     * @param run its run
     * @param windowPassed whether the record's window has passed by the store's clock
     */
    record Existing(String type, InputHash inputHash, TaskState state, int run, boolean windowPassed) {}

    /**
     * The submission, as far as the decision needs it.
     *
     * @param type its task type
     * @param inputHash the hash of its input
     */
    record Request(String type, InputHash inputHash) {}

    /**
     * Decides what becomes of a submission.
     *
     * <p>The input is compared before the policy's word counts wherever that word is RETURN, REJECT, or RERUN after an
     * end without success; REPLACE and RERUN after success take the new input whatever it is. A repeated send of the very
     * same task id never comes here: the store recognises it first.
     *
     * @param existing the task that the identity has, or null where there is no record
     * @param request the submission
     * @param policy what to do in which state
     * @return the decision; the same for the same arguments, always
     */
    static Decision decide(@Nullable Existing existing, Request request, ReusePolicy policy) {
        if (existing == null || (existing.windowPassed() && !existing.state().isOpen())) {
            return new Create();
        }
        return switch (existing.state()) {
            case PENDING -> whileOpen(policy.pending(), existing, request, policy);
            case RUNNING -> whileOpen(policy.running(), existing, request, policy);
            case WAITING -> whileOpen(policy.waiting(), existing, request, policy);
            case COMPLETED ->
                policy.completed() == ReusePolicy.AfterEnd.RERUN
                        ? new Rerun(existing.run() + 1, false)
                        : compared(afterEnd(policy.completed(), existing), existing, request, policy);
            case FAILED -> compared(afterEnd(policy.failed(), existing), existing, request, policy);
            case CANCELLED -> compared(afterEnd(policy.cancelled(), existing), existing, request, policy);
            case TIMED_OUT -> compared(afterEnd(policy.timedOut(), existing), existing, request, policy);
        };
    }

    private static Decision whileOpen(
            ReusePolicy.WhileOpen rule, Existing existing, Request request, ReusePolicy policy) {
        return switch (rule) {
            case RETURN -> compared(new Return(false), existing, request, policy);
            case REJECT -> compared(new Reject(false), existing, request, policy);
            case REPLACE -> new Replace(existing.run() + 1);
        };
    }

    private static Decision afterEnd(ReusePolicy.AfterEnd rule, Existing existing) {
        return switch (rule) {
            case RETURN -> new Return(false);
            case REJECT -> new Reject(false);
            case RERUN -> new Rerun(existing.run() + 1, true);
        };
    }

    /** Puts the comparison of the input before what the state's rule would do. */
    private static Decision compared(Decision rule, Existing existing, Request request, ReusePolicy policy) {
        if (existing.inputHash().equals(request.inputHash()) && existing.type().equals(request.type())) {
            return rule;
        }
        return switch (policy.otherInput()) {
            case CONFLICT -> new Conflict();
            case IGNORE -> rule;
            // A caller that is only warned gets the existing task: a rerun would mix two inputs in one lineage.
            case WARN -> rule instanceof Reject ? new Reject(true) : new Return(true);
        };
    }
}
