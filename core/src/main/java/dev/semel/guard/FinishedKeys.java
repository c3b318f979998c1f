package dev.semel.guard;

import dev.semel.task.InputHash;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys that this program has lately seen finished, with their results: a success is final until it expires, so asking
 * the store again would give the same answer. Bounded in number and in size, and never older than the store said. What it
 * holds is the whole answer, payload hash included, so that nothing is checked less because it was remembered.
 */
final class FinishedKeys {

    // So 1,000 remembered results are 8 MB at the most; larger ones are read from the store each time.
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
     * Remembers an answer.
     *
     * @param askedAt when the store was asked, by the same clock: the answer may have been under way for long
     */
    void remember(GuardKey key, Begun.Done done, long askedAt) {
        String result = done.result();
        if (limit == 0 || (result != null && result.length() > LONGEST_RESULT)) {
            return;
        }
        // A ttl of 100 years fits: 292 are what a long holds.
        Finished finished = new Finished(done, askedAt + done.remaining().toNanos());
        lock.lock();
        try {
            byKey.put(key, finished);
        } finally {
            lock.unlock();
        }
    }

    /** What the store would answer to this hold, or null if that is not known here. */
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
