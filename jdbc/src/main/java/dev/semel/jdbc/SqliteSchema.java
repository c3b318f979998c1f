package dev.semel.jdbc;

import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The tables of Semel in a SQLite file and their versions.
 *
 * <p>The version is kept in a table and not in {@code PRAGMA user_version}, because the file may be the user's own database.
 * A migration runs in one transaction that writes from its first moment, so of many programs that start together one
 * migrates and the others find it done. A program runs on its own version of the schema and on the next one, if that says
 * of itself that this program can read it: then a new version can be rolled out while the old one still runs.
 */
public final class SqliteSchema {

    /** The version of the schema that this program makes. */
    public static final int VERSION = 2;

    private static final String VERSIONS = """
            CREATE TABLE IF NOT EXISTS semel_schema (
              version INTEGER PRIMARY KEY,
              readable_from INTEGER NOT NULL,  -- the oldest program version that can work on it
              applied_at INTEGER NOT NULL
            ) STRICT;
            """;

    private static final String NEWEST =
            "SELECT version, readable_from FROM semel_schema ORDER BY version DESC LIMIT 1";

    // The oldest version of the program that can work on each version of the schema, beginning with schema 1.
    private static final int[] READABLE_FROM = {1, 1};

    private SqliteSchema() {}

    /**
     * All statements that make the newest schema in an empty file, as they are run.
     *
     * @return SQL with comments
     */
    public static String print() {
        StringBuilder all = new StringBuilder(VERSIONS).append('\n').append(SqliteClock.script());
        for (int version = 1; version <= VERSION; version++) {
            all.append('\n').append(script(version));
        }
        return all.toString();
    }

    /** Brings the file to this program's version, or says why it cannot be used. */
    static void migrate(SqliteSession session, Path file, long now, Duration patience) throws SQLException {
        patiently(patience, () -> {
            if (current(session, file) < VERSION || !SqliteClock.isMade(session)) {
                useWriteAheadLog(session, file);
                migrate(session, file, now);
            }
        });
    }

    /** A step of opening a file. */
    interface Step {
        void run() throws SQLException;
    }

    /** Runs a step again while somebody else makes the tables, or turns the log on. */
    static void patiently(Duration patience, Step step) throws SQLException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                step.run();
                return;
            } catch (SQLException e) {
                if (!SqliteSession.isBusy(e) || System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(2_000_000);
            }
        }
    }

    private static void migrate(SqliteSession session, Path file, long now) throws SQLException {
        session.sql("BEGIN IMMEDIATE").update();
        try (Statement statement = session.connection().createStatement()) {
            statement.executeUpdate(SqliteClock.script());
            for (int version = current(session, file) + 1; version <= VERSION; version++) {
                apply(session, version, now);
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
                checkReadable(file, newest.getInt(1), newest.getInt(2));
            }
        }
    }

    /** The version that the file has; 0 if it has none. */
    private static int current(SqliteSession session, Path file) throws SQLException {
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
                    + ". Run the version of Semel that made it, or a later one.");
        }
    }

    private static void apply(SqliteSession session, int version, long now) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.executeUpdate(VERSIONS);
            for (String sql : statements(script(version))) {
                statement.executeUpdate(sql);
            }
            statement.executeUpdate("INSERT INTO semel_schema VALUES (" + version + ", " + READABLE_FROM[version - 1]
                    + ", " + now + ")");
        }
    }

    /** The log lets readers and the writer go on side by side. The file remembers it. */
    static void useWriteAheadLog(SqliteSession session, Path file) throws SQLException {
        try (Statement statement = session.connection().createStatement();
                ResultSet mode = statement.executeQuery("PRAGMA journal_mode = WAL")) {
            mode.next();
            if (!mode.getString(1).equals("wal")) {
                throw new StoreUnusable("The SQLite file \"" + file + "\" cannot have a write-ahead log, only \""
                        + mode.getString(1) + "\". Use a local file system.");
            }
        }
    }

    /** Cuts a script at blank lines behind a semicolon; comments stay with the statement that follows. */
    private static List<String> statements(String script) {
        return List.of(script.strip().split(";\n\n|;$"));
    }

    private static String script(int version) {
        String name = "sqlite/V" + version + ".sql";
        try (InputStream in = SqliteSchema.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The program is incomplete: \"" + name + "\" is missing from its jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
