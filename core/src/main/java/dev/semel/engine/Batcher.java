package dev.semel.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what many callers want at the same moment into one call. It adds no waiting when there is little to do: the first
 * caller goes at once, and those who come while it is under way form the next batch, which one of them carries.
 *
 * @param <I> the class of what a caller hands in
 * @param <O> the class of the answer
 */
public final class Batcher<I, O> {

    private final int maxBatch;
    private final int maxWaiting;
    private final Function<List<I>, List<O>> call;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Queue<Entry<I, O>> queue = new ArrayDeque<>();
    private boolean busy;

    private static final class Entry<I, O> {
        final I item;
        final Thread thread = Thread.currentThread();
        volatile boolean leads;
        volatile boolean done;

        @Nullable
        O answer;

        @Nullable
        Throwable failure;

        Entry(I item) {
            this.item = item;
        }
    }

    /**
     * Makes a batcher.
     *
     * @param maxBatch the most items of one call
     * @param maxWaiting the most items that wait; further callers are held back before they are taken in
     * @param call answers one for each item, in order
     */
    public Batcher(int maxBatch, int maxWaiting, Function<List<I>, List<O>> call) {
        this.maxBatch = maxBatch;
        this.maxWaiting = maxWaiting;
        this.call = call;
    }

    /**
     * Hands in one item and waits for its answer. An interrupt does not end the wait, because the item may be on its way; it
     * is kept for the caller to see.
     *
     * @param item the item
     * @return its answer
     */
    public O call(I item) {
        Entry<I, O> entry = new Entry<>(item);
        enqueue(entry);
        boolean interrupted = false;
        while (!entry.done && !entry.leads) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (!entry.done) {
            lead();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return answer(entry);
    }

    private void enqueue(Entry<I, O> entry) {
        lock.lock();
        try {
            while (queue.size() >= maxWaiting) {
                room.awaitUninterruptibly();
            }
            queue.add(entry);
            if (!busy) {
                busy = true;
                entry.leads = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Carries one batch, which begins with the carrier's own item, and names the next carrier. */
    private void lead() {
        List<Entry<I, O>> batch = new ArrayList<>();
        lock.lock();
        try {
            while (batch.size() < maxBatch && !queue.isEmpty()) {
                batch.add(queue.remove());
            }
            room.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            List<O> answers = call.apply(batch.stream().map(entry -> entry.item).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).answer = answers.get(i);
            }
        } catch (RuntimeException | Error e) {
            batch.forEach(entry -> entry.failure = e);
        }
        appointNext();
        for (Entry<I, O> entry : batch) {
            entry.done = true;
            LockSupport.unpark(entry.thread);
        }
    }

    private void appointNext() {
        lock.lock();
        try {
            Entry<I, O> next = queue.peek();
            if (next == null) {
                busy = false;
            } else {
                next.leads = true;
                LockSupport.unpark(next.thread);
            }
        } finally {
            lock.unlock();
        }
    }

    private O answer(Entry<I, O> entry) {
        if (entry.failure instanceof RuntimeException failure) {
            throw failure;
        }
        if (entry.failure instanceof Error error) {
            throw error;
        }
        O answer = entry.answer;
        if (answer == null) {
            throw new IllegalStateException("A batch was answered with fewer answers than it had items");
        }
        return answer;
    }
}
