package dev.semel.postgresql.hint;

import dev.semel.store.StoreListener;
import dev.semel.store.StoreNews;
import dev.semel.store.TaskStore.Registration;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies listeners, and other processes, of what commits have made due or ended. It has a thread of its own for listeners, so that
 * a slow one delays hints and nothing else, and another one for other processes: a worker of this process must not wait for the
 * round trips that notify others of an earlier commit. While nothing happens the threads sleep.
 *
 * <p>Other processes are notified by {@code NOTIFY} after the commit, never in a transaction of a task: there it would make all
 * commits of the database come one after the other. At most once in a short while, whatever happens meanwhile. Nothing
 * depends on it but speed.
 */
public final class Hints implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Hints.class);

    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    // More queues than this in one message are "some": a message has 8,000 bytes at the most.
    private static final int MOST_QUEUES = 20;

    /** Sends a message to the other processes. */
    public interface Sender {
        void send(String message);
    }

    private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor thread;
    private final ScheduledThreadPoolExecutor sending;
    private final @Nullable Sender sender;

    private final Object lock = new Object();
    private StoreNews untold = new StoreNews();
    private boolean scheduled;
    private StoreNews unsent = new StoreNews();
    private boolean sendScheduled;

    // Used by the sending thread only.
    private long sentAt = System.nanoTime() - WINDOW_NANOS;

    public Hints(@Nullable Sender sender) {
        this.sender = sender;
        thread = thread("semel-postgres-hints");
        sending = thread("semel-postgres-notify");
    }

    private static ScheduledThreadPoolExecutor thread(String name) {
        ScheduledThreadPoolExecutor made = new ScheduledThreadPoolExecutor(
                1, task -> Thread.ofPlatform().daemon().name(name).unstarted(task));
        // Hints after the store was closed are discarded.
        made.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        made.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return made;
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
        listeners.add(registered);
        return () -> listeners.remove(registered);
    }

    /** Notifies of a commit of this process. It never throws: the commit has happened, and is answered whatever comes of this. */
    public void tell(StoreNews news) {
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
            // No memory, most likely. Listeners poll as well, and the next commit notifies them again.
            synchronized (lock) {
                scheduled = false;
            }
        }
    }

    /** Notifies listeners of what another process has sent. */
    public void heard(String message) {
        StoreNews news = read(message);
        thread.execute(() -> toListeners(news));
    }

    private void deliver() {
        StoreNews news;
        synchronized (lock) {
            scheduled = false;
            news = untold;
            untold = new StoreNews();
        }
        toListeners(news);
        if (sender == null || (!news.hasDue() && !news.hasEnded())) {
            return;
        }
        synchronized (lock) {
            unsent.add(news);
            if (sendScheduled) {
                return;
            }
            sendScheduled = true;
        }
        sendAfter(0);
    }

    private void sendAfter(long nanos) {
        try {
            Future<?> unused = sending.schedule(this::send, nanos, TimeUnit.NANOSECONDS);
        } catch (Throwable e) {
            // No memory, most likely. The next commit tries again.
            synchronized (lock) {
                sendScheduled = false;
            }
        }
    }

    /** Sends what has collected, or waits until the time has come. */
    private void send() {
        long since = System.nanoTime() - sentAt;
        if (since < WINDOW_NANOS) {
            sendAfter(WINDOW_NANOS - since);
            return;
        }
        StoreNews news;
        synchronized (lock) {
            news = unsent;
            unsent = new StoreNews();
            sendScheduled = false;
        }
        if (sender != null) {
            sender.send(written(news));
        }
        sentAt = System.nanoTime();
    }

    /** A message: "E" if tasks ended, "D" if some are due, and in which queues, or none if in many. */
    public static String written(StoreNews news) {
        Set<String> queues = new TreeSet<>(news.dueQueues());
        return (news.hasEnded() ? "E" : "")
                + (news.hasDue() ? "D" : "")
                + " "
                + (queues.size() > MOST_QUEUES ? "" : String.join(" ", queues));
    }

    private static StoreNews read(String message) {
        StoreNews news = new StoreNews();
        int blank = message.indexOf(' ');
        String kinds = blank < 0 ? message : message.substring(0, blank);
        String queues = blank < 0 ? "" : message.substring(blank + 1).strip();
        if (kinds.contains("E")) {
            news.unknownEnded();
        }
        if (kinds.contains("D")) {
            if (queues.isEmpty()) {
                news.unknownDue();
            }
            for (String queue : queues.isEmpty() ? new String[0] : queues.split(" ", -1)) {
                news.due(queue);
            }
        }
        return news;
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
                LOG.warn("A listener failed with a hint of the PostgreSQL store", e);
            }
        }
    }

    @Override
    public void close() {
        listeners.clear();
        end(thread);
        end(sending);
    }

    private static void end(ScheduledThreadPoolExecutor ended) {
        ended.shutdown();
        try {
            if (!ended.awaitTermination(1, TimeUnit.SECONDS)) {
                ended.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
