package dev.semel.jdbc;

import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Makes the guard's table in a SQLite file: one transaction, so that of many who start together one makes it. */
final class SqliteGuardSchema {

    private static final String VERSIONS = """
            CREATE TABLE IF NOT EXISTS semel_guard_schema (
              version INTEGER PRIMARY KEY,
              readable_from INTEGER NOT NULL,
              applied_at INTEGER NOT NULL
            ) STRICT
            """;

    private static final String NEWEST =
            "SELECT version, readable_from FROM semel_guard_schema ORDER BY version DESC LIMIT 1";

    private SqliteGuardSchema() {}

    static void migrate(SqliteSession session, Path file, long now, Duration patience) throws SQLException {
        SqliteSchema.patiently(patience, () -> {
            if (version(session, file) < GuardScript.VERSION || !SqliteClock.isMade(session)) {
                SqliteSchema.useWriteAheadLog(session, file);
                make(session, file, now);
            }
        });
    }

    private static void make(SqliteSession session, Path file, long now) throws SQLException {
        session.sql("BEGIN IMMEDIATE").update();
        try (Statement statement = session.connection().createStatement()) {
            statement.executeUpdate(SqliteClock.script());
            if (version(session, file) < GuardScript.VERSION) {
                statement.executeUpdate(VERSIONS);
                statement.executeUpdate(GuardScript.read("sqlite"));
                statement.executeUpdate(
                        "INSERT INTO semel_guard_schema VALUES (" + GuardScript.VERSION + ", 1, " + now + ")");
            }
            session.commit();
        } catch (SQLException | RuntimeException e) {
            session.rollback(e);
            throw e;
        }
    }

    /** Refuses a version that this program cannot work on. */
    static void check(SqliteSession session, Path file) throws SQLException {
        try (ResultSet newest = session.sql(NEWEST).query()) {
            if (newest.next()) {
                GuardScript.checkReadable(named(file), newest.getInt(1), newest.getInt(2));
            }
        }
    }

    private static String named(Path file) {
        return "the SQLite file \"" + file + "\"";
    }

    private static int version(SqliteSession session, Path file) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            try (ResultSet tables = statement.executeQuery(
                    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'semel_guard_schema'")) {
                tables.next();
                if (tables.getInt(1) == 0) {
                    return 0;
                }
            }
            try (ResultSet newest = statement.executeQuery(NEWEST)) {
                if (!newest.next()) {
                    return 0;
                }
                GuardScript.checkReadable(named(file), newest.getInt(1), newest.getInt(2));
                return newest.getInt(1);
            }
        }
    }
}
