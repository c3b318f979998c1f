package dev.semel.server.store;

import dev.semel.store.StoreListener;
import dev.semel.store.StoreNews;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.wire.Hint;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The streams of hints of all clients. Each is one virtual thread that waits for news, and one response that does not end. */
final class HintFeeds implements AutoCloseable {

    /** The longest silence. A client that hears nothing for three times as long connects again. */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(15);

    // The first hint of a kind after a pause goes at once. While a client is busy anyway, hints are collected. By kind,
    // because the end of a task must not delay the news of the next one.
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);

    private static final byte[] COMMENT = ": here\n\n".getBytes(StandardCharsets.UTF_8);

    private final Set<Feed> feeds = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Writes hints until the client leaves or the server closes. */
    void write(TaskStore store, OutputStream out) throws IOException {
        Feed feed = new Feed();
        feeds.add(feed);
        if (closed) {
            feed.close();
        }
        // Registered before the greeting, so that the client misses nothing from then on.
        try (TaskStore.Registration unused = store.listen(feed)) {
            write(out, COMMENT);
            while (feed.awaitNews()) {
                write(out, feed.take());
            }
        } finally {
            feeds.remove(feed);
        }
    }

    private static void write(OutputStream out, byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** Ends all streams. */
    @Override
    public void close() {
        closed = true;
        feeds.forEach(Feed::close);
    }

    /** The news of one client that were not written yet. */
    private static final class Feed implements StoreListener {

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private @Nullable StoreNews news;
        private long dueWrittenAt = System.nanoTime() - SHORTEST_PAUSE.toNanos();
        private long endedWrittenAt = dueWrittenAt;
        private boolean over;

        @Override
        public void tasksMayBeDue(Collection<String> queues) {
            StoreNews more = new StoreNews();
            if (queues.isEmpty()) {
                more.unknownDue();
            }
            queues.forEach(more::due);
            add(more);
        }

        @Override
        public void tasksMayHaveEnded(Collection<TaskId> ids) {
            StoreNews more = new StoreNews();
            if (ids.isEmpty()) {
                more.unknownEnded();
            }
            ids.forEach(more::ended);
            add(more);
        }

        private void add(StoreNews more) {
            lock.lock();
            try {
                boolean urgent = news == null || (more.hasDue() && !news.hasDue());
                if (news == null) {
                    news = more;
                } else {
                    news.add(more);
                }
                if (urgent) {
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        void close() {
            lock.lock();
            try {
                over = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Waits for news, or for the end of the silence; false when the stream is over. */
        boolean awaitNews() {
            lock.lock();
            try {
                long silence = LONGEST_SILENCE.toNanos();
                while (news == null && !over && silence > 0) {
                    silence = changed.awaitNanos(silence);
                }
                for (long pause = pause(); pause > 0 && !over; pause = pause()) {
                    long unused = changed.awaitNanos(pause);
                }
                return !over;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } finally {
                lock.unlock();
            }
        }

        /** Returns how long the news have to wait, which becomes shorter when others are added. */
        private long pause() {
            if (news == null) {
                return 0;
            }
            long last = news.hasDue() ? dueWrittenAt : endedWrittenAt;
            return last + SHORTEST_PAUSE.toNanos() - System.nanoTime();
        }

        byte[] take() {
            StoreNews taken;
            lock.lock();
            try {
                taken = news;
                news = null;
                if (taken != null && taken.hasDue()) {
                    dueWrittenAt = System.nanoTime();
                }
                if (taken != null && taken.hasEnded()) {
                    endedWrittenAt = System.nanoTime();
                }
            } finally {
                lock.unlock();
            }
            if (taken == null) {
                return COMMENT;
            }
            StringBuilder events = new StringBuilder();
            if (taken.hasDue()) {
                events.append(new Hint.Due(List.copyOf(taken.dueQueues())).event());
            }
            if (taken.hasEnded()) {
                events.append(new Hint.Ended(List.copyOf(taken.endedIds())).event());
            }
            return events.toString().getBytes(StandardCharsets.UTF_8);
        }
    }
}
