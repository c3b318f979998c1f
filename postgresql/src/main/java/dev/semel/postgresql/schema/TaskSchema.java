package dev.semel.postgresql.schema;

import dev.semel.jdbc.SqlScript;
import dev.semel.postgresql.sql.AutoCommit;
import dev.semel.postgresql.sql.SchemaName;
import dev.semel.postgresql.sql.Session;
import dev.semel.task.StoreUnusable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The tables of tasks in a PostgreSQL database and their versions.
 *
 * <p>A migration runs in one transaction under an advisory lock, so of many programs that start together one migrates and
 * the others find it done. A program runs on its own version of the schema and on the next one, if that says of itself that
 * this program can read it: then a new version can be rolled out while the old one still runs.
 */
public final class TaskSchema {

    /** The version of the schema that this program makes. */
    public static final int VERSION = 6;

    /** The oldest PostgreSQL that the task store and the guard work on. */
    public static final int OLDEST_SERVER = 14;

    private static final String VERSIONS = """
            CREATE TABLE IF NOT EXISTS semel.schema_version (
              version integer PRIMARY KEY,
              readable_from integer NOT NULL,  -- the oldest program version that can work on it
              applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
            );
            """;

    private static final String NEWEST =
            "SELECT version, readable_from FROM semel.schema_version ORDER BY version DESC LIMIT 1";

    private static final String PLACE = """
            SELECT current_database() || ' '
              || (SELECT extract(epoch FROM v.applied_at) FROM semel.schema_version v ORDER BY v.version LIMIT 1)
            """;

    // The oldest version of the program that can work on each version of the schema, beginning with schema 1.
    private static final int[] READABLE_FROM = {1, 1, 1, 3, 5, 6};

    private TaskSchema() {}

    /** Returns all statements that create the newest tables in an empty database, as they are run. */
    public static String print(String schema) {
        StringBuilder all = new StringBuilder("CREATE SCHEMA IF NOT EXISTS " + schema + ";\n\n");
        all.append(SchemaName.inSchema(VERSIONS, schema));
        for (int version = 1; version <= VERSION; version++) {
            all.append('\n').append(SchemaName.inSchema(script(version), schema));
            all.append("\nINSERT INTO ").append(schema).append(".schema_version (version, readable_from) VALUES (");
            all.append(version).append(", ").append(READABLE_FROM[version - 1]).append(");\n");
        }
        return all.toString();
    }

    /** Brings the database to this program's version, or says why it cannot be used. The connection commits by itself. */
    public static void migrate(Connection connection, String shown, String schema, Migration migration)
            throws SQLException {
        if (version(connection, shown, schema) >= VERSION) {
            return;
        }
        if (migration == Migration.FORBIDDEN) {
            throw new StoreUnusable("The PostgreSQL store " + shown + " has no tables of this version in schema \""
                    + schema
                    + "\", and this program may not make them. Run \"semel migrate\" with a user who"
                    + " may, or open the store with migration.");
        }
        try (AutoCommit manual = AutoCommit.off(connection)) {
            try {
                migrateLocked(connection, shown, schema);
                connection.commit();
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    private static void migrateLocked(Connection connection, String shown, String schema) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('semel schema " + schema + "', 0))");
            int version = version(connection, shown, schema);
            if (version == 0 && !exists(connection, schema)) {
                statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
            }
            if (version == 0) {
                statement.execute(SchemaName.inSchema(VERSIONS, schema));
            }
            for (int next = version + 1; next <= VERSION; next++) {
                for (String sql : SqlScript.statements(script(next))) {
                    statement.execute(SchemaName.inSchema(sql, schema));
                }
                statement.execute("INSERT INTO " + schema + ".schema_version (version, readable_from) VALUES (" + next
                        + ", " + READABLE_FROM[next - 1] + ")");
            }
            // Programs that run already look at the version again.
            statement.execute("UPDATE " + schema + ".change SET stamp = stamp + 1");
        }
    }

    /** Whether the schema is there: a user who may not make schemas may well make tables in one. */
    static boolean exists(Connection connection, String schema) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) > 0 FROM pg_catalog.pg_namespace WHERE nspname = '" + schema + "'")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /** The version that the schema has; 0 if it has none. */
    public static int version(Connection connection, String shown, String schema) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // Not to_regclass: that may remember, from before the lock was waited for, that there was no such table.
            try (ResultSet table = statement.executeQuery("SELECT count(*) > 0 FROM pg_catalog.pg_class c"
                    + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                    + " WHERE n.nspname = '" + schema + "' AND c.relname = 'schema_version'")) {
                table.next();
                if (!table.getBoolean(1)) {
                    return 0;
                }
            }
            try (ResultSet newest = statement.executeQuery(
                    "SELECT version, readable_from FROM " + schema + ".schema_version ORDER BY version DESC LIMIT 1")) {
                if (!newest.next()) {
                    return 0;
                }
                checkReadable(shown, newest.getInt(1), newest.getInt(2));
                return newest.getInt(1);
            }
        }
    }

    /** Checks the version that the schema has by now. */
    public static void check(Session session, String shown) throws SQLException {
        session.sql(NEWEST).first(row -> {
            checkReadable(shown, row.getInt(1), row.getInt(2));
            return true;
        });
    }

    /**
     * Returns what distinguishes this installation from others: the name of its database, and when its tables were created, to the
     * microsecond. A copy of the database under the same name on another server has the same; {@code ServerCheck} distinguishes it.
     */
    public static @Nullable String place(Connection connection, String schema) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SchemaName.inSchema(PLACE, schema))) {
            row.next();
            return row.getString(1);
        }
    }

    /** The stamp of the settings and the version. */
    public static long stamp(Connection connection, String schema) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT stamp FROM " + schema + ".change")) {
            if (!row.next()) {
                throw new IllegalStateException(
                        "The table \"change\" has no row; restore the one that the schema creates");
            }
            return row.getLong(1);
        }
    }

    private static void checkReadable(String shown, int version, int readableFrom) {
        if (version > VERSION && (version > VERSION + 1 || readableFrom > VERSION)) {
            throw new StoreUnusable("The PostgreSQL store " + shown + " has schema version " + version
                    + ", but this program knows version " + VERSION
                    + (version > VERSION + 1 ? " and can work on the next one at most" : " and cannot work on that one")
                    + ". Run the version of Semel that made it, or a later one.");
        }
    }

    private static String script(int version) {
        return SqlScript.read(TaskSchema.class, "V" + version + ".sql");
    }
}
