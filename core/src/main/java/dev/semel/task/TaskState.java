package dev.semel.task;

import java.util.Locale;

/** Where a task stands in its life. */
public enum TaskState {
    /** Not claimed; claimable from its due time on. */
    PENDING,
    /** Claimed by a worker that holds a lease. */
    RUNNING,
    /** Open, but holding no lease, slot or thread: it goes on when somebody wakes it. */
    WAITING,
    /** Ended well; its result, if any, is stored. */
    COMPLETED,
    /** Ended badly: its budget is used up, or the handler said that no retry would help. */
    FAILED,
    /** Ended because somebody asked for it. */
    CANCELLED,
    /** Ended because its last allowed attempt ran longer than the type's timeout. */
    TIMED_OUT;

    /**
     * Tells whether the task may still run, and therefore holds its key whatever the window says.
     *
     * @return whether it is pending, running or waiting
     */
    public boolean isOpen() {
        return this == PENDING || this == RUNNING || this == WAITING;
    }

    /**
     * Tells whether the task is a dead letter: it ended without success and nobody asked for that.
     *
     * @return whether it is failed or timed out
     */
    public boolean isDead() {
        return this == FAILED || this == TIMED_OUT;
    }

    /**
     * The word for this state outside of Java: in SQL, JSON and on the command line.
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
