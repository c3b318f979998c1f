package dev.semel.sqlite.file;

import dev.semel.sqlite.sql.ErrorTranslator;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;

/**
 * Whether the database file can still be relied on: it is the file that was opened, under its only name, with its own log, and
 * no page of it was found damaged. Once one of these fails, the store rejects every call until it is opened again.
 *
 * <p>SQLite itself notices none of this. It continues to write to a file that no longer has a name, and a program that opens
 * the name afterwards finds nothing of that.
 */
public final class FileHealth {

    private static final Logger LOG = LoggerFactory.getLogger(FileHealth.class);

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

    FileHealth(Path path) {
        this.path = path;
        this.log = path.resolveSibling(path.getFileName() + "-wal");
        this.index = path.resolveSibling(path.getFileName() + "-shm");
    }

    /** Identifies the file on this machine; null where the system has no such thing. */
    @Nullable
    public Object key() {
        return key;
    }

    /** Rejects the call if the file was found unreliable. */
    public void require() {
        String because = refusal;
        if (because != null) {
            throw new StoreUnusable(because);
        }
    }

    /** Checks as {@link #check} does, unless no connection was opened yet. */
    void checkAgain() {
        if (key == null) {
            require();
        } else {
            check();
        }
    }

    /**
     * Checks that the name still leads to the file that is open: after each connection is opened, the first of which
     * determines which file that is, and before anything done to it is acknowledged.
     */
    public void check() {
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
            LOG.debug("File attributes cannot be read: file=\"{}\"", path, e);
        }
    }

    /** Whether the full check of the writer is due; if so, it counts as made. */
    public boolean isLookDue() {
        if (System.nanoTime() - lookedAt < LOOK_NANOS) {
            return false;
        }
        lookedAt = System.nanoTime();
        return true;
    }

    /** Checks the files beside the database, and that it has one name. For the writer, after a commit. */
    public void look() {
        logKey = unchanged(log, "-wal", logKey);
        indexKey = unchanged(index, "-shm", indexKey);
        int names = names(path);
        if (names > 1) {
            throw refuse(manyNames(path, names));
        }
    }

    /** Notices that the writer has a new connection: SQLite may have created the files beside the database again. */
    public void reconnected() {
        logKey = null;
        indexKey = null;
    }

    /** Translates an error for the caller, and records it. */
    public SemelException translated(SQLException e) {
        note(e);
        return ErrorTranslator.translated(path, e);
    }

    /** The exception that a caller gets for a failure on a thread of the store. */
    public RuntimeException rethrown(@Nullable Throwable because) {
        return switch (because) {
            case SQLException e -> translated(e);
            // One failure can be that of many callers; each gets an exception with its own stack.
            case StoreUnavailable e -> new StoreUnavailable(String.valueOf(e.getMessage()), e);
            case StoreUnusable e -> new StoreUnusable(String.valueOf(e.getMessage()), e);
            case RuntimeException e -> e;
            case null -> new StoreUnavailable("The SQLite file \"" + path + "\" could not be used.");
            default -> new StoreUnavailable("The SQLite file \"" + path + "\" could not be used: " + because, because);
        };
    }

    /** Records an error: after one that reports a damaged file every call is rejected. */
    public void note(SQLException e) {
        int code = ErrorTranslator.primary(e);
        if (code == SQLiteErrorCode.SQLITE_CORRUPT.code || code == SQLiteErrorCode.SQLITE_NOTADB.code) {
            refuse(String.valueOf(ErrorTranslator.translated(path, e).getMessage()));
        }
    }

    /** Rejects every call from now on. */
    public StoreUnusable refuse(String because) {
        if (refusal == null) {
            refusal = because;
            LOG.error("Store rejects every call from now on: reason=\"{}\"", because);
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
            // The same as replaced: another program that opens the database creates a new one, and does not see this
            // one.
        } catch (IOException e) {
            LOG.debug("File attributes cannot be read: file=\"{}\"", beside, e);
            return before;
        }
        throw refuse("The SQLite file \"" + path + "\" is open, but its \"" + suffix
                + "\" was deleted or replaced. What was committed last may be lost, and nothing more is accepted. Stop all"
                + " programs on the file, run \"semel doctor\", and leave the files beside a database alone.");
    }

    private StoreUnusable refused(String what) {
        return refuse("The SQLite file \"" + path + "\" " + what
                + ". Nothing more is accepted, because it would be lost; what"
                + " was being written at that moment may be in the file that is gone. Stop all programs on the file, put"
                + " the right one in its place, and start them again.");
    }

    static String manyNames(Path path, int names) {
        return "The SQLite file \"" + path + "\" has " + names
                + " names, because a hard link to it was created. Programs that"
                + " open it by different names destroy it, so it is not used. Remove the other names, and open the store"
                + " again; use a symbolic link if a second name is needed.";
    }

    /** How many names a file has; 1 where the system does not report it. */
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
