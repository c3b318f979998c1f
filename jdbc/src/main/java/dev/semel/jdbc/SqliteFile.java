package dev.semel.jdbc;

import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteOpenMode;
import org.sqlite.jdbc4.JDBC4Connection;

/** The database file: looks at it before SQLite does, because a path says more than an error code, and opens it. */
final class SqliteFile {

    // In pages of 4 kB: 16 MB. A checkpoint writes each page once, however often it was changed since the last one, so
    // four
    // times SQLite's default means fewer writes, and it is still read in a moment after a crash.
    private static final int CHECKPOINT_PAGES = 4_000;

    // The log is cut back to this when it starts again at its beginning, so that one long reader does not cost disk for
    // ever.
    private static final long LOG_BYTES = 64L << 20;

    private static final int OPENING_MILLIS = 10_000;

    // As many as Linux follows.
    private static final int MOST_LINKS = 40;

    private final Path path;
    private final SqliteHealth health;

    private SqliteFile(Path path) {
        this.path = path;
        this.health = new SqliteHealth(path);
    }

    /** Looks whether a database can be there. */
    static SqliteFile at(Path given, boolean create) {
        Path path = given.toAbsolutePath().normalize();
        String which = "The SQLite file \"" + path + "\" ";
        Path directory = path.getParent();
        if (directory == null || Files.isDirectory(path)) {
            throw new StoreUnusable(
                    which + "is a directory. Name a file in it, for example \"" + path.resolve("semel.db") + "\".");
        }
        if (!Files.isDirectory(directory)) {
            throw new StoreUnusable(
                    which + "cannot be opened: there is no directory \"" + directory + "\". Create it.");
        }
        if (!Files.exists(path) && !create) {
            throw new StoreUnusable(which + "is not there. Look at its name, or allow that it is created.");
        }
        if (Files.exists(path) && !Files.isWritable(path)) {
            throw new StoreUnusable(which
                    + "can be read but not written. Give this user the right to write it, and look whether the disk"
                    + " is mounted read-only.");
        }
        if (!Files.isWritable(directory)) {
            throw new StoreUnusable(which + "needs files beside it, but the directory \"" + directory
                    + "\" cannot be written. Give this user the right to write in it, and look whether the disk is mounted"
                    + " read-only.");
        }
        if (!path.getFileSystem().equals(FileSystems.getDefault())
                || path.toString().contains("?")) {
            throw new StoreUnusable(
                    which + "cannot be opened by SQLite: its path has a \"?\" or is not one of the system's"
                            + " own file system. Name another file.");
        }
        Path real = real(path, which);
        int names = SqliteHealth.names(real);
        if (names > 1) {
            throw new StoreUnusable(SqliteHealth.manyNames(real, names));
        }
        return new SqliteFile(real);
    }

    /** The file itself, where symbolic links lead to it: SQLite names its log after that. */
    private static Path real(Path path, String which) {
        try {
            Path link = path;
            for (int i = 0; Files.isSymbolicLink(link) && !Files.exists(link) && i < MOST_LINKS; i++) {
                link = link.resolveSibling(Files.readSymbolicLink(link)).normalize();
            }
            if (Files.exists(link)) {
                return link.toRealPath();
            }
            Path directory = link.getParent();
            return directory == null ? link : directory.toRealPath().resolve(link.getFileName());
        } catch (IOException e) {
            throw new StoreUnusable(
                    which + "cannot be opened: a symbolic link on the way to it leads nowhere (" + e.getMessage()
                            + "). Fix the link, or name another file.",
                    e);
        }
    }

    Path path() {
        return path;
    }

    /** Whether the file can still be relied on. */
    SqliteHealth health() {
        return health;
    }

    /** Opens a connection that writes, in transactions that we begin and end ourselves. */
    SqliteSession openWriter(boolean create) throws SQLException {
        SqliteSession session = open(-64 * 1024, create);
        try {
            pragma(session, "PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
            pragma(session, "PRAGMA journal_size_limit = " + LOG_BYTES);
            // From here on the writer waits by itself.
            session.connection().getDatabase().busy_timeout(0);
            return session;
        } catch (SQLException e) {
            throw closed(session, e);
        }
    }

    /** Opens a connection that only reads. */
    SqliteSession openReader() throws SQLException {
        SqliteSession session = open(-8 * 1024, false);
        try {
            pragma(session, "PRAGMA query_only = 1");
            return session;
        } catch (SQLException e) {
            throw closed(session, e);
        }
    }

    /** Whether a connection of somebody else leads to the same file. */
    boolean isOpenedBy(SQLiteConnection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet databases = statement.executeQuery("PRAGMA database_list")) {
            while (databases.next()) {
                if (databases.getString(2).equals("main")) {
                    String file = databases.getString(3);
                    return file != null && !file.isEmpty() && Files.isSameFile(path, Path.of(file));
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    private SqliteSession open(int cacheKibibytes, boolean create) throws SQLException {
        // Says more than SQLite's error about a file that is not there.
        health.checkAgain();
        SQLiteConfig config = new SQLiteConfig();
        config.setOpenMode(SQLiteOpenMode.READWRITE);
        if (!create) {
            // A file that has gone must not come back empty.
            config.resetOpenMode(SQLiteOpenMode.CREATE);
        }
        // A new connection meets a lock in the moments when somebody turns the log on, recovers it or starts it again.
        config.setBusyTimeout(OPENING_MILLIS);
        // The driver would ask for the last row id after every insert.
        config.setGetGeneratedKeys(false);
        SQLiteConnection connection =
                new JDBC4Connection("jdbc:sqlite:" + path, path.toString(), config.toProperties());
        SqliteSession session = new SqliteSession(connection);
        try {
            // Only the driver's own idea of it, with no BEGIN sent: otherwise it tries to begin and commit a
            // transaction after
            // each statement of ours.
            connection.getConnectionConfig().setAutoCommit(false);
            pragma(session, "PRAGMA synchronous = FULL");
            pragma(session, "PRAGMA temp_store = MEMORY");
            pragma(session, "PRAGMA cache_size = " + cacheKibibytes);
            health.check();
            return session;
        } catch (SQLException e) {
            throw closed(session, e);
        } catch (StoreUnusable e) {
            session.close();
            throw e;
        }
    }

    static void pragma(SqliteSession session, String text) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(text);
        }
    }

    private static SQLException closed(SqliteSession session, SQLException because) {
        try {
            session.close();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
        return because;
    }
}
