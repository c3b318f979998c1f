package dev.semel.guard;

import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A guard store in memory, whose entries are lost when the process ends. It is meant for tests and for effects that
 * matter only within one process, and it is the reference for all other stores.
 *
 * <p>It has one lock, one map, and the entries sorted by expiry. Every beginning drops a few expired entries, so that
 * memory does not grow with expired keys.
 */
public final class InMemoryGuardStore implements GuardStore {

    // Twice what one beginning can add, so that expired entries are removed faster than new ones are added.
    private static final int DROPPED_IN_PASSING = 2;

    private record Expiry(Instant at, GuardKey key) {}

    private static final Comparator<Expiry> BY_TIME = Comparator.comparing(Expiry::at)
            .thenComparing(expiry -> expiry.key().tenant())
            .thenComparing(expiry -> expiry.key().key());

    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<GuardKey, GuardRecord> records = new HashMap<>();
    private final TreeSet<Expiry> expiries = new TreeSet<>(BY_TIME);
    private boolean closed; // guarded by the lock

    /** Creates an empty store that uses the system clock. */
    public InMemoryGuardStore() {
        this(InstantSource.system());
    }

    /**
     * Creates an empty store.
     *
     * @param clock the clock of leases and expiries
     */
    public InMemoryGuardStore(InstantSource clock) {
        this.clock = Limits.notNull("clock", clock);
    }

    @Override
    public Begun begin(Hold hold) {
        enter();
        try {
            Instant now = now();
            drop(now, DROPPED_IN_PASSING);
            GuardRecord stored = records.get(hold.key());
            Begun begun = GuardRecord.begin(stored, hold, now);
            if (begun instanceof Begun.Entered) {
                put(hold.key(), GuardRecord.entered(stored, hold, now));
            }
            return begun;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Settled renew(Hold hold) {
        return settle(hold, (stored, now) -> GuardRecord.renewed(stored, hold, now));
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return settle(hold, (stored, now) -> GuardRecord.finished(stored, hold, result, now));
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return settle(hold, (stored, now) -> GuardRecord.failed(stored, hold, error, now));
    }

    private interface Rule {
        @Nullable
        GuardRecord apply(@Nullable GuardRecord stored, Instant now);
    }

    private Settled settle(Hold hold, Rule rule) {
        enter();
        try {
            GuardRecord changed = rule.apply(records.get(hold.key()), now());
            if (changed == null) {
                return Settled.STALE;
            }
            put(hold.key(), changed);
            return Settled.APPLIED;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        enter();
        try {
            GuardRecord stored = records.get(key);
            return stored == null || stored.isExpired(now()) ? Optional.empty() : Optional.of(stored.shown(key));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int sweep(int limit) {
        GuardStore.checkSweep(limit);
        enter();
        try {
            return drop(now(), limit);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the lock of an open store. */
    private void enter() {
        lock.lock();
        if (closed) {
            lock.unlock();
            throw StoreUnusable.closed("The guard store in memory");
        }
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    private void put(GuardKey key, GuardRecord changed) {
        GuardRecord before = records.put(key, changed);
        if (before != null) {
            expiries.remove(new Expiry(before.expiresAt(), key));
        }
        expiries.add(new Expiry(changed.expiresAt(), key));
    }

    private int drop(Instant now, int limit) {
        int dropped = 0;
        while (dropped < limit
                && !expiries.isEmpty()
                && !now.isBefore(expiries.first().at())) {
            records.remove(expiries.pollFirst().key());
            dropped++;
        }
        return dropped;
    }
}
