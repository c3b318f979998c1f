package dev.semel.sqlite.file;

import dev.semel.sqlite.sql.Session;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteOpenMode;
import org.sqlite.jdbc4.JDBC4Connection;

/** The database file. It is checked before SQLite opens it, because a message about a path helps more than an error code. */
public final class DatabaseFile {

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseFile.class);

    // In pages of 4 kB: 16 MB. A checkpoint writes each page once, however often it was changed since the last one, so
    // four times SQLite's default means fewer writes, and it is still read in a moment after a crash.
    private static final int CHECKPOINT_PAGES = 4_000;

    // The log is cut back to this when it starts again at its beginning, so that one long reader does not cost disk for
    // ever.
    private static final long LOG_BYTES = 64L << 20;

    private static final int OPENING_MILLIS = 10_000;

    private static final int MOST_CLOSES = 1_000;
    private static final long CLOSE_PAUSE = 10_000_000;

    // As many as Linux follows.
    private static final int MOST_LINKS = 40;

    private final Path path;
    private final FileHealth health;

    private DatabaseFile(Path path) {
        this.path = path;
        this.health = new FileHealth(path);
    }

    /** Checks that a database can be at a path. */
    public static DatabaseFile at(Path given, boolean create) {
        if (Limits.notNull("file", given).toString().startsWith(":memory:")) {
            throw new StoreUnusable(
                    "A SQLite store is a file, which several connections of it share, but got \":memory:\"."
                            + " Name a file, or use InMemoryTaskStore or InMemoryGuardStore for a test.");
        }
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
            throw new StoreUnusable(which + "is not there. Check its name, or allow that it is created.");
        }
        if (Files.exists(path) && !Files.isWritable(path)) {
            throw new StoreUnusable(which
                    + "can be read but not written. Give this user the right to write it, and check whether the disk"
                    + " is mounted read-only.");
        }
        if (!Files.isWritable(directory)) {
            throw new StoreUnusable(which + "needs files beside it, but the directory \"" + directory
                    + "\" cannot be written. Give this user the right to write in it, and check whether the disk is mounted"
                    + " read-only.");
        }
        if (!path.getFileSystem().equals(FileSystems.getDefault())
                || path.toString().contains("?")) {
            throw new StoreUnusable(
                    which + "cannot be opened by SQLite: its path has a \"?\" or is not one of the system's"
                            + " own file system. Name another file.");
        }
        Path real = real(path, which);
        int names = FileHealth.names(real);
        if (names > 1) {
            throw new StoreUnusable(FileHealth.manyNames(real, names));
        }
        return new DatabaseFile(real);
    }

    /** The file that symbolic links lead to: SQLite names its log after that. */
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

    public Path path() {
        return path;
    }

    /** Whether the file can still be relied on. */
    public FileHealth health() {
        return health;
    }

    /** Creates the file with these permissions, unless it exists. */
    public void create(Set<PosixFilePermission> permissions) {
        FilePermissions.create(path, permissions);
    }

    /** The exception of a call to a store on this file that was closed. */
    public StoreUnusable closedStore() {
        return StoreUnusable.closed("The store on the SQLite file \"" + path + "\"");
    }

    /** Opens a connection that writes, in transactions that we begin and end ourselves. */
    public Session openWriter(boolean create) throws SQLException {
        Session session = open(-64 * 1024, create);
        try {
            pragma(session, "PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
            pragma(session, "PRAGMA journal_size_limit = " + LOG_BYTES);
            // From here on the writer waits for the lock by itself (WriteLock).
            session.connection().getDatabase().busy_timeout(0);
            return session;
        } catch (SQLException e) {
            throw closed(session, e);
        }
    }

    /** Opens a connection that only reads. */
    public Session openReader() throws SQLException {
        Session session = open(-8 * 1024, false);
        try {
            pragma(session, "PRAGMA query_only = 1");
            return session;
        } catch (SQLException e) {
            throw closed(session, e);
        }
    }

    /** Whether the write-ahead log is on. */
    public boolean hasWriteAheadLog(Session session) throws SQLException {
        try (Statement statement = session.connection().createStatement();
                ResultSet mode = statement.executeQuery("PRAGMA journal_mode")) {
            return mode.next() && mode.getString(1).equals("wal");
        }
    }

    /** Turns the write-ahead log on, so that readers and the writer do not wait for each other. The file keeps this setting. */
    public void useWriteAheadLog(Session session) throws SQLException {
        try (Statement statement = session.connection().createStatement();
                ResultSet mode = statement.executeQuery("PRAGMA journal_mode = WAL")) {
            mode.next();
            if (!mode.getString(1).equals("wal")) {
                throw new StoreUnusable("The SQLite file \"" + path + "\" cannot have a write-ahead log, only \""
                        + mode.getString(1) + "\". Use a local file system.");
            }
        }
    }

    /** Whether a connection of a caller is one to the same file. */
    public boolean isOpenedBy(SQLiteConnection connection) throws SQLException {
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

    private Session open(int cacheKibibytes, boolean create) throws SQLException {
        // Fails with a better message than SQLite's if the file is not there.
        health.checkAgain();
        SQLiteConfig config = new SQLiteConfig();
        config.setOpenMode(SQLiteOpenMode.READWRITE);
        if (!create) {
            // A file that was deleted must not be created again, empty.
            config.resetOpenMode(SQLiteOpenMode.CREATE);
        }
        // A new connection meets a lock while another one turns the log on, recovers it or starts it again.
        config.setBusyTimeout(OPENING_MILLIS);
        // The driver would ask for the last row id after every insert.
        config.setGetGeneratedKeys(false);
        SQLiteConnection connection =
                new JDBC4Connection("jdbc:sqlite:" + path, path.toString(), config.toProperties());
        Session session = new Session(connection);
        try {
            // Only the driver's own state, with no BEGIN sent: otherwise it tries to begin and commit a transaction
            // after each statement of ours.
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

    /**
     * Closes a connection in any case: one that stays open keeps its lock, and no program can write to the file. That needs a
     * little memory, so it is retried for ten seconds.
     */
    public void close(Session session) {
        for (int tries = 0; tries < MOST_CLOSES; tries++) {
            try {
                session.close();
                return;
            } catch (SQLException e) {
                LOG.warn("Connection not closed: file=\"{}\"", path, e);
                return;
            } catch (Throwable e) {
                LockSupport.parkNanos(CLOSE_PAUSE);
            }
        }
    }

    public static void pragma(Session session, String text) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(text);
        }
    }

    private static SQLException closed(Session session, SQLException because) {
        try {
            session.close();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
        return because;
    }
}
