package dev.semel.workflow;

import dev.semel.task.SemelException;

/**
 * The cancellation of a workflow was requested, or its time limit has passed, and the steps that it had started and that nobody else waits for have ended. The code
 * may catch this to clean up, with further steps if needed; if it passes it on, the workflow ends as cancelled, or as timed out.
 */
public final class WorkflowCancelled extends SemelException {

    private static final long serialVersionUID = 1L;

    /** Whether the time limit has passed. */
    private final boolean timedOut;

    WorkflowCancelled(String message, boolean timedOut) {
        super(message);
        this.timedOut = timedOut;
    }

    /** {@return whether this is because the time limit of the workflow has passed, and not because of a request} */
    public boolean isTimedOut() {
        return timedOut;
    }
}
