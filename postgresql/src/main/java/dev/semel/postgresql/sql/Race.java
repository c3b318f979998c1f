package dev.semel.postgresql.sql;

import java.sql.SQLException;

/**
 * A race that a transaction lost: what it has read has changed since, and everything is to be decided again. It has the
 * SQLSTATE of a serialization failure, and is retried like one.
 */
public final class Race extends SQLException {

    /** The SQLSTATE of a serialization failure. */
    static final String SQL_STATE = "40001";

    private static final long serialVersionUID = 1L;

    private final boolean lost;

    public Race(String what) {
        this(what, false);
    }

    private Race(String what, boolean lost) {
        super(what, SQL_STATE);
        this.lost = lost;
    }

    /** Returns the race for a row that another transaction has inserted and committed. */
    public static Race lost(String what) {
        return new Race(what, true);
    }

    /** Returns whether another transaction has inserted and committed the row: a snapshot from before never shows it. */
    public boolean isLost() {
        return lost;
    }
}
