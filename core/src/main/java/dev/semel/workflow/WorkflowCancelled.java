package dev.semel.workflow;

import dev.semel.task.SemelException;

/**
 * The cancellation of a workflow was requested, and the steps that it had started and that nobody else waits for have ended. The code
 * may catch this to clean up, with further steps if needed; if it passes it on, the workflow ends as cancelled.
 */
public final class WorkflowCancelled extends SemelException {

    private static final long serialVersionUID = 1L;

    WorkflowCancelled(String message) {
        super(message);
    }
}
