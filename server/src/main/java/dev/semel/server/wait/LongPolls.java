package dev.semel.server.wait;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Requests that wait: claims for which nothing is due yet, and results of tasks that still run. Each waits on its own virtual thread.
 *
 * <p>A hint of the store wakes one claim of the queue and not all of them, because a thousand idle workers would otherwise race for one
 * task. A claim that may have left something, or leaves with a hint that it did not use, wakes the next one. Hints only make it faster:
 * every claim also looks again by itself.
 */
public final class LongPolls implements AutoCloseable {

    /** The longest time that a request may wait. */
    public static final Duration LONGEST = Duration.ofSeconds(60);

    // Without a hint: the store may have none, or the process that would send it was killed.
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Set<Waiter>> byQueue = new HashMap<>();
    private final Set<Thread> interruptible = ConcurrentHashMap.newKeySet();
    private final TaskStore.Registration registration;
    private volatile boolean closed;

    /** A claim that waits, or is about to. */
    private final class Waiter {
        private final Set<String> queues;
        private final Condition woken = lock.newCondition();
        private boolean hinted;

        Waiter(Set<String> queues) {
            this.queues = queues;
        }
    }

    /**
     * Waits for news of a store.
     *
     * @param store the store
     */
    public LongPolls(TaskStore store) {
        this.registration = store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                wake(queues);
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {}
        });
    }

    /**
     * Claims, and waits until there is something to claim.
     *
     * @param store the store of the caller
     * @param request the claim
     * @param wait how long to wait at the most
     * @return what was claimed; nothing if the time has passed, or the server shuts down
     */
    public Claims claim(TaskStore store, ClaimRequest request, Duration wait) {
        long end = System.nanoTime() + bounded(wait).toNanos();
        while (true) {
            // Registered before the first look, so that a task that becomes due in between is not missed.
            Waiter waiter = new Waiter(request.queues());
            register(waiter);
            boolean leaves = true;
            boolean more = true;
            try {
                Claims claims = store.claim(request);
                long left = end - System.nanoTime();
                boolean isFull = claims.tasks().size() == request.limit();
                if (!claims.tasks().isEmpty() || left <= 0 || closed) {
                    more = isFull;
                    return claims;
                }
                Duration next = claims.nextDue();
                long pause = Math.min(left, LOOK_AGAIN.toNanos());
                if (next != null) {
                    // Never zero: what is due but may not be taken, because of a limit, is asked for again a little
                    // later.
                    pause = Math.min(pause, Math.max(next.toNanos(), 10_000_000L));
                }
                leaves = false;
                await(waiter, pause);
            } finally {
                deregister(waiter, leaves, more);
            }
        }
    }

    /**
     * Runs something that waits for the end of a task, and that an interrupt ends.
     *
     * @param <T> what it returns
     * @param waiting what waits
     * @return what it returned
     */
    public <T> T interruptibly(Supplier<T> waiting) {
        Thread thread = Thread.currentThread();
        interruptible.add(thread);
        try {
            if (closed) {
                thread.interrupt();
            }
            return waiting.get();
        } finally {
            interruptible.remove(thread);
            // The interrupt was meant for the wait. What follows, the reply, must not be disturbed by it.
            boolean unused = Thread.interrupted();
        }
    }

    /**
     * Returns a time to wait within the limits.
     *
     * @param wait what was asked for
     * @return at most the longest time, and none if the server shuts down
     */
    public Duration bounded(Duration wait) {
        return closed || wait.isNegative() ? Duration.ZERO : wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    /** {@return how many claims wait} */
    public int waiting() {
        lock.lock();
        try {
            Set<Waiter> all = new LinkedHashSet<>();
            byQueue.values().forEach(all::addAll);
            return all.size() + interruptible.size();
        } finally {
            lock.unlock();
        }
    }

    private void register(Waiter waiter) {
        lock.lock();
        try {
            waiter.queues.forEach(queue -> byQueue.computeIfAbsent(queue, name -> new LinkedHashSet<>())
                    .add(waiter));
        } finally {
            lock.unlock();
        }
    }

    private void deregister(Waiter waiter, boolean leaves, boolean more) {
        lock.lock();
        try {
            for (String queue : waiter.queues) {
                byQueue.computeIfPresent(queue, (name, waiters) -> {
                    waiters.remove(waiter);
                    return waiters.isEmpty() ? null : waiters;
                });
            }
            if (leaves && (more || waiter.hinted)) {
                wakeLocked(waiter.queues);
            }
        } finally {
            lock.unlock();
        }
    }

    private void await(Waiter waiter, long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!waiter.hinted && !closed && left > 0) {
                left = waiter.woken.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void wake(Collection<String> queues) {
        lock.lock();
        try {
            wakeLocked(queues);
        } finally {
            lock.unlock();
        }
    }

    private void wakeLocked(Collection<String> queues) {
        for (String queue : queues) {
            for (Waiter waiter : byQueue.getOrDefault(queue, Set.of())) {
                if (!waiter.hinted) {
                    waiter.hinted = true;
                    waiter.woken.signal();
                    break;
                }
            }
        }
    }

    /** Lets everything that waits go, now and from now on. */
    @Override
    public void close() {
        closed = true;
        registration.close();
        List<Thread> threads = new ArrayList<>(interruptible);
        threads.forEach(Thread::interrupt);
        lock.lock();
        try {
            byQueue.values().forEach(waiters -> waiters.forEach(waiter -> waiter.woken.signal()));
        } finally {
            lock.unlock();
        }
    }
}
