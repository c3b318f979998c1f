package dev.semel.task;

import org.jspecify.annotations.Nullable;

/** The decision about one submission that has a key. */
public sealed interface Decision {

    /** Creates the first task of this identity. */
    record Create() implements Decision {}

    /**
     * Returns the existing task.
     *
     * @param inputDiffers whether the new input is different and the policy only warns
     */
    record Return(boolean inputDiffers) implements Decision {}

    /**
     * Rejects the submission, with an error that names the existing task.
     *
     * @param inputDiffers whether the new input is different and the policy only warns
     */
    record Reject(boolean inputDiffers) implements Decision {}

    /**
     * Creates a new task under the same identity. The old task has ended and is kept as history.
     *
     * @param run the new task's run
     * @param sameLineage whether the new task continues the old one, with its tokens and recorded effects: true after
     *     an end without success, false after success, because a rerun is new work then
     */
    record Rerun(int run, boolean sameLineage) implements Decision {}

    /**
     * Cancels the open task and creates a new one, which becomes due when the old one has ended.
     *
     * @param run the new task's run
     */
    record Replace(int run) implements Decision {}

    /** Rejects the submission, because the same identity was used with a different input or type. */
    record Conflict() implements Decision {}

    /**
     * The attributes of an identity's existing task that the decision depends on.
     *
     * @param type its task type
     * @param inputHash the hash of its input
     * @param state its state; if the task's data was deleted, the state in the record
     * @param run its run
     * @param windowPassed whether the record's window has passed by the store's clock
     */
    record Existing(String type, InputHash inputHash, TaskState state, int run, boolean windowPassed) {}

    /**
     * The attributes of a submission that the decision depends on.
     *
     * @param type its task type
     * @param inputHash the hash of its input
     */
    record Request(String type, InputHash inputHash) {}

    /**
     * Decides whether a submission creates a task, returns the existing one or is rejected.
     *
     * <p>The inputs are compared before the policy's rule is applied if that rule is RETURN, REJECT, or RERUN after an
     * end without success. REPLACE and RERUN after success accept any new input. A repeated send of the same task id
     * never reaches this method: the store recognises it first.
     *
     * @param existing the existing task of the identity, or null if there is no record
     * @param request the submission
     * @param policy the rule for each state
     * @return the decision; it depends on the arguments only
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

    /** Compares the inputs before the rule of the state is applied. */
    private static Decision compared(Decision rule, Existing existing, Request request, ReusePolicy policy) {
        if (existing.inputHash().equals(request.inputHash()) && existing.type().equals(request.type())) {
            return rule;
        }
        return switch (policy.otherInput()) {
            case CONFLICT -> new Conflict();
            case IGNORE -> rule;
            // WARN returns the existing task instead of rerunning it: a rerun would mix two inputs in one lineage.
            case WARN -> rule instanceof Reject ? new Reject(true) : new Return(true);
        };
    }
}
