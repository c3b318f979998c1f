package dev.semel.postgresql.schema;

import dev.semel.jdbc.GuardTables;
import dev.semel.task.StoreUnusable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the guard in a PostgreSQL database. They are created in one transaction under a lock, so of many programs that
 * start together one creates them.
 */
public final class GuardSchema {

    // Any number that nobody else uses: "semel" and "guard" as letters of a telephone.
    private static final long LOCK = 7_363_548_273L;

    private static final String VERSIONS = """
            CREATE TABLE IF NOT EXISTS semel.guard_schema (
              version integer PRIMARY KEY,
              readable_from integer NOT NULL,
              applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
            )
            """;

    private static final String NEWEST =
            "SELECT version, readable_from FROM semel.guard_schema ORDER BY version DESC LIMIT 1";

    private static final String PLACE =
            "SELECT current_database() || ' ' || extract(epoch FROM applied_at) FROM semel.guard_schema"
                    + " ORDER BY version LIMIT 1";

    private static final String OF_EARLIER_VERSIONS = "SELECT count(*) > 0 FROM pg_catalog.pg_class"
            + " WHERE relname = 'semel_guard_schema' AND pg_catalog.pg_table_is_visible(oid)";

    private GuardSchema() {}

    /** The statements that make the tables, as they are run. */
    public static String print(String schema) {
        GuardTableNames tables = GuardTableNames.in(schema);
        return tables.sql(VERSIONS).strip() + ";\n\n" + tables.sql(GuardTables.script(GuardSchema.class)) + "\n"
                + tables.sql(addVersion()) + ";\n";
    }

    private static String addVersion() {
        return "INSERT INTO semel.guard_schema (version, readable_from) VALUES (" + GuardTables.VERSION + ", 1)";
    }

    /**
     * Finds tables that an earlier version made in the search path. They are used for as long as they are there: the entries
     * in them say which effects must not run again.
     */
    public static boolean hasTablesOfEarlierVersions(Connection connection) throws SQLException {
        return is(connection, OF_EARLIER_VERSIONS) && version(connection, GuardTableNames.OF_EARLIER_VERSIONS) > 0;
    }

    /** Creates the tables in a schema, if they do not exist. */
    public static void migrate(Connection connection, String schema, Migration migration) throws SQLException {
        GuardTableNames tables = GuardTableNames.in(schema);
        // Looked at first, because a program's user may have no right to make tables, and needs none if they are there.
        if (version(connection, schema, tables) >= GuardTables.VERSION) {
            return;
        }
        if (migration == Migration.FORBIDDEN) {
            throw new StoreUnusable("The PostgreSQL database of the guard has no tables of this version in schema \""
                    + schema
                    + "\", and this program may not make them. Run \"semel migrate\" with a user who may,"
                    + " or open the guard with migration.");
        }
        boolean automatic = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
            if (version(connection, schema, tables) < GuardTables.VERSION) {
                if (!TaskSchema.exists(connection, schema)) {
                    statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
                }
                statement.execute(tables.sql(VERSIONS));
                statement.execute(tables.sql(GuardTables.script(GuardSchema.class)));
                statement.execute(tables.sql(addVersion()));
            }
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(automatic);
        }
    }

    /** Returns what distinguishes these tables from others: the name of the database, and when they were created, to the microsecond. */
    public static @Nullable String place(Connection connection, GuardTableNames tables) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(tables.sql(PLACE))) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private static int version(Connection connection, String schema, GuardTableNames tables) throws SQLException {
        // Not to_regclass: that may remember, from before the lock was waited for, that there was no such table.
        boolean there = is(
                connection,
                "SELECT count(*) > 0 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE n.nspname = '" + schema + "' AND c.relname = 'guard_schema'");
        return there ? version(connection, tables) : 0;
    }

    private static int version(Connection connection, GuardTableNames tables) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet newest = statement.executeQuery(tables.sql(NEWEST))) {
            if (!newest.next()) {
                return 0;
            }
            GuardTables.checkReadable("the PostgreSQL database", newest.getInt(1), newest.getInt(2));
            return newest.getInt(1);
        }
    }

    private static boolean is(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
