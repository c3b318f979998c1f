package dev.semel.task;

import java.util.Locale;

/** The state of a task. */
public enum TaskState {
    /** Not claimed; claimable from its due time on. */
    PENDING,
    /** Claimed by a worker that holds a lease. */
    RUNNING,
    /** Open, but without a lease, slot or thread; continues when it is woken. */
    WAITING,
    /** Ended with success; its result, if any, is stored. */
    COMPLETED,
    /** Ended without success: its retry budget is used up, or it failed permanently. */
    FAILED,
    /** Ended by a request to cancel it. */
    CANCELLED,
    /** Ended because its last allowed attempt ran longer than the type's timeout. */
    TIMED_OUT;

    /**
     * Returns whether the task may still run, and therefore holds its key even if the window has passed.
     *
     * @return whether it is pending, running or waiting
     */
    public boolean isOpen() {
        return this == PENDING || this == RUNNING || this == WAITING;
    }

    /**
     * Returns whether the task is a dead letter: it ended without success and was not cancelled.
     *
     * @return whether it is failed or timed out
     */
    public boolean isDead() {
        return this == FAILED || this == TIMED_OUT;
    }

    /**
     * Returns the word for this state outside of Java: in SQL, JSON and on the command line.
     *
     * @return the name in lower case, for example {@code timed_out}
     */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a state from its word.
     *
     * @param word as {@link #word} gives it
     * @return the state
     * @throws InvalidInput if there is no such state
     */
    public static TaskState parse(String word) {
        for (TaskState state : values()) {
            if (state.word().equals(word)) {
                return state;
            }
        }
        throw new InvalidInput("A state is one of pending, running, waiting, completed, failed, cancelled, timed_out,"
                + " but got \"" + Limits.shown(word) + "\".");
    }
}
