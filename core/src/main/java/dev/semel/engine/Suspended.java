package dev.semel.engine;

/**
 * The error that unwinds the code of a workflow that waits. It is no exception, so that code that catches exceptions does not stop
 * it; if it is caught nevertheless, the workflow waits all the same.
 */
public final class Suspended extends Error {

    private static final long serialVersionUID = 1L;

    Suspended(String message) {
        super(message, null, false, false);
    }
}
