package dev.semel.jdbc;

import dev.semel.task.SemelException;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/**
 * Whether the database file can still be relied on: it is the file that was opened, under its only name, with its own log, and
 * no page of it was found damaged. Once one of these fails, the store refuses everything until it is opened again.
 *
 * <p>SQLite itself notices none of this. It goes on writing to a file that has no name any more, and a program that opens the
 * name afterwards finds nothing of that.
 */
final class SqliteHealth {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Path path;
    private final Path log;
    private final Path index;

    private volatile @Nullable Object key;
    private volatile @Nullable String refusal;

    // Used by the writer only.
    private @Nullable Object logKey;
    private @Nullable Object indexKey;
    private long lookedAt = System.nanoTime() - LOOK_NANOS;

    SqliteHealth(Path path) {
        this.path = path;
        this.log = path.resolveSibling(path.getFileName() + "-wal");
        this.index = path.resolveSibling(path.getFileName() + "-shm");
    }

    /** Identifies the file on this machine; null where the system has no such thing. */
    @Nullable
    Object key() {
        return key;
    }

    /** Refuses to go on with a file that was found unreliable. */
    void require() {
        String because = refusal;
        if (because != null) {
            throw new StoreUnusable(because);
        }
    }

    /** Checks as {@link #check} does, unless nobody knows the file so far. */
    void checkAgain() {
        if (key == null) {
            require();
        } else {
            check();
        }
    }

    /**
     * Checks that the name still leads to the file that is open: after each connection is opened, the first of which says which
     * file that is, and before anything done to it is acknowledged.
     */
    void check() {
        require();
        try {
            Object now = key(path);
            Object opened = key;
            if (opened == null) {
                key = now;
            } else if (!opened.equals(now)) {
                throw refused("was replaced by another file while it was open");
            }
        } catch (NoSuchFileException e) {
            throw refused("was deleted or moved while it was open");
        } catch (IOException e) {
            SqliteReaders.LOG.debug("The file \"{}\" cannot be looked at", path, e);
        }
    }

    /** Whether the time has come for the writer to look more closely; it then does so once. */
    boolean isLookDue() {
        if (System.nanoTime() - lookedAt < LOOK_NANOS) {
            return false;
        }
        lookedAt = System.nanoTime();
        return true;
    }

    /** Checks what lies beside the file, and that it has one name; the writer has just committed. */
    void look() {
        logKey = unchanged(log, "-wal", logKey);
        indexKey = unchanged(index, "-shm", indexKey);
        int names = names(path);
        if (names > 1) {
            throw refuse(manyNames(path, names));
        }
    }

    /** The writer has a new connection. SQLite may have made the files beside the database anew. */
    void reconnected() {
        logKey = null;
        indexKey = null;
    }

    /** Says what an error means for the caller, and notes it. */
    SemelException translated(SQLException e) {
        note(e);
        return SqliteErrors.translated(path, e);
    }

    /** Notes an error: after one that tells of a damaged file everything is refused. */
    void note(SQLException e) {
        int code = SqliteErrors.primary(e);
        if (code == SQLiteErrorCode.SQLITE_CORRUPT.code || code == SQLiteErrorCode.SQLITE_NOTADB.code) {
            refuse(String.valueOf(SqliteErrors.translated(path, e).getMessage()));
        }
    }

    /** Refuses everything from now on. */
    StoreUnusable refuse(String because) {
        if (refusal == null) {
            refusal = because;
            SqliteReaders.LOG.error("Store refuses everything from now on: {}", because);
        }
        return new StoreUnusable(because);
    }

    private @Nullable Object unchanged(Path beside, String suffix, @Nullable Object before) {
        try {
            Object now = key(beside);
            if (before == null || before.equals(now)) {
                return now;
            }
        } catch (NoSuchFileException e) {
            // The same as replaced: another program that opens the database makes a new one, and does not see this one.
        } catch (IOException e) {
            SqliteReaders.LOG.debug("The file \"{}\" cannot be looked at", beside, e);
            return before;
        }
        throw refuse("The SQLite file \"" + path + "\" is open, but its \"" + suffix
                + "\" was deleted or replaced. What was committed last may be lost, and nothing more is accepted. Stop all"
                + " programs on the file, run \"semel doctor\", and leave the files beside a database alone.");
    }

    private StoreUnusable refused(String what) {
        return refuse("The SQLite file \"" + path + "\" " + what
                + ". Nothing more is accepted, because it would be lost; what"
                + " was being written at that moment may be in the file that has gone. Stop all programs on the file, put"
                + " the right one in its place, and start them again.");
    }

    static String manyNames(Path path, int names) {
        return "The SQLite file \"" + path + "\" has " + names
                + " names, because somebody made a hard link to it. Programs that"
                + " open it by different names destroy it, so it is not used. Remove the other names, and open the store"
                + " again; use a symbolic link if a second name is needed.";
    }

    /** How many names a file has; 1 where the system does not say. */
    static int names(Path path) {
        try {
            return Files.getAttribute(path, "unix:nlink") instanceof Integer names ? names : 1;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return 1;
        }
    }

    private static @Nullable Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }
}
