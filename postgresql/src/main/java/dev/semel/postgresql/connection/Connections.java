package dev.semel.postgresql.connection;

import dev.semel.postgresql.schema.TaskSchema;
import dev.semel.postgresql.sql.AutoCommit;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnusable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * The connections of a store, each checked once before its first use: behind a pooler in transaction mode that does not know
 * prepared statements, the driver must not name any.
 *
 * <p>The driver numbers the statements that it prepares on each of its connections: S_1, S_2 and so on, {@code BEGIN} and
 * {@code COMMIT} among them. Such a pooler runs the next transaction in another session of the server, in which another
 * program's S_7 is the statement of that name. If its parameters fit, it runs without an error: a commit that commits nothing,
 * a completion that completes something else. No check inside of the transaction could find that, because the check itself
 * and the {@code BEGIN} before it would be statements of that kind. So a connection is refused before it prepares anything.
 */
public final class Connections {

    // How the driver names statements.
    private static final String NAMES = "S_";

    private static final String ADVICE =
            "Set prepareThreshold=0 for the connections of this pool or URL, or let the pooler"
                    + " keep prepared statements (PgBouncer 1.21 or later with max_prepared_statements).";

    private final DataSource source;
    private final String shown;
    private final AnswerLimit answerLimit;
    // By identity: the driver's connections have no equality of their own.
    private final Set<PGConnection> checked =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private final Set<PGConnection> own = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private final ServerCheck servers = new ServerCheck(this::get);
    private volatile boolean closed;

    /**
     * Creates the connections of one store.
     *
     * @param shown which store it is, for messages: "The PostgreSQL store at …"
     */
    public Connections(DataSource source, String shown, AnswerLimit answerLimit) {
        this.source = source;
        this.shown = shown;
        this.answerLimit = answerLimit;
    }

    /** What distinguishes the store's server from others. */
    public ServerCheck servers() {
        return servers;
    }

    /** Whether a caller's connection was seen to lead to the store's own database. */
    public boolean isOwn(Connection connection) throws SQLException {
        if (closed) {
            throw StoreUnusable.closed(shown);
        }
        PGConnection driver = driver(connection);
        return driver != null && own.contains(driver);
    }

    /** Notes that a caller's connection leads to the store's own database, which stays so for as long as it lives. */
    public void noteOwn(Connection connection) throws SQLException {
        PGConnection driver = driver(connection);
        if (driver != null) {
            own.add(driver);
        }
    }

    /** A connection that may prepare statements as it is set up to. */
    public Connection get() throws SQLException {
        if (closed) {
            throw StoreUnusable.closed(shown);
        }
        Connection connection = source.getConnection();
        try {
            PGConnection driver = driver(connection);
            if (driver != null && !checked.contains(driver)) {
                // With auto-commit, so that the check leaves no transaction open.
                try (AnswerLimit.Restored limited = answerLimit.with(connection, 0);
                        AutoCommit automatic = AutoCommit.on(connection)) {
                    check(connection);
                }
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            close(connection, e);
            throw e;
        }
    }

    /** Notes that the store is closed: its pool may be the user's and still open. */
    public void close() {
        closed = true;
    }

    private static void close(Connection connection, Exception because) {
        try {
            connection.close();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    /**
     * Checks the version of the server, when a task store or a guard is opened.
     *
     * @throws StoreUnusable if the server is older than {@link TaskSchema#OLDEST_SERVER}
     */
    public void checkServer(Connection connection) throws SQLException {
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (version < TaskSchema.OLDEST_SERVER) {
            throw new StoreUnusable(shown + " is on a server of version " + version + ", but Semel needs PostgreSQL "
                    + TaskSchema.OLDEST_SERVER + " or newer. Upgrade the server.");
        }
    }

    /**
     * Checks a connection, a caller's own for example. If a transaction is open, it stays open.
     *
     * @throws StoreUnusable if its statements could run in place of others
     */
    public void check(Connection connection) throws SQLException {
        if (closed) {
            throw StoreUnusable.closed(shown);
        }
        PGConnection driver = driver(connection);
        if (driver == null || checked.contains(driver)) {
            return;
        }
        if (namesStatements(driver) && !isSafeWithNames(connection, driver)) {
            throw new StoreUnusable(
                    shown + " is behind a connection pooler that does not know prepared statements, but the"
                            + " driver is set up to prepare them: in transaction mode, statements of one session would run in"
                            + " another. " + ADVICE);
        }
        checked.add(driver);
    }

    private static boolean isSafeWithNames(Connection connection, PGConnection driver) throws SQLException {
        int threshold = driver.getPrepareThreshold();
        // What the check itself sends has no name, BEGIN and COMMIT neither.
        driver.setPrepareThreshold(0);
        try {
            return !isPooled(connection, driver) || namesAreTranslated(connection);
        } catch (SQLException e) {
            if (ErrorTranslator.isMixedUpStatement(e)) {
                return false; // another program has left a statement of the same name
            }
            throw e;
        } finally {
            driver.setPrepareThreshold(threshold);
        }
    }

    /** The driver behind a connection; null if a wrapper hides it, and then there is nothing to compare. */
    private static @Nullable PGConnection driver(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : null;
    }

    private static boolean namesStatements(PGConnection driver) {
        return driver.getPrepareThreshold() != 0 && driver.getPreferQueryMode() != PreferQueryMode.SIMPLE;
    }

    /** Whether the session is another one than the driver was told when it connected: a pooler has no process to name. */
    private static boolean isPooled(Connection connection, PGConnection driver) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
            row.next();
            return row.getInt(1) != driver.getBackendPID();
        }
    }

    /**
     * Whether a statement that the driver names has another name on the server. A pooler that keeps the statements of its
     * clients apart has to give them other names.
     */
    private static boolean namesAreTranslated(Connection connection) throws SQLException {
        try (AutoCommit manual = AutoCommit.off(connection);
                Statement statement = connection.createStatement()) {
            // BEGIN travels with it. With a statement that has a name, it would get one too.
            statement.execute("SELECT 1");
            String name = nameOnServer(connection);
            boolean translated = name != null && !name.startsWith(NAMES);
            if (name != null && !translated) {
                // Left behind, it would be in the way of other programs.
                statement.execute("DEALLOCATE \"" + name + "\"");
            }
            return translated;
        }
    }

    private static @Nullable String nameOnServer(Connection connection) throws SQLException {
        // Another text each time, so that the driver has not prepared it before.
        String sql =
                "SELECT name FROM pg_catalog.pg_prepared_statements WHERE statement LIKE '%" + UUID.randomUUID() + "%'";
        try (PreparedStatement named = connection.prepareStatement(sql)) {
            named.unwrap(PGStatement.class).setPrepareThreshold(1);
            try (ResultSet row = named.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Translates an error for the caller, of the task store and of the guard alike. */
    public SemelException translated(SQLException e) {
        if (closed) {
            StoreUnusable unusable = StoreUnusable.closed(shown);
            unusable.addSuppressed(e);
            return unusable;
        }
        return ErrorTranslator.isMixedUpStatement(e) ? mixedUp(e) : ErrorTranslator.translated(shown, e);
    }

    /** Translates an error in a transaction of a caller's, of the task store and of the guard alike. */
    public SemelException translatedWhileJoined(SQLException e) {
        return ErrorTranslator.isMixedUpStatement(e) ? mixedUp(e) : ErrorTranslator.translatedWhileJoined(shown, e);
    }

    /**
     * What to report to the caller after such an error. All connections are checked again before they are used: the pooler
     * may have been set up in another way since, or its statements may have been lost.
     */
    private StoreUnusable mixedUp(SQLException e) {
        checked.clear();
        return new StoreUnusable(
                shown + " has another prepared statement than the driver (SQLSTATE " + e.getSQLState() + ": "
                        + e.getMessage()
                        + "), as behind a connection pooler in transaction mode that does not know prepared"
                        + " statements. " + ADVICE,
                e);
    }
}
