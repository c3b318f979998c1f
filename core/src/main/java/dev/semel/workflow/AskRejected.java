package dev.semel.workflow;

import dev.semel.task.SemelException;

/** Thrown when the code of a workflow has rejected a question: its answerer threw an exception. Asked again with the same key, it is rejected again. */
public final class AskRejected extends SemelException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message why it was rejected
     */
    public AskRejected(String message) {
        super(message);
    }
}
