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
 * caller goes at once, and those who come while it is under way form the next batch, which one of them carries. Where calls
 * are carried out side by side, a further one goes while the first is under way, as soon as enough callers wait to make it
 * worth its while.
 *
 * @param <I> the class of what a caller hands in
 * @param <O> the class of the answer
 */
public final class Batcher<I, O> {

    /** So many callers have to wait before a further call goes: with fewer of them calls become small, and cost more. */
    static final int ENOUGH = 16;

    private final int maxBatch;
    private final int maxWaiting;
    private final int maxCalls;
    private final Function<List<I>, List<O>> call;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Queue<Entry<I, O>> queue = new ArrayDeque<>();
    private int calls;
    // The first in the queue has been told to carry the next batch, and has not begun.
    private boolean appointed;

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
     * @param maxCalls the most calls at the same time
     * @param call answers one for each item, in order
     */
    public Batcher(int maxBatch, int maxWaiting, int maxCalls, Function<List<I>, List<O>> call) {
        this.maxBatch = maxBatch;
        this.maxWaiting = maxWaiting;
        this.maxCalls = maxCalls;
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

    /** How many wait for a call to begin. */
    int waiting() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    private void enqueue(Entry<I, O> entry) {
        lock.lock();
        try {
            while (queue.size() >= maxWaiting) {
                room.awaitUninterruptibly();
            }
            queue.add(entry);
            appoint();
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
            appointed = false;
            appoint();
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
        ended();
        for (Entry<I, O> entry : batch) {
            entry.done = true;
            LockSupport.unpark(entry.thread);
        }
    }

    private void ended() {
        lock.lock();
        try {
            calls--;
            appoint();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the first who waits carry the next batch, if it is time; under the lock. */
    private void appoint() {
        Entry<I, O> next = queue.peek();
        boolean isTime = calls == 0 || (calls < maxCalls && queue.size() >= ENOUGH);
        if (next != null && isTime && !appointed) {
            calls++;
            appointed = true;
            next.leads = true;
            LockSupport.unpark(next.thread);
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
