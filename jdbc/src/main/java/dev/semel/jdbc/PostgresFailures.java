package dev.semel.jdbc;

import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.sql.SQLException;
import java.util.Set;

/** Says what an error of PostgreSQL means: try again here, let the caller try again, or mend the set-up. By SQLSTATE only. */
final class PostgresFailures {

    static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String DEADLOCK = "40P01";
    private static final String UNIQUE_VIOLATION = "23505";

    // Statement or transaction time-out or an administrator's cancel; a server that starts, stops or has a full disk; a
    // standby that was asked to write while the primary moves.
    private static final Set<String> PASSING = Set.of("57014", "25P03", "25P04", "25006");

    private PostgresFailures() {}

    /** A race that was lost: what was read has changed, and everything is to be decided again. */
    static final class Race extends SQLException {

        private static final long serialVersionUID = 1L;

        private final boolean lost;

        Race(String what) {
            this(what, false);
        }

        private Race(String what, boolean lost) {
            super(what, SERIALIZATION_FAILURE);
            this.lost = lost;
        }

        /** The race for a row that somebody else has inserted and committed. */
        static Race lost(String what) {
            return new Race(what, true);
        }

        boolean isLost() {
            return lost;
        }
    }

    static String state(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }

    static boolean isLockTimeout(SQLException e) {
        return state(e).equals(LOCK_NOT_AVAILABLE);
    }

    /** Whether somebody else has inserted the same before. */
    static boolean isTaken(SQLException e) {
        return state(e).equals(UNIQUE_VIOLATION);
    }

    /** Whether nothing was done and the same transaction may well succeed if it is run again. */
    static boolean isWorthAnotherTry(SQLException e) {
        return state(e).equals(SERIALIZATION_FAILURE) || state(e).equals(DEADLOCK);
    }

    static boolean isSerializationFailure(SQLException e) {
        return state(e).equals(SERIALIZATION_FAILURE) && !(e instanceof Race);
    }

    static SemelException translated(String database, SQLException e) {
        String which = "The PostgreSQL store " + database + " ";
        String state = state(e);
        if (isWorthAnotherTry(e) || isLockTimeout(e)) {
            return new StoreUnavailable(
                    which + "is contended (SQLSTATE " + state
                            + "): other transactions hold what is needed. Try again, and"
                            + " look for transactions that stay open if it lasts.",
                    e);
        }
        if (state.startsWith("28") || state.equals("3D000") || state.equals("42501")) {
            return new StoreUnusable(
                    which + "refuses this user or has no such database (SQLSTATE " + state + ": " + e.getMessage()
                            + "). Look at the user, its password and its rights.",
                    e);
        }
        if (state.startsWith("08")
                || state.startsWith("53")
                || state.startsWith("57P")
                || state.startsWith("58")
                || PASSING.contains(state)
                || isPoolTimeout(e)) {
            return new StoreUnavailable(
                    which + "did not answer (SQLSTATE " + (state.isEmpty() ? "none" : state)
                            + "). Try again, and look at"
                            + " the server, the network and the size of the pool if it lasts.",
                    e);
        }
        return new StoreUnusable(
                which + "answered with SQLSTATE " + state + ": " + e.getMessage()
                        + ". Its tables are not those that this version of Semel made, or its server is too old; version"
                        + " 13 is the oldest.",
                e);
    }

    /**
     * Whether an error of a handler's statement comes from the server or the connection, and not from the statement. A lock that the
     * handler's own rows are under, or a deadlock of its own, is the handler's.
     */
    static boolean isOfServer(SQLException e) {
        String state = state(e);
        return state.startsWith("08")
                || state.startsWith("53")
                || state.startsWith("57P")
                || state.startsWith("58")
                || e.getCause() instanceof java.io.IOException;
    }

    /** Pools say that no connection is free, and drivers that theirs was closed, without a state. */
    private static boolean isPoolTimeout(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof java.sql.SQLTransientException || cause instanceof java.io.IOException) {
                return true;
            }
        }
        return state(e).isEmpty();
    }
}
