package dev.semel.task;

/**
 * The right of one worker to run one attempt of a task. Every settlement of the worker carries it, exactly as the claim
 * returned it.
 *
 * <p>Task and attempt are the fence: a store applies a settlement to this attempt of this task or to nothing. The claim is
 * only an address that tells a store where to look. A store that needs it to find the attempt answers a settlement with another
 * claim as stale; a store that does not need it may ignore it.
 *
 * @param taskId the task
 * @param attempt the attempt: it rises with every claim and never falls, so it fences off every earlier attempt
 * @param claim the number of the claim that began the attempt
 */
public record Lease(TaskId taskId, int attempt, long claim) {

    /**
     * The name of the attempt, without the address.
     *
     * @return task and attempt: what is fenced
     */
    public AttemptId attemptId() {
        return new AttemptId(taskId, attempt);
    }
}
