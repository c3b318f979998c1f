package dev.semel.jdbc;

import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;

/** Says what an error of PostgreSQL means for the caller: try again, or mend the set-up. Goes by SQLSTATE, never by texts. */
final class PostgresErrors {

    static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String READ_ONLY_TRANSACTION = "25006";

    private PostgresErrors() {}

    static SemelException translated(SQLException e) {
        String state = e.getSQLState();
        String shown = state == null ? "no SQLSTATE" : "SQLSTATE " + state;
        if (state == null
                || e instanceof SQLTransientException
                || e instanceof SQLRecoverableException
                || isPassing(state)) {
            return new StoreUnavailable(
                    "PostgreSQL could not do that at this moment (" + shown
                            + "). Try again, and look at the server if it" + " lasts.",
                    e);
        }
        return switch (state.substring(0, 2)) {
            case "28" ->
                new StoreUnusable("PostgreSQL refuses this user (" + shown + "). Look at the user and password.", e);
            case "42" ->
                new StoreUnusable(
                        "PostgreSQL does not have the tables that this version of Semel made, or this user may not use"
                                + " them (" + shown + "). Look at the search path and the user's rights.",
                        e);
            default -> new StoreUnusable("PostgreSQL answered with " + shown + ".", e);
        };
    }

    /**
     * Whether the same may work later: connection (08), conflict of transactions (40), resources (53), a lock or an object
     * in use (55), an operator (57), the system (58), and a server that is just a standby.
     */
    private static boolean isPassing(String state) {
        return switch (state.substring(0, 2)) {
            case "08", "40", "53", "55", "57", "58" -> true;
            default -> state.equals(READ_ONLY_TRANSACTION);
        };
    }

    static boolean isLockTimeout(@Nullable String state) {
        return LOCK_NOT_AVAILABLE.equals(state);
    }
}
