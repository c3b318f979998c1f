package dev.semel.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Makes the guard's table in a PostgreSQL database: one transaction under a lock, so that of many who start one makes it. */
final class PostgresGuardSchema {

    // Any number that nobody else uses: "semel" and "guard" as letters of a telephone.
    private static final long LOCK = 7_363_548_273L;

    private static final String VERSIONS = """
            CREATE TABLE IF NOT EXISTS semel_guard_schema (
              version integer PRIMARY KEY,
              readable_from integer NOT NULL,
              applied_at timestamptz NOT NULL DEFAULT now()
            )
            """;

    private PostgresGuardSchema() {}

    static void migrate(Connection connection) throws SQLException {
        // Looked at first, because a program's user may have no right to make tables, and needs none if they are there.
        if (version(connection) >= GuardScript.VERSION) {
            return;
        }
        boolean automatic = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
            if (version(connection) < GuardScript.VERSION) {
                statement.execute(VERSIONS);
                statement.execute(GuardScript.read("postgresql"));
                statement.execute("INSERT INTO semel_guard_schema (version, readable_from) VALUES ("
                        + GuardScript.VERSION + ", 1)");
            }
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(automatic);
        }
    }

    private static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // Not to_regclass: that may remember, from before the lock was waited for, that there was no such table.
            try (ResultSet there = statement.executeQuery("SELECT count(*) > 0 FROM pg_catalog.pg_class"
                    + " WHERE relname = 'semel_guard_schema' AND pg_catalog.pg_table_is_visible(oid)")) {
                there.next();
                if (!there.getBoolean(1)) {
                    return 0;
                }
            }
            try (ResultSet newest = statement.executeQuery(
                    "SELECT version, readable_from FROM semel_guard_schema ORDER BY version DESC LIMIT 1")) {
                if (!newest.next()) {
                    return 0;
                }
                GuardScript.checkReadable("the PostgreSQL database", newest.getInt(1), newest.getInt(2));
                return newest.getInt(1);
            }
        }
    }
}
