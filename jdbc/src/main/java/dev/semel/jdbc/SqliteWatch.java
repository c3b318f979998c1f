package dev.semel.jdbc;

import dev.semel.jdbc.SqliteHintFile.Kind;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the hints of other processes.
 *
 * <p>Where the system itself tells of changed files (Linux, Windows) a thread sleeps until that happens. Elsewhere, or if
 * that fails, it asks SQLite now and then whether somebody else has committed, more often while that is the case.
 */
final class SqliteWatch implements AutoCloseable {

    private static final long SHORTEST_POLL = 20;
    private static final long LONGEST_POLL = 250;
    private static final String DATA_VERSION = "PRAGMA data_version";

    private final SqliteFile database;
    private final SqliteHintFile file;
    private final Consumer<Set<Kind>> told;
    private final Object lock = new Object();
    private @Nullable Thread thread;
    private @Nullable WatchService service;
    private boolean closed;

    SqliteWatch(SqliteFile database, SqliteHintFile file, Consumer<Set<Kind>> told) {
        this.database = database;
        this.file = file;
        this.told = told;
    }

    /** Begins to watch, unless that has been done. What happens after this has returned is not missed. */
    void start() {
        synchronized (lock) {
            if (thread != null || closed) {
                return;
            }
            service = nativeService();
            thread = Thread.ofPlatform()
                    .daemon()
                    .name("semel-sqlite-watch " + database.path().getFileName())
                    .start(this::run);
        }
    }

    private @Nullable WatchService nativeService() {
        try {
            file.prepare();
            WatchService made = file.directory().getFileSystem().newWatchService();
            if (made.getClass().getSimpleName().contains("Polling")) {
                // Java's own substitute looks every few seconds; ours does better.
                made.close();
                return null;
            }
            register(made);
            return made;
        } catch (IOException | UnsupportedOperationException e) {
            SqliteReaders.LOG.debug("The hints of other processes cannot be watched, so SQLite is asked instead", e);
            return null;
        }
    }

    private void register(WatchService watching) throws IOException {
        file.directory().register(watching, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
    }

    /** Never ends before it is closed, whatever it meets. */
    private void run() {
        while (!isClosed()) {
            try {
                watchOrPoll();
            } catch (Throwable e) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LONGEST_POLL));
            }
        }
    }

    private void watchOrPoll() {
        WatchService watching;
        synchronized (lock) {
            watching = service;
        }
        try {
            if (watching != null) {
                watch(watching);
            }
        } catch (ClosedWatchServiceException e) {
            return;
        } catch (IOException e) {
            SqliteReaders.LOG.debug("The hints of other processes cannot be watched any more", e);
        } catch (InterruptedException e) {
            return;
        }
        try {
            poll();
        } catch (InterruptedException e) {
            // Closed.
            Thread.currentThread().interrupt();
        }
    }

    private void watch(WatchService watching) throws IOException, InterruptedException {
        while (true) {
            WatchKey key = watching.take();
            key.pollEvents();
            if (!key.reset()) {
                // Somebody removed the directory; it is made again, and watched again.
                file.prepare();
                register(watching);
                told.accept(EnumSet.allOf(Kind.class));
            }
            Set<Kind> changed = file.changed();
            if (!changed.isEmpty()) {
                told.accept(changed);
            }
        }
    }

    private void poll() throws InterruptedException {
        long pause = LONGEST_POLL;
        long version = -1;
        SqliteSession session = null;
        while (!isClosed()) {
            try {
                session = session == null ? database.openReader() : session;
                long now = dataVersion(session);
                boolean changed = now != version;
                version = now;
                pause = changed ? SHORTEST_POLL : Math.min(LONGEST_POLL, pause * 2);
                if (changed) {
                    told.accept(EnumSet.allOf(Kind.class));
                }
            } catch (SQLException e) {
                SqliteReaders.LOG.debug("Asking SQLite for commits of others failed", e);
                pause = LONGEST_POLL;
            }
            TimeUnit.MILLISECONDS.sleep(pause);
        }
        if (session != null) {
            try {
                session.close();
            } catch (SQLException e) {
                SqliteReaders.LOG.debug("Closing a connection failed", e);
            }
        }
    }

    private static long dataVersion(SqliteSession session) throws SQLException {
        try (ResultSet row = session.sql(DATA_VERSION).query()) {
            row.next();
            return row.getLong(1);
        }
    }

    private boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (lock) {
            closed = true;
            running = thread;
            if (service != null) {
                try {
                    service.close();
                } catch (IOException e) {
                    SqliteReaders.LOG.debug("Closing the watch of a directory failed", e);
                }
            }
        }
        if (running != null) {
            running.interrupt();
            SqliteReaders.join(running);
        }
    }
}
