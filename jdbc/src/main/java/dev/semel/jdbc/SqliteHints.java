package dev.semel.jdbc;

import dev.semel.jdbc.SqliteHintFile.Kind;
import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore.Registration;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners, and other processes, what commits have made due or ended. One thread of its own, so that a slow listener
 * delays hints and nothing else; while nothing happens the thread sleeps.
 */
final class SqliteHints implements AutoCloseable {

    // Stamps of one kind come at most this often: more would only keep the others busy with looking.
    private static final long STAMP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final SqliteHintFile file;
    private final SqliteWatch watch;
    private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor thread;

    private final Object lock = new Object();
    private StoreNews untold = new StoreNews();
    private boolean scheduled;

    // Used by the thread only.
    private final Set<Kind> unstamped = EnumSet.noneOf(Kind.class);
    private long stampedAt = System.nanoTime() - STAMP_NANOS;
    private boolean stampScheduled;
    private boolean failed;

    SqliteHints(SqliteFile database) {
        Path path = database.path();
        file = new SqliteHintFile(path);
        watch = new SqliteWatch(database, file, this::others);
        thread = new ScheduledThreadPoolExecutor(
                1,
                task -> Thread.ofPlatform()
                        .daemon()
                        .name("semel-sqlite-hints " + path.getFileName())
                        .unstarted(task));
        // What comes after the store was closed is told to nobody.
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    Registration listen(StoreListener listener) {
        // A wrapper, so that one listener can be registered twice and each registration ends for itself.
        StoreListener registered = new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                listener.tasksMayBeDue(queues);
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                listener.tasksMayHaveEnded(ids);
            }
        };
        // Before the watch begins: its first look may have something to tell.
        listeners.add(registered);
        watch.start();
        return () -> listeners.remove(registered);
    }

    /** Tells of a commit of this process. It never throws: the commit has happened, and is answered whatever comes of this. */
    void tell(StoreNews news) {
        if (!news.hasDue() && !news.hasEnded()) {
            return;
        }
        try {
            synchronized (lock) {
                untold.add(news);
                if (scheduled) {
                    return;
                }
                scheduled = true;
            }
            thread.execute(this::deliver);
        } catch (Throwable e) {
            // No memory, most likely. Listeners look by themselves; the next commit tells them again.
            synchronized (lock) {
                scheduled = false;
            }
        }
    }

    /** Tells of a commit that is under way on somebody else's connection: once when it is about done, and once to be sure. */
    void tellSoon(StoreNews news) {
        after(TimeUnit.MILLISECONDS.toNanos(1), () -> tell(news));
        after(TimeUnit.MILLISECONDS.toNanos(25), () -> tell(news));
    }

    /** This process waits for the write lock, and its workers' heartbeats with it. */
    void kept(long now) {
        try {
            file.keptAt(now);
        } catch (IOException e) {
            SqliteReaders.LOG.debug("Other processes are not told that this one waits for a lock", e);
        }
    }

    /** When some process waited for the write lock last; 0 if that is not known. */
    long keptAt() {
        try {
            return file.keptAt();
        } catch (IOException e) {
            SqliteReaders.LOG.debug("Whether other processes wait for a lock is not known", e);
            return 0;
        }
    }

    /** Notes how far the file's time had come with a commit, so that it is noticed at the next opening if that is missing. */
    void committed(long time, @Nullable Object fileKey) {
        try {
            file.commitMark(new SqliteHintFile.CommitMark(time, SqliteHintFile.CommitMark.named(fileKey)));
        } catch (IOException e) {
            SqliteReaders.LOG.debug("A commit is not noted: \"{}\" cannot be written", file.directory(), e);
        }
    }

    private void after(long nanos, Runnable then) {
        Future<?> unused = thread.schedule(then, nanos, TimeUnit.NANOSECONDS);
    }

    private void deliver() {
        StoreNews news;
        synchronized (lock) {
            scheduled = false;
            news = untold;
            untold = new StoreNews();
        }
        toListeners(news);
        if (news.hasDue()) {
            unstamped.add(Kind.DUE);
        }
        if (news.hasEnded()) {
            unstamped.add(Kind.ENDED);
        }
        stamp();
    }

    /** Stamps now, or when the time has come. */
    private void stamp() {
        long since = System.nanoTime() - stampedAt;
        if (since < STAMP_NANOS) {
            if (!stampScheduled) {
                after(STAMP_NANOS - since, () -> {
                    stampScheduled = false;
                    stamp();
                });
                stampScheduled = true;
            }
            return;
        }
        if (!unstamped.isEmpty()) {
            stampedAt = System.nanoTime();
            try {
                Set<Kind> others = file.stamp(unstamped);
                failed = false;
                others(others);
            } catch (IOException e) {
                if (!failed) {
                    SqliteReaders.LOG.debug(
                            "Other processes are not told of new work: \"{}\" cannot be written", file.directory(), e);
                }
                failed = true;
            }
            unstamped.clear();
        }
    }

    /** Another process has told of something. */
    private void others(Set<Kind> kinds) {
        if (kinds.isEmpty()) {
            return;
        }
        StoreNews news = new StoreNews();
        if (kinds.contains(Kind.DUE)) {
            news.unknownDue();
        }
        if (kinds.contains(Kind.ENDED)) {
            news.unknownEnded();
        }
        toListeners(news);
    }

    private void toListeners(StoreNews news) {
        for (StoreListener listener : listeners) {
            try {
                if (news.hasDue()) {
                    listener.tasksMayBeDue(news.dueQueues());
                }
                if (news.hasEnded()) {
                    listener.tasksMayHaveEnded(news.endedIds());
                }
            } catch (Throwable e) {
                // What happened has happened, whatever a listener makes of the hint.
                SqliteReaders.LOG.warn("A listener failed with a hint of the SQLite store", e);
            }
        }
    }

    @Override
    public void close() {
        watch.close();
        listeners.clear();
        thread.shutdown();
        try {
            if (!thread.awaitTermination(1, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
