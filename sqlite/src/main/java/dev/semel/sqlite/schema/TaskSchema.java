package dev.semel.sqlite.schema;

import dev.semel.jdbc.SqlScript;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.sqlite.transaction.Database;
import dev.semel.task.StoreUnusable;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The tables of Semel in a SQLite file and their versions.
 *
 * <p>The version is kept in a table and not in {@code PRAGMA user_version}, because the file may be the user's own database.
 * A migration runs in one transaction that writes from its first moment, so of many programs that start together one
 * migrates and the others find it done. A program runs on its own version of the schema and on the next one, if that declares
 * that this program can read it: then a new version can be rolled out while the old one still runs.
 */
public final class TaskSchema implements Database.Schema {

    /** The version of the schema that this program creates. */
    public static final int VERSION = 6;

    private static final String VERSIONS = """
            CREATE TABLE IF NOT EXISTS semel_schema (
              version INTEGER PRIMARY KEY,
              readable_from INTEGER NOT NULL,  -- the oldest program version that can work on it
              applied_at INTEGER NOT NULL
            ) STRICT;
            """;

    private static final String NEWEST =
            "SELECT version, readable_from FROM semel_schema ORDER BY version DESC LIMIT 1";

    private static final String ADD_VERSION =
            "INSERT INTO semel_schema (version, readable_from, applied_at) VALUES (?, ?, ?)";

    // The oldest version of the program that can work on each version of the schema, beginning with schema 1.
    private static final int[] READABLE_FROM = {1, 1, 1, 3, 5, 6};

    /**
     * Returns all statements that create the newest schema in an empty file, as they are run.
     *
     * @return SQL with comments
     */
    public static String print() {
        StringBuilder all = new StringBuilder(VERSIONS).append('\n').append(FileClock.script());
        for (int version = 1; version <= VERSION; version++) {
            all.append('\n').append(script(version));
        }
        return all.toString();
    }

    @Override
    public void migrate(Session session, DatabaseFile file, long now) throws SQLException {
        if (current(session, file.path()) < VERSION || !FileClock.isMade(session)) {
            file.useWriteAheadLog(session);
            migrate(session, file.path(), now);
        } else if (!file.hasWriteAheadLog(session)) {
            // A copy by VACUUM INTO has none.
            file.useWriteAheadLog(session);
        }
    }

    private static void migrate(Session session, Path file, long now) throws SQLException {
        session.sql("BEGIN IMMEDIATE").update();
        try (Statement statement = session.connection().createStatement()) {
            statement.executeUpdate(FileClock.script());
            for (int version = current(session, file) + 1; version <= VERSION; version++) {
                apply(session, version, now);
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
                checkReadable(file.path(), newest.getInt(1), newest.getInt(2));
            }
        }
    }

    /** The version that the file has; 0 if it has none. */
    private static int current(Session session, Path file) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            try (ResultSet tables = statement.executeQuery(
                    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'semel_schema'")) {
                tables.next();
                if (tables.getInt(1) == 0) {
                    return 0;
                }
            }
            try (ResultSet newest = statement.executeQuery(NEWEST)) {
                if (!newest.next()) {
                    return 0;
                }
                checkReadable(file, newest.getInt(1), newest.getInt(2));
                return newest.getInt(1);
            }
        }
    }

    private static void checkReadable(Path file, int version, int readableFrom) {
        if (version > VERSION && (version > VERSION + 1 || readableFrom > VERSION)) {
            throw new StoreUnusable("The SQLite file \"" + file + "\" has schema version " + version
                    + ", but this program knows version " + VERSION
                    + (version > VERSION + 1 ? " and can work on the next one at most" : " and cannot work on that one")
                    + ". Run the version of Semel that created it, or a later one.");
        }
    }

    private static void apply(Session session, int version, long now) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.executeUpdate(VERSIONS);
            for (String sql : SqlScript.statements(script(version))) {
                statement.executeUpdate(sql);
            }
        }
        session.sql(ADD_VERSION)
                .with(version)
                .with(READABLE_FROM[version - 1])
                .with(now)
                .updateOne();
    }

    private static String script(int version) {
        return SqlScript.read(TaskSchema.class, "V" + version + ".sql");
    }
}
