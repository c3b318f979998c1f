package dev.semel.cli;

/** The exit codes of commands. */
final class ExitCode {

    /** The command succeeded. */
    static final int DONE = 0;

    /** The task, a check or a promise failed, or the result was not ready in time. */
    static final int FAILED = 1;

    /** Wrong usage or bad input; nothing was stored. */
    static final int BAD_INPUT = 2;

    /** The key was used before with different input. */
    static final int CONFLICT = 3;

    /**
     * Refused because of the current state: the key has a task, is held or belongs to a newer task; or the task has
     * ended.
     */
    static final int EXISTS = 4;

    /** There is no such task or key, or its data is deleted. */
    static final int NOT_FOUND = 5;

    /** The store did not answer or cannot be used. */
    static final int STORE_UNAVAILABLE = 6;

    private ExitCode() {}
}
