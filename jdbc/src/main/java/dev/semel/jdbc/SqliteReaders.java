package dev.semel.jdbc;

import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads that read, each with a connection of its own. A read sees one state of the database, the newest that was
 * committed when it began, and neither waits for the writer nor makes it wait.
 */
final class SqliteReaders implements AutoCloseable {

    static final Logger LOG = LoggerFactory.getLogger(SqliteTaskStore.class);

    private static final int MOST_WISHES = 1_024;

    private static final int MOST_CLOSES = 1_000;
    private static final long CLOSE_PAUSE = 10_000_000;

    /** An operation that reads. */
    interface Work<T> {
        T run(SqliteSession session, SqliteNames names) throws SQLException;
    }

    private static class Wish<T> {

        private final Work<T> work;
        private final Answer<T> answer = new Answer<>();

        Wish(Work<T> work) {
            this.work = work;
        }

        void run(SqliteSession session, SqliteNames names) throws SQLException {
            session.begin();
            T result = work.run(session, names);
            session.commit();
            answer.complete(result);
        }
    }

    /** Ends one reader, after everything that was asked for before. */
    private static final class Stop extends Wish<Boolean> {
        Stop() {
            super((session, names) -> true);
        }
    }

    private final SqliteFile file;
    private final LinkedBlockingQueue<Wish<?>> wishes = new LinkedBlockingQueue<>(MOST_WISHES);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    SqliteReaders(SqliteFile file, int number) {
        this.file = file;
        for (int i = 1; i <= number; i++) {
            // Platform threads for the same reason as the writer's.
            threads.add(Thread.ofPlatform()
                    .daemon()
                    .name("semel-sqlite-reader-" + i + " " + file.path().getFileName())
                    .start(this::run));
        }
    }

    <T> T ask(Work<T> work) {
        Wish<T> wish = new Wish<>(work);
        try {
            if (closed) {
                throw closedStore();
            }
            file.health().require();
            if (!wishes.offer(wish) && !wishes.offer(wish, 30, TimeUnit.SECONDS)) {
                throw new StoreUnavailable("The SQLite file \"" + file.path() + "\" has " + MOST_WISHES
                        + " reads waiting. Try again later.");
            }
            if (closed && wishes.remove(wish)) {
                throw closedStore();
            }
            return wish.answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable(
                    "This thread was interrupted while it read the SQLite file \"" + file.path() + "\".", e);
        } catch (ExecutionException e) {
            throw rethrown(file, e.getCause());
        }
    }

    /** What a caller gets for a failure on a thread of the store. */
    static RuntimeException rethrown(SqliteFile file, @Nullable Throwable because) {
        return switch (because) {
            case SQLException e -> file.health().translated(e);
            // One failure can be that of many callers; each gets an exception with its own stack.
            case StoreUnavailable e -> new StoreUnavailable(String.valueOf(e.getMessage()), e);
            case StoreUnusable e -> new StoreUnusable(String.valueOf(e.getMessage()), e);
            case RuntimeException e -> e;
            case null -> new StoreUnavailable("The SQLite file \"" + file.path() + "\" could not be used.");
            default ->
                new StoreUnavailable("The SQLite file \"" + file.path() + "\" could not be used: " + because, because);
        };
    }

    private StoreUnusable closedStore() {
        return new StoreUnusable(
                "The store on the SQLite file \"" + file.path() + "\" is closed. Open it again, or close it later.");
    }

    private void run() {
        SqliteSession session = null;
        SqliteNames names = null;
        while (true) {
            Wish<?> wish;
            try {
                wish = wishes.take();
            } catch (Throwable e) {
                // Nobody but this class has the thread, so nobody means an interrupt; and no memory to wait is no end.
                continue;
            }
            if (wish instanceof Stop) {
                break;
            }
            try {
                if (session == null || names == null) {
                    session = file.openReader();
                    names = new SqliteNames(session);
                }
                file.health().check();
                wish.run(session, names);
            } catch (Throwable e) {
                // Answered first, because nothing after it may be possible, if there is no memory.
                wish.answer.fail(e);
                SqliteSession broken = session;
                session = null;
                discard(broken);
            }
        }
        discard(session);
    }

    private void discard(@Nullable SqliteSession session) {
        if (session != null) {
            close(session, file.path());
        }
    }

    /**
     * Closes a connection, whatever it takes: one that stays open keeps its lock, and the file from everybody. That needs a
     * little memory, so it is tried for ten seconds to get it.
     */
    static void close(SqliteSession session, Path path) {
        for (int tries = 0; tries < MOST_CLOSES; tries++) {
            try {
                session.close();
                return;
            } catch (SQLException e) {
                LOG.warn("Closing a connection to the SQLite file \"{}\" failed", path, e);
                return;
            } catch (Throwable e) {
                LockSupport.parkNanos(CLOSE_PAUSE);
            }
        }
    }

    static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        for (int i = 0; i < threads.size(); i++) {
            while (!wishes.offer(new Stop())) {
                // Full, so the readers are at work and there will be a place.
                Thread.onSpinWait();
            }
        }
        threads.forEach(SqliteReaders::join);
        for (Wish<?> late = wishes.poll(); late != null; late = wishes.poll()) {
            late.answer.fail(closedStore());
        }
    }
}
