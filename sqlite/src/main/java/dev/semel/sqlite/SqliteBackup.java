package dev.semel.sqlite;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;

/**
 * A consistent copy of a SQLite file, made while programs use it. It holds everything that was committed when the copy began. Readers and
 * writers go on meanwhile; the log of the file grows until the copy is complete.
 */
public final class SqliteBackup {

    private static final int WAIT_MILLIS = 30_000;

    private SqliteBackup() {}

    /**
     * Copies a file. The copy appears under its name when it is complete, checked and on the disk, and not before.
     *
     * @param file the file of a store
     * @param copy the copy, which must not exist yet
     * @return the size of the copy in bytes
     */
    public static long copy(Path file, Path copy) {
        Path source = Limits.notNull("file", file).toAbsolutePath();
        Path target = Limits.notNull("copy", copy).toAbsolutePath();
        if (!Files.exists(source)) {
            throw new StoreUnusable("The SQLite file \"" + file + "\" is not there. Check its name.");
        }
        Path directory = target.getParent();
        if (Files.exists(target) || directory == null || !Files.isDirectory(directory)) {
            throw new InvalidInput("A backup is a new file in an existing directory, but got \""
                    + Limits.shown(copy.toString()) + "\". Choose another name, or remove the file.");
        }
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try {
            Files.deleteIfExists(part);
            // SQLite takes an empty file for an empty database. Its permissions are those of the original.
            Files.createFile(part);
            if (Files.getFileAttributeView(part, PosixFileAttributeView.class) != null) {
                Files.setPosixFilePermissions(part, Files.getPosixFilePermissions(source));
            }
            vacuum(source, part);
            complete(part);
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            return Files.size(target);
        } catch (SQLException | IOException e) {
            throw new StoreUnusable(
                    "The SQLite file \"" + file + "\" could not be copied to \"" + copy + "\": " + e.getMessage()
                            + ". Check the space and the permissions there; \"" + part + "\" can be removed.",
                    e);
        }
    }

    private static void vacuum(Path source, Path part) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(WAIT_MILLIS);
        try (Connection connection = config.createConnection("jdbc:sqlite:" + source);
                PreparedStatement statement = connection.prepareStatement("VACUUM INTO ?")) {
            statement.setString(1, part.toString());
            statement.execute();
        }
    }

    /** Gives the copy the write-ahead log that stores need, and checks it. */
    private static void complete(Path part) throws SQLException {
        try (Connection connection = new SQLiteConfig().createConnection("jdbc:sqlite:" + part);
                Statement statement = connection.createStatement()) {
            expect(statement, "PRAGMA journal_mode = WAL", "wal");
            expect(statement, "PRAGMA integrity_check(1)", "ok");
        }
    }

    private static void expect(Statement statement, String pragma, String expected) throws SQLException {
        try (ResultSet row = statement.executeQuery(pragma)) {
            String got = row.next() ? row.getString(1) : "nothing";
            if (!expected.equals(got)) {
                throw new SQLException("expected \"" + expected + "\" from " + pragma + ", but got \"" + got + "\"");
            }
        }
    }
}
