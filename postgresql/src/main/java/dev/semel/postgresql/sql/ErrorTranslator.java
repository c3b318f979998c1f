package dev.semel.postgresql.sql;

import dev.semel.task.InvalidInput;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Translates errors of PostgreSQL for the task store and the guard alike: retry the transaction here, let the caller retry, or
 * let a person fix the set-up. Decides by SQLSTATE, never by the text of a message.
 */
public final class ErrorTranslator {

    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String DEADLOCK = "40P01";
    private static final String UNIQUE_VIOLATION = "23505";
    private static final String FAILED_TRANSACTION = "25P02";
    private static final String CONSTRAINT_VIOLATIONS = "23";

    // What the server reports if a prepared statement is another one than the driver takes it for.
    private static final String UNKNOWN_STATEMENT = "26000";
    private static final String STATEMENT_NAME_IN_USE = "42P05";
    private static final String PROTOCOL_VIOLATION = "08P01";

    // PgBouncer reports its own failures, most of which pass, as protocol violations too; only the server names a
    // routine.
    private static final String BINDING = "exec_bind_message";

    // The driver's own: the server wants a password and none was given, or a kind of authentication or encryption that
    // one of the two does not know. Waiting changes none of it.
    private static final String CONNECTION_REJECTED = "08004";

    // Missing tables, columns, functions and schemas.
    private static final Set<String> OTHER_TABLES = Set.of("42P01", "42703", "42883", "42704", "3F000");

    // The connection broke, or a proxy in front of the server lost the server's answer: the statement may have been
    // executed. That is an unknown outcome and no conflict. It is not retried in here, because its connection is
    // suspect; the caller may repeat the call, as after every lost answer.
    private static final String COMPLETION_UNKNOWN = "40003";

    // Another session uses a table, or a database, that a statement needs for itself, for example a migration. That
    // passes when the other session is done, so the call may be repeated, as after a lock time-out.
    private static final String OBJECT_IN_USE = "55006";

    // The database accepts no connections at present (ALTER DATABASE … ALLOW_CONNECTIONS false): an operator's decision
    // that passes, as those of class 57 do.
    private static final String NOT_IN_PREREQUISITE_STATE = "55000";

    // 25006: a standby that was asked to write while the primary moves; 25P03 and 25P04: time-outs of a transaction.
    private static final Set<String> PASSING =
            Set.of(COMPLETION_UNKNOWN, NOT_IN_PREREQUISITE_STATE, "25006", "25P03", "25P04");

    /** What an error asks for. */
    enum Kind {
        /** Other transactions hold what is needed. The caller may repeat the call. */
        CONTENDED,
        /** The server or the connection failed, or the outcome is unknown. The caller may repeat the call. */
        NO_ANSWER,
        /** The server rejects the user, the database or the user's rights. A person has to fix that. */
        REJECTED,
        /** Anything else, such as missing tables. A person has to fix that. */
        UNEXPECTED
    }

    private ErrorTranslator() {}

    public static String state(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }

    public static boolean isLockTimeout(SQLException e) {
        return state(e).equals(LOCK_NOT_AVAILABLE);
    }

    /** Whether another transaction has inserted the same row before. */
    public static boolean isTaken(SQLException e) {
        return state(e).equals(UNIQUE_VIOLATION);
    }

    /** Whether an earlier statement of the transaction has failed, so that the server accepts nothing more in it. */
    public static boolean isFailedTransaction(SQLException e) {
        return state(e).equals(FAILED_TRANSACTION);
    }

    /** Whether a constraint rejects what was written, a deferred one for example at the commit. */
    public static boolean isConstraintViolation(SQLException e) {
        return state(e).startsWith(CONSTRAINT_VIOLATIONS);
    }

    /** Whether an error says that a prepared statement is another one than the driver takes it for. */
    public static boolean isMixedUpStatement(SQLException e) {
        return switch (state(e)) {
            case UNKNOWN_STATEMENT, STATEMENT_NAME_IN_USE -> true;
            case PROTOCOL_VIOLATION -> isBinding(e);
            default -> false;
        };
    }

    private static boolean isBinding(SQLException e) {
        ServerErrorMessage message = e instanceof PSQLException told ? told.getServerErrorMessage() : null;
        return message != null && BINDING.equals(message.getRoutine());
    }

    /** Whether nothing was done and the same transaction may well succeed if it is run again. */
    public static boolean isWorthAnotherTry(SQLException e) {
        return state(e).equals(Race.SQL_STATE) || state(e).equals(DEADLOCK);
    }

    public static boolean isSerializationFailure(SQLException e) {
        return state(e).equals(Race.SQL_STATE) && !(e instanceof Race);
    }

    static Kind kind(SQLException e) {
        // The state decides before the class of the exception: a pool that waited in vain reports a rejection as
        // passing.
        String state = state(e);
        if (PASSING.contains(state)) {
            return Kind.NO_ANSWER;
        }
        if (state.equals("3D000") || state.equals("42501") || state.equals(CONNECTION_REJECTED)) {
            return Kind.REJECTED;
        }
        return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
            // A conflict of transactions.
            case "40" -> Kind.CONTENDED;
            // Rejected authorization.
            case "28" -> Kind.REJECTED;
            // Connection, insufficient resources, operator intervention, system error.
            case "08", "53", "57", "58" -> Kind.NO_ANSWER;
            default -> {
                if (state.equals(LOCK_NOT_AVAILABLE) || state.equals(OBJECT_IN_USE)) {
                    yield Kind.CONTENDED;
                }
                yield isConnectionFailure(e) ? Kind.NO_ANSWER : Kind.UNEXPECTED;
            }
        };
    }

    /** The task store at an address, as the subject of a message. */
    public static String storeAt(String shown) {
        return "The PostgreSQL store " + shown;
    }

    /**
     * Translates an error for the caller.
     *
     * @param which whose error it is, as the subject of a sentence: "The PostgreSQL store …"
     */
    public static SemelException translated(String which, SQLException e) {
        String state = state(e).isEmpty() ? "no SQLSTATE" : "SQLSTATE " + state(e);
        return switch (kind(e)) {
            case CONTENDED ->
                new StoreUnavailable(
                        which + " is contended (" + state
                                + "): other transactions hold what is needed. Try again, and look for transactions that"
                                + " stay open if it lasts.",
                        e);
            case NO_ANSWER -> new StoreUnavailable(which + noAnswer(e, state), e);
            case REJECTED ->
                new StoreUnusable(
                        which + " rejects this user or has no such database (" + state + ": " + e.getMessage()
                                + "). Check the user, its password and its rights.",
                        e);
            case UNEXPECTED ->
                new StoreUnusable(
                        which + " answered with " + state + ": " + e.getMessage()
                                + (OTHER_TABLES.contains(state(e))
                                        ? ". Expected the tables that this version of Semel creates: check the schema, and"
                                                + " the search path of a guard."
                                        : ". That is not expected: see the log of the server."),
                        e);
        };
    }

    /** Says why there was no answer, as far as the driver knows, and what to do. */
    private static String noAnswer(SQLException e, String state) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return " cannot be reached: its host is unknown (" + state + "). Check the name of the host.";
            }
            if (cause instanceof ConnectException) {
                return " cannot be reached: the connection was refused (" + state
                        + "). Start the server, or check host and port.";
            }
            if (cause instanceof SocketTimeoutException) {
                return " did not answer in time (" + state
                        + "). Try again, and look at the server and the network if it lasts.";
            }
        }
        if (e instanceof SQLTransientConnectionException && e.getCause() == null) {
            return " had no free connection in time (" + state
                    + "). Try again, and enlarge the pool or look for work that holds connections if it lasts.";
        }
        return " did not answer (" + state
                + "). Try again, and look at the server, the network and the size of the pool if it lasts.";
    }

    /** Whether a host has no address or refuses connections, so that to wait for its server is no use. */
    public static boolean isNoServer(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException || cause instanceof ConnectException) {
                return true;
            }
        }
        return false;
    }

    /**
     * Translates an error in a transaction of a caller's, which the caller may have brought about.
     *
     * @param which whose error it is, as the subject of a sentence
     */
    public static SemelException translatedWhileJoined(String which, SQLException e) {
        String state = state(e);
        if (isFailedTransaction(e)) {
            return new InvalidInput(
                    "PostgreSQL accepts nothing more in a transaction of which a statement has failed, but a joined"
                            + " transaction went on after one (SQLSTATE " + state
                            + "). Roll it back, or undo the failed statement by a savepoint.",
                    e);
        }
        if (OTHER_TABLES.contains(state)) {
            return new InvalidInput(
                    "A joined transaction is one on the store's own database, but the connection leads to one without"
                            + " the tables of this version of Semel (SQLSTATE " + state + ": " + e.getMessage()
                            + "). Use a connection to the database of the store.",
                    e);
        }
        return translated(which, e);
    }

    /** Reports a connection that leads to another database than the store's, with tables of the same names. */
    public static InvalidInput elsewhere(String which) {
        return elsewhere("database with a schema of the same name", which);
    }

    /** Reports a connection that leads to a copy of the store's database on another server. */
    public static InvalidInput onAnotherServer(String which) {
        return elsewhere("server, with a copy of this database", which);
    }

    private static InvalidInput elsewhere(String where, String which) {
        return new InvalidInput(
                "A joined transaction is one on the store's own database, but the connection leads to another "
                        + where + ". " + which
                        + " would not see what is written there. Use a connection to the database of the store.");
    }

    /**
     * Whether an error of a handler's statement comes from the server or the connection, and not from the statement. A lock that the
     * handler's own rows are under, or a deadlock of its own, is the handler's.
     */
    public static boolean isOfServer(SQLException e) {
        String state = state(e);
        return state.startsWith("08")
                || state.startsWith("53")
                || state.startsWith("57P")
                || state.startsWith("58")
                || state.equals(COMPLETION_UNKNOWN)
                || e.getCause() instanceof IOException;
    }

    /** Pools report that no connection is free, and drivers that theirs was closed, without a state. */
    private static boolean isConnectionFailure(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientException
                    || cause instanceof SQLRecoverableException
                    || cause instanceof IOException) {
                return true;
            }
        }
        return state(e).isEmpty();
    }
}
