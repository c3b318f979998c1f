package dev.semel.sqlite.schema;

import dev.semel.jdbc.GuardTables;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.sqlite.transaction.Database;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The guard's table in a SQLite file. It is created in one transaction, so of many programs that start together one creates it. */
public final class GuardSchema implements Database.Schema {

    private static final String VERSIONS = """
            CREATE TABLE IF NOT EXISTS semel_guard_schema (
              version INTEGER PRIMARY KEY,
              readable_from INTEGER NOT NULL,
              applied_at INTEGER NOT NULL
            ) STRICT
            """;

    private static final String ADD_VERSION =
            "INSERT INTO semel_guard_schema (version, readable_from, applied_at) VALUES (?, ?, ?)";

    private static final String NEWEST =
            "SELECT version, readable_from FROM semel_guard_schema ORDER BY version DESC LIMIT 1";

    @Override
    public void migrate(Session session, DatabaseFile file, long now) throws SQLException {
        if (version(session, file.path()) < GuardTables.VERSION || !FileClock.isMade(session)) {
            file.useWriteAheadLog(session);
            create(session, file.path(), now);
        }
    }

    private static void create(Session session, Path file, long now) throws SQLException {
        session.sql("BEGIN IMMEDIATE").update();
        try (Statement statement = session.connection().createStatement()) {
            statement.executeUpdate(FileClock.script());
            if (version(session, file) < GuardTables.VERSION) {
                statement.executeUpdate(VERSIONS);
                statement.executeUpdate(GuardTables.script(GuardSchema.class));
                session.sql(ADD_VERSION)
                        .with(GuardTables.VERSION)
                        .with(1)
                        .with(now)
                        .updateOne();
            }
            session.commit();
        } catch (SQLException | RuntimeException e) {
            session.rollback(e);
            throw e;
        }
    }

    @Override
    public void check(Session session, DatabaseFile file) throws SQLException {
        try (ResultSet newest = session.sql(NEWEST).query()) {
            if (newest.next()) {
                GuardTables.checkReadable(named(file.path()), newest.getInt(1), newest.getInt(2));
            }
        }
    }

    private static String named(Path file) {
        return "the SQLite file \"" + file + "\"";
    }

    private static int version(Session session, Path file) throws SQLException {
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
                GuardTables.checkReadable(named(file), newest.getInt(1), newest.getInt(2));
                return newest.getInt(1);
            }
        }
    }
}
