package dev.semel.cli;

import dev.semel.task.StoreUnusable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.sqlite.SQLiteConfig;

/** A read-only view of a SQLite file that does not use the store. */
final class SqliteInspection implements AutoCloseable {

    private final Path file;
    private final Connection connection;

    private SqliteInspection(Path file, Connection connection) {
        this.file = file;
        this.connection = connection;
    }

    static SqliteInspection of(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(5_000);
        try {
            return new SqliteInspection(file, config.createConnection("jdbc:sqlite:" + file.toAbsolutePath()));
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }

    /** Returns the version of Semel's tables in a file; 0 if the file does not exist or has no such tables. */
    static int schemaVersion(Path file) {
        if (!Files.exists(file)) {
            return 0;
        }
        try (SqliteInspection inspection = of(file)) {
            return inspection.schemaVersion();
        }
    }

    int schemaVersion() {
        boolean there = !ask("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'semel_schema'")
                .equals("0");
        return there ? Integer.parseInt(ask("SELECT coalesce(max(version), 0) FROM semel_schema")) : 0;
    }

    /** Returns the file's time, or the epoch if it has none. */
    Instant time() {
        boolean there = !ask("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'semel_clock'")
                .equals("0");
        return Instant.ofEpochMilli(there ? Long.parseLong(ask("SELECT coalesce(max(time), 0) FROM semel_clock")) : 0);
    }

    /** Returns the first column of the first row of a query. */
    String ask(String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            String answer = rows.next() ? rows.getString(1) : null;
            return answer == null ? "" : answer;
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }

    private static StoreUnusable unreadable(Path file, SQLException e) {
        return new StoreUnusable(
                "The SQLite file \"" + file + "\" cannot be read: " + e.getMessage()
                        + ". Check that it is a SQLite database and that this user may read it.",
                e);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw unreadable(file, e);
        }
    }
}
