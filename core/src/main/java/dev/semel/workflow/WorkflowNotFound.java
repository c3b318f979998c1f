package dev.semel.workflow;

import dev.semel.task.SemelException;

/** Thrown when there is no workflow of this type and id: it was never started, or its data was deleted. */
public final class WorkflowNotFound extends SemelException {

    private static final long serialVersionUID = 1L;

    /** The id of the workflow. */
    private final String id;

    /**
     * Creates the exception.
     *
     * @param message what happened
     * @param id the id of the workflow
     */
    public WorkflowNotFound(String message, String id) {
        super(message);
        this.id = id;
    }

    /** {@return the id of the workflow} */
    public String id() {
        return id;
    }
}
