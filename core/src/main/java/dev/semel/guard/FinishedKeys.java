package dev.semel.guard;

import dev.semel.task.InputHash;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of keys that this process has recently seen finished, with their results. A success is final until it
 * expires, so the store would return the same answer again. The cache is bounded in number and in size, and an entry
 * never outlives the expiry that the store reported. It holds the whole answer, including the payload hash, so that a
 * cached answer is checked like a stored one.
 */
final class FinishedKeys {

    // So 1,000 cached results take at most 8 MB; larger ones are read from the store each time.
    static final int LONGEST_RESULT = 8_192;

    private record Finished(Begun.Done done, long untilNanos) {}

    private final int limit;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<GuardKey, Finished> byKey;

    FinishedKeys(int limit, LongSupplier nanos) {
        this.limit = limit;
        this.nanos = nanos;
        this.byKey = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<GuardKey, Finished> eldest) {
                return size() > limit;
            }
        };
    }

    /**
     * Caches an answer.
     *
     * @param askedAt when the request was sent to the store, by the same clock: the answer may have taken long
     */
    void remember(GuardKey key, Begun.Done done, long askedAt) {
        String result = done.result();
        if (limit == 0 || (result != null && result.length() > LONGEST_RESULT)) {
            return;
        }
        // A ttl of 100 years fits: a long holds 292 years of nanoseconds.
        Finished finished = new Finished(done, askedAt + done.remaining().toNanos());
        lock.lock();
        try {
            byKey.put(key, finished);
        } finally {
            lock.unlock();
        }
    }

    /** Returns what the store would answer to this hold, or null if the key is not in the cache. */
    @Nullable
    Begun answer(Hold hold) {
        if (limit == 0) {
            return null;
        }
        Finished finished;
        lock.lock();
        try {
            finished = byKey.get(hold.key());
            if (finished != null && nanos.getAsLong() - finished.untilNanos >= 0) {
                byKey.remove(hold.key());
                finished = null;
            }
        } finally {
            lock.unlock();
        }
        if (finished == null) {
            return null;
        }
        InputHash asked = hold.payload();
        InputHash existing = finished.done.payload();
        return asked != null && existing != null && !asked.equals(existing)
                ? new Begun.Conflicted(existing)
                : finished.done;
    }
}
