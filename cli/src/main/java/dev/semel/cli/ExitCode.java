package dev.semel.cli;

/** What a command tells the shell. */
final class ExitCode {

    /** All is well. */
    static final int DONE = 0;

    /** The task, a check or a promise failed, or its result did not come in time. */
    static final int FAILED = 1;

    /** Wrong usage or bad input; nothing was stored. */
    static final int BAD_INPUT = 2;

    /** The key was used before with other input. */
    static final int CONFLICT = 3;

    /** Refused because of what exists: the key has a task, is held, or a newer task has it; the task has ended. */
    static final int EXISTS = 4;

    /** There is no such task or key, or its data has gone. */
    static final int NOT_FOUND = 5;

    /** The store did not answer or cannot be used. */
    static final int STORE_UNAVAILABLE = 6;

    private ExitCode() {}
}
