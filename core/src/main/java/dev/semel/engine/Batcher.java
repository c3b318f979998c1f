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
 * Combines items of concurrent callers into batches, one store call per batch. It adds no delay under low load: the
 * first caller's item is sent at once, on the caller's own thread, and items that arrive during that call form the next
 * batch. Where the store executes calls in parallel, another call is sent during the first one as soon as enough
 * callers wait to make it worthwhile. Where it executes one at a time, a call for many callers is followed by a short
 * wait for them to call again.
 *
 * <p>A call with items of several callers runs on a separate thread. On the thread of one of the callers, an interrupt
 * of that caller would fail the others.
 *
 * @param <I> the class of the items
 * @param <O> the class of the answer
 */
public final class Batcher<I, O> {

    /**
     * How many callers must wait before another call is sent in parallel: with fewer, calls are small and cost more.
     */
    static final int ENOUGH = 16;

    /** How many callers of one call are so many that the next call waits for them to call again. */
    static final int MANY = 8;

    // A durable commit on SQLite costs about as much processor time as 40 submissions in it, so a short wait that makes
    // calls larger makes all of them faster.
    private static final long GATHER_NANOS = 500_000;

    /** The most bytes of one call, so that several calls fit into a small heap. */
    public static final long MOST_BYTES = 8L << 20;

    // How long a thread that has no memory to wake a caller, or to start the next call, waits before it tries again.
    private static final long RETRY_NANOS = 10_000_000;

    private final int maxBatch;
    private final int maxWaiting;
    private final int maxCalls;
    private final Executor carriers;
    private final ToLongFunction<I> size;
    private final Function<List<I>, List<O>> call;
    private final long gatherNanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Condition gathered = lock.newCondition();
    private final Queue<Entry<I, O>> queue;
    private int calls;

    // How many callers the next call waits for; 0 if it does not.
    private int expected;

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
     * Creates a batcher.
     *
     * @param maxBatch the most items of one call
     * @param maxWaiting the most items that wait; further callers block before their item is accepted
     * @param maxCalls the most calls at the same time
     * @param carriers runs the calls with items of several callers; at most {@code maxCalls} at the same time
     * @param size estimates the bytes of an item; the items of one call have at most {@link #MOST_BYTES} together,
     *     unless it is a single item
     * @param call returns one answer for each item, in order
     */
    public Batcher(
            int maxBatch,
            int maxWaiting,
            int maxCalls,
            Executor carriers,
            ToLongFunction<I> size,
            Function<List<I>, List<O>> call) {
        this(maxBatch, maxWaiting, maxCalls, carriers, size, call, GATHER_NANOS);
    }

    Batcher(
            int maxBatch,
            int maxWaiting,
            int maxCalls,
            Executor carriers,
            ToLongFunction<I> size,
            Function<List<I>, List<O>> call,
            long gatherNanos) {
        this.gatherNanos = gatherNanos;
        this.size = size;
        // Allocated in full: a queue that runs out of memory while it grows loses its entries.
        this.queue = new ArrayDeque<>(maxWaiting);
        this.maxBatch = maxBatch;
        this.maxWaiting = maxWaiting;
        this.maxCalls = maxCalls;
        this.carriers = carriers;
        this.call = call;
    }

    /**
     * Submits one item and waits for its answer.
     *
     * @param item the item
     * @return its answer
     * @throws StoreUnavailable if this thread was interrupted before the answer arrived, with an
     *     {@link InterruptedException} as its cause; the thread stays interrupted. The item may have been stored
     *     nevertheless
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
            List<Entry<I, O>> next = next();
            if (!next.isEmpty()) {
                handOver(next);
            }
            if (entry.failure instanceof StoreUnavailable e
                    && Thread.currentThread().isInterrupted()) {
                throw interrupted(true, e); // a driver reports an interrupt as a broken connection
            }
        } else if (!batch.isEmpty()) {
            handOver(batch);
        }
        while (!entry.done) {
            // Without a time limit: for a virtual thread it costs a wake-up of the thread that keeps the time.
            LockSupport.park(this);
            if (Thread.interrupted() && !entry.done) {
                throw interrupted(!withdrawn(entry), null);
            }
        }
        return answer(entry);
    }

    /** Returns how many items wait for a call. */
    int waiting() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** Adds an item to the queue and returns the batch to send now, or an empty list. */
    private List<Entry<I, O>> entered(Entry<I, O> entry) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (queue.size() >= maxWaiting) {
                room.await();
            }
            queue.add(entry);
            if (expected > 0 && queue.size() >= expected) {
                gathered.signal();
            }
            return due();
        } finally {
            lock.unlock();
        }
    }

    /** Removes an item that is not part of a call yet, and returns whether it was removed. */
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

    /**
     * Removes the next batch from the queue and counts its call, if a call may be sent now. The caller holds the lock.
     */
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

    /** Ends a call and returns the next batch, or an empty list. It does not give up: callers wait for this. */
    private List<Entry<I, O>> next() {
        lock.lock();
        try {
            calls--;
        } finally {
            lock.unlock();
        }
        while (true) {
            lock.lock();
            try {
                return due();
            } catch (OutOfMemoryError e) {
                // tried again below, without the lock
            } finally {
                lock.unlock();
            }
            LockSupport.parkNanos(this, RETRY_NANOS);
        }
    }

    private void handOver(List<Entry<I, O>> batch) {
        try {
            carriers.execute(() -> carryAll(batch));
        } catch (Throwable e) {
            // No thread is available. All waiting callers get the error; a later caller sends its item on its own
            // thread.
            List<Entry<I, O>> left = batch;
            while (!left.isEmpty()) {
                settle(left, notSent(e));
                left = next();
            }
        }
    }

    private static Throwable notSent(Throwable because) {
        try {
            return new StoreUnavailable(
                    "No thread could be started for a batch of several callers, so nothing was sent. Send it again.",
                    because);
        } catch (Throwable e) {
            return because; // no memory for a message
        }
    }

    /** Sends one batch after the other, until no batch is due. */
    private void carryAll(List<Entry<I, O>> first) {
        List<Entry<I, O>> batch = first;
        while (!batch.isEmpty()) {
            carry(batch);
            gather(batch.size());
            batch = next();
        }
    }

    /**
     * Waits a moment until three quarters of the callers that were just answered or wait already have called, if the
     * answered ones were many and the store executes one call at a time. The call that has ended still counts, so that
     * nobody starts another one meanwhile.
     */
    private void gather(int answered) {
        if (maxCalls > 1 || answered < MANY) {
            return;
        }
        lock.lock();
        try {
            expected = Math.min(maxBatch, (answered + queue.size()) * 3 / 4);
            long left = gatherNanos;
            while (queue.size() < expected && left > 0) {
                left = gathered.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // not a caller's: the threads of these calls are being ended
        } finally {
            expected = 0;
            lock.unlock();
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
        // By index, because an iterator needs memory: without it these callers would wait forever.
        for (int i = 0; i < batch.size(); i++) {
            Entry<I, O> entry = batch.get(i);
            entry.failure = failure;
            entry.done = true;
        }
        while (!woken(batch)) {
            LockSupport.parkNanos(RETRY_NANOS);
        }
    }

    /** Wakes the callers of a batch, and returns false if there was no memory to wake one of them. */
    private static <I, O> boolean woken(List<Entry<I, O>> batch) {
        boolean all = true;
        for (int i = 0; i < batch.size(); i++) {
            try {
                LockSupport.unpark(batch.get(i).thread);
            } catch (Throwable e) {
                all = false;
            }
        }
        return all;
    }

    private static StoreUnavailable interrupted(boolean sent, @Nullable StoreUnavailable cause) {
        Thread.currentThread().interrupt();
        InterruptedException interrupt = new InterruptedException();
        if (cause != null) {
            interrupt.initCause(cause);
        }
        return new StoreUnavailable(
                sent
                        ? "This thread was interrupted while it waited for the store. Whether the submission was"
                                + " accepted is not known. Send the same request again; that is safe and returns the"
                                + " answer."
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
                    "A store call failed with a Java error: "
                            + failure.getClass().getName()
                            + ". Whether the operation was executed is not known. Send it again.",
                    failure);
        }
        O answer = entry.answer;
        if (answer == null) {
            throw new IllegalStateException("A batch got fewer answers than it had items");
        }
        return answer;
    }
}
