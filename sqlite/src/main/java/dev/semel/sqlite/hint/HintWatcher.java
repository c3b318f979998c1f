package dev.semel.sqlite.hint;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.file.StoreThreads;
import dev.semel.sqlite.hint.HintFile.Kind;
import dev.semel.sqlite.sql.Session;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that waits for hints of other processes.
 *
 * <p>Where the system reports changed files (Linux, Windows) it sleeps until that happens. Elsewhere, or if that fails, it
 * polls SQLite for commits of other processes, more often while there are some.
 */
public final class HintWatcher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HintWatcher.class);

    private static final long SHORTEST_POLL = 20;
    private static final long LONGEST_POLL = 250;
    private static final String DATA_VERSION = "PRAGMA data_version";

    private final DatabaseFile database;
    private final HintFile file;
    private final Consumer<Set<Kind>> listener;
    private final Object lock = new Object();
    private @Nullable Thread thread;
    private @Nullable WatchService service;
    private boolean closed;

    HintWatcher(DatabaseFile database, HintFile file, Consumer<Set<Kind>> listener) {
        this.database = database;
        this.file = file;
        this.listener = listener;
    }

    /** Starts the thread, unless it was started. Hints that arrive after this has returned are not missed. */
    public void start() {
        synchronized (lock) {
            if (thread != null || closed) {
                return;
            }
            service = nativeService();
            thread = StoreThreads.start("watch", database.path(), this::run);
        }
    }

    private @Nullable WatchService nativeService() {
        try {
            file.prepare();
            WatchService made = file.directory().getFileSystem().newWatchService();
            if (made.getClass().getSimpleName().contains("Polling")) {
                // Java's own substitute polls every few seconds; ours polls more often.
                made.close();
                return null;
            }
            register(made);
            return made;
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("Hints cannot be watched, SQLite is polled instead: directory=\"{}\"", file.directory(), e);
            return null;
        }
    }

    private void register(WatchService watching) throws IOException {
        file.directory().register(watching, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
    }

    /** Runs until it is closed, whatever is thrown. */
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
            LOG.debug(
                    "Hints can no longer be watched, SQLite is polled instead: directory=\"{}\"", file.directory(), e);
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
                // The directory was removed; it is created and watched again.
                file.prepare();
                register(watching);
                listener.accept(EnumSet.allOf(Kind.class));
            }
            Set<Kind> changed = file.changed();
            if (!changed.isEmpty()) {
                listener.accept(changed);
            }
        }
    }

    private void poll() throws InterruptedException {
        long pause = LONGEST_POLL;
        long version = -1;
        Session session = null;
        while (!isClosed()) {
            try {
                session = session == null ? database.openReader() : session;
                long now = dataVersion(session);
                boolean changed = now != version;
                version = now;
                pause = changed ? SHORTEST_POLL : Math.min(LONGEST_POLL, pause * 2);
                if (changed) {
                    listener.accept(EnumSet.allOf(Kind.class));
                }
            } catch (SQLException e) {
                LOG.debug("Commits of other processes cannot be polled: file=\"{}\"", database.path(), e);
                pause = LONGEST_POLL;
            }
            TimeUnit.MILLISECONDS.sleep(pause);
        }
        if (session != null) {
            try {
                session.close();
            } catch (SQLException e) {
                LOG.debug("Connection not closed: file=\"{}\"", database.path(), e);
            }
        }
    }

    private static long dataVersion(Session session) throws SQLException {
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
                    LOG.debug("Watch not closed: directory=\"{}\"", file.directory(), e);
                }
            }
        }
        if (running != null) {
            running.interrupt();
            StoreThreads.join(running);
        }
    }
}
