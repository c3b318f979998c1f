package dev.semel.sqlite.hint;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.file.StoreThreads;
import dev.semel.sqlite.hint.HintFile.Kind;
import dev.semel.store.StoreListener;
import dev.semel.store.StoreNews;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The notification of listeners, and of other processes, that tasks have become due or have ended. It has one thread, so that
 * a slow listener delays hints and nothing else; while nothing happens the thread sleeps.
 */
public final class Hints implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Hints.class);

    // Stamps of one kind are written at most this often: more would only keep the other processes busy.
    private static final long STAMP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final HintFile file;
    private final HintWatcher watch;
    private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor thread;

    private final Object lock = new Object();
    private StoreNews pending = new StoreNews();
    private boolean scheduled;

    // Used by the thread only.
    private final Set<Kind> unstamped = EnumSet.noneOf(Kind.class);
    private long stampedAt = System.nanoTime() - STAMP_NANOS;
    private boolean stampScheduled;
    private boolean failed;

    public Hints(DatabaseFile database) {
        Path path = database.path();
        file = new HintFile(path);
        watch = new HintWatcher(database, file, this::others);
        thread = new ScheduledThreadPoolExecutor(1, task -> StoreThreads.unstarted("hints", path, task));
        // Hints after the store was closed are discarded.
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    public Registration listen(StoreListener listener) {
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
        // Before the watch begins: it may have a hint at once.
        listeners.add(registered);
        watch.start();
        return () -> listeners.remove(registered);
    }

    /** Notifies of a commit of this process. It never throws, because the commit has happened and must be answered. */
    public void notifyOf(StoreNews news) {
        if (!news.hasDue() && !news.hasEnded()) {
            return;
        }
        try {
            synchronized (lock) {
                pending.add(news);
                if (scheduled) {
                    return;
                }
                scheduled = true;
            }
            thread.execute(this::deliver);
        } catch (Throwable e) {
            // No memory, most likely. Listeners also poll; the next commit notifies them again.
            synchronized (lock) {
                scheduled = false;
            }
        }
    }

    /** Notifies of a commit that is in progress on a caller's connection: once when it is about done, and once to be sure. */
    public void notifySoon(StoreNews news) {
        after(TimeUnit.MILLISECONDS.toNanos(1), () -> notifyOf(news));
        after(TimeUnit.MILLISECONDS.toNanos(25), () -> notifyOf(news));
    }

    /** Notifies other processes that this one waits for the write lock, and its workers' heartbeats with it. */
    public void kept(long now) {
        try {
            file.keptAt(now);
        } catch (IOException e) {
            LOG.debug("Wait for the lock not recorded: directory=\"{}\"", file.directory(), e);
        }
    }

    /** When a process last waited long for the write lock; 0 if that is not known. */
    public long keptAt() {
        try {
            return file.keptAt();
        } catch (IOException e) {
            LOG.debug("Waits for the lock cannot be read: directory=\"{}\"", file.directory(), e);
            return 0;
        }
    }

    /** Records the file's time of a commit, so that the next opening notices if that commit is missing. */
    public void committed(long time, @Nullable Object fileKey) {
        try {
            file.commitMark(new HintFile.CommitMark(time, HintFile.CommitMark.named(fileKey)));
        } catch (IOException e) {
            LOG.debug("Commit mark not written: directory=\"{}\"", file.directory(), e);
        }
    }

    private void after(long nanos, Runnable then) {
        Future<?> unused = thread.schedule(then, nanos, TimeUnit.NANOSECONDS);
    }

    private void deliver() {
        StoreNews news;
        synchronized (lock) {
            scheduled = false;
            news = pending;
            pending = new StoreNews();
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

    /** Stamps now, or as soon as it may. */
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
                    LOG.debug("Other processes not notified of new work: directory=\"{}\"", file.directory(), e);
                }
                failed = true;
            }
            unstamped.clear();
        }
    }

    /** Notifies the listeners of a hint of another process. */
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
                // The commit stands, whatever a listener does with the hint.
                LOG.warn("Listener failed", e);
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
