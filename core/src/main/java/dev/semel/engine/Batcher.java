package dev.semel.engine;

import dev.semel.task.StoreUnavailable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what many callers want at the same moment into one call. It adds no waiting when there is little to do: the first
 * caller goes at once, on its own thread, and those who arrive while it is under way form the next batch. Where calls are carried
 * out side by side, a further one goes while the first is under way, as soon as enough callers wait to make it worth its while.
 *
 * <p>A call that carries items of several callers runs on a thread of its own. On the thread of one of them, an interrupt of
 * that caller would fail the others.
 *
 * @param <I> the class of what a caller hands in
 * @param <O> the class of the answer
 */
public final class Batcher<I, O> {

    /** So many callers have to wait before a further call goes: with fewer of them calls become small, and cost more. */
    static final int ENOUGH = 16;

    /** The most bytes of one call, so that it fits into a small heap a few times over. */
    public static final long MOST_BYTES = 8L << 20;

    // A wake-up, or the next call, can get lost for want of memory: then whoever waits looks by itself.
    private static final long LOOK_NANOS = 1_000_000_000;

    private final int maxBatch;
    private final int maxWaiting;
    private final int maxCalls;
    private final Executor carriers;
    private final ToLongFunction<I> size;
    private final Function<List<I>, List<O>> call;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Queue<Entry<I, O>> queue;
    private int calls;

    private static final class Entry<I, O> {
        final I item;
        final long size;
        final Thread thread = Thread.currentThread();
        volatile boolean done;

        @Nullable
        O answer;

        @Nullable
        Throwable failure;

        Entry(I item, long size) {
            this.item = item;
            this.size = size;
        }
    }

    /**
     * Makes a batcher.
     *
     * @param maxBatch the most items of one call
     * @param maxWaiting the most items that wait; further callers are held back before they are taken in
     * @param maxCalls the most calls at the same time
     * @param carriers runs the calls that carry items of several callers; at most {@code maxCalls} at the same time
     * @param size about how many bytes an item has; all of one call have no more than {@link #MOST_BYTES}, or it is a
     *     single one
     * @param call answers one for each item, in order
     */
    public Batcher(
            int maxBatch,
            int maxWaiting,
            int maxCalls,
            Executor carriers,
            ToLongFunction<I> size,
            Function<List<I>, List<O>> call) {
        this.size = size;
        // As large as it ever gets: a queue that runs out of memory while it grows loses what is in it.
        this.queue = new ArrayDeque<>(maxWaiting);
        this.maxBatch = maxBatch;
        this.maxWaiting = maxWaiting;
        this.maxCalls = maxCalls;
        this.carriers = carriers;
        this.call = call;
    }

    /**
     * Hands in one item and waits for its answer.
     *
     * @param item the item
     * @return its answer
     * @throws StoreUnavailable if this thread was interrupted before the answer came, with an {@link InterruptedException} as its
     *     cause; the thread stays interrupted. The item may have been taken in all the same
     */
    public O call(I item) {
        Entry<I, O> entry = new Entry<>(item, size.applyAsLong(item));
        List<Entry<I, O>> batch;
        try {
            batch = entered(entry);
        } catch (InterruptedException e) {
            throw interrupted(false, null);
        }
        if (batch.size() == 1 && batch.getFirst() == entry) {
            carry(batch);
            List<Entry<I, O>> next = ended();
            if (!next.isEmpty()) {
                handOver(next);
            }
            if (entry.failure instanceof StoreUnavailable e
                    && Thread.currentThread().isInterrupted()) {
                throw interrupted(true, e); // a driver's word for it is that its connection broke
            }
        } else if (!batch.isEmpty()) {
            handOver(batch);
        }
        while (!entry.done) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            if (Thread.interrupted() && !entry.done) {
                throw interrupted(!withdrawn(entry), null);
            }
            List<Entry<I, O>> overdue = entry.done ? List.of() : overdue();
            if (!overdue.isEmpty()) {
                handOver(overdue);
            }
        }
        return answer(entry);
    }

    /** A batch that somebody should have begun. */
    private List<Entry<I, O>> overdue() {
        lock.lock();
        try {
            return due();
        } finally {
            lock.unlock();
        }
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

    /** Takes an item in; returns the batch that begins with it, if it is time for one. */
    private List<Entry<I, O>> entered(Entry<I, O> entry) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (queue.size() >= maxWaiting) {
                room.await();
            }
            queue.add(entry);
            return due();
        } finally {
            lock.unlock();
        }
    }

    /** Removes an item that no call has begun with; tells whether there was one. */
    private boolean withdrawn(Entry<I, O> entry) {
        lock.lock();
        try {
            boolean removed = queue.remove(entry);
            if (removed) {
                room.signalAll();
            }
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the next batch out of the queue and counts its call, if it is time; under the lock. */
    private List<Entry<I, O>> due() {
        boolean isTime = calls == 0 || (calls < maxCalls && queue.size() >= ENOUGH);
        if (!isTime || queue.isEmpty()) {
            return List.of();
        }
        List<Entry<I, O>> batch = new ArrayList<>(Math.min(queue.size(), maxBatch));
        long bytes = 0;
        for (Entry<I, O> next = queue.peek(); next != null && batch.size() < maxBatch; next = queue.peek()) {
            bytes += next.size;
            if (bytes > MOST_BYTES && !batch.isEmpty()) {
                break;
            }
            batch.add(queue.remove());
        }
        calls++;
        room.signalAll();
        return batch;
    }

    private List<Entry<I, O>> ended() {
        lock.lock();
        try {
            calls--;
            return due();
        } finally {
            lock.unlock();
        }
    }

    private void handOver(List<Entry<I, O>> batch) {
        try {
            carriers.execute(() -> carryAll(batch));
        } catch (Throwable e) {
            // No thread can be had. Everybody who waits is told; a call of a later caller goes on that caller's own
            // thread.
            List<Entry<I, O>> left = batch;
            while (!left.isEmpty()) {
                settle(left, notSent(e));
                left = ended();
            }
        }
    }

    private static Throwable notSent(Throwable because) {
        try {
            return new StoreUnavailable(
                    "No thread could be started that sends what several callers want, so nothing was sent. Send it again.",
                    because);
        } catch (Throwable e) {
            return because; // no memory for the words
        }
    }

    /** Carries one batch after the other, for as long as it is time for a next one. */
    private void carryAll(List<Entry<I, O>> first) {
        List<Entry<I, O>> batch = first;
        while (!batch.isEmpty()) {
            carry(batch);
            batch = ended();
        }
    }

    private void carry(List<Entry<I, O>> batch) {
        Throwable failure = null;
        try {
            List<O> answers = call.apply(batch.stream().map(entry -> entry.item).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).answer = answers.get(i);
            }
        } catch (Throwable e) {
            failure = e;
        }
        settle(batch, failure);
    }

    private static <I, O> void settle(List<Entry<I, O>> batch, @Nullable Throwable failure) {
        // By index, because an iterator needs memory: for want of that these would wait for ever.
        for (int i = 0; i < batch.size(); i++) {
            Entry<I, O> entry = batch.get(i);
            entry.failure = failure;
            entry.done = true;
            wake(entry.thread);
        }
    }

    private static void wake(Thread thread) {
        try {
            LockSupport.unpark(thread);
        } catch (Throwable e) {
            return; // it looks by itself
        }
    }

    private static StoreUnavailable interrupted(boolean sent, @Nullable StoreUnavailable cause) {
        Thread.currentThread().interrupt();
        InterruptedException interrupt = new InterruptedException();
        if (cause != null) {
            interrupt.initCause(cause);
        }
        return new StoreUnavailable(
                sent
                        ? "This thread was interrupted while it waited for the store. Whether the submission was accepted"
                                + " is not known. Sending the same request again is safe, and says."
                        : "This thread was interrupted before the submission was sent, so it was not accepted. The same"
                                + " request can be sent again.",
                interrupt);
    }

    private O answer(Entry<I, O> entry) {
        Throwable failure = entry.failure;
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure != null) {
            throw new StoreUnavailable(
                    "A call to the store ended in an error of this program: "
                            + failure.getClass().getName()
                            + ". Whether the operation was done is not known; send it again.",
                    failure);
        }
        O answer = entry.answer;
        if (answer == null) {
            throw new IllegalStateException("A batch was answered with fewer answers than it had items");
        }
        return answer;
    }
}
