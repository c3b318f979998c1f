package dev.semel.s3.guard;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardRecord;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.s3.guard.GuardChain.State;
import dev.semel.s3.guard.GuardChain.Written;
import dev.semel.s3.objects.ObjectStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The operations of a guard on its objects. */
public final class GuardObjects {

    /** How often the objects of all keys are listed to find expired ones. */
    private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

    // Younger than what makes an object count by far, so that what is remembered can be built on.
    private static final Duration REMEMBERED = Duration.ofMinutes(15);

    // A process holds as many keys as it has calls under way; more than this are read again.
    private static final int MAX_REMEMBERED = 10_000;

    private record Held(Hold hold, State state) {}

    private final ObjectStore objects;
    private final RandomGenerator random;
    private final ServiceClock clock;
    // What this process wrote last for the keys that it holds: a renewal or an end needs no list and no read.
    private final Map<GuardKey, Held> held = new ConcurrentHashMap<>();
    private volatile Instant nextSweep = Instant.MIN;

    /**
     * Creates the operations.
     *
     * @param objects the objects below the prefix
     * @param clock this machine's clock
     * @param random a thread-safe generator of marks
     */
    public GuardObjects(ObjectStore objects, InstantSource clock, RandomGenerator random) {
        this.objects = objects;
        this.random = random;
        this.clock = new ServiceClock(clock);
    }

    /**
     * Begins a call.
     *
     * @param hold the caller's hold
     * @return the answer
     */
    public Begun begin(Hold hold) {
        GuardChain chain = chain(hold.key());
        while (true) {
            State state = chain.read();
            Instant now = now(state);
            Begun begun = GuardRecord.begin(state.record(), hold, now);
            if (!(begun instanceof Begun.Entered)) {
                return begun;
            }
            if (chain.write(state, GuardRecord.entered(state.record(), hold, now))
                    instanceof Written.Done(State done)) {
                remember(hold, done);
                return begun;
            }
        }
    }

    /** A rule that turns the stored record into the next one, or null if the request is stale. */
    @FunctionalInterface
    public interface Rule {
        /**
         * Returns the next record.
         *
         * @param stored the stored record; null if there is none
         * @param now the store's time
         * @return the next record, the stored one if nothing changes, or null if the request is stale
         */
        @Nullable
        GuardRecord apply(@Nullable GuardRecord stored, Instant now);
    }

    /**
     * Renews or ends a hold.
     *
     * @param hold the hold
     * @param rule what changes
     * @return whether it is still held
     */
    public Settled settle(Hold hold, Rule rule) {
        GuardChain chain = chain(hold.key());
        State state = remembered(hold);
        while (true) {
            if (state == null) {
                state = chain.read();
            }
            GuardRecord stored = state.record();
            GuardRecord changed = rule.apply(stored, now(state));
            if (changed == null) {
                held.remove(hold.key());
                return Settled.STALE;
            }
            if (changed.equals(stored)) {
                return Settled.APPLIED;
            }
            if (chain.write(state, changed) instanceof Written.Done(State done)) {
                remember(hold, done);
                return Settled.APPLIED;
            }
            state = null;
        }
    }

    private void remember(Hold hold, State state) {
        GuardRecord record = state.record();
        if (record != null && record.leaseUntil() != null && held.size() < MAX_REMEMBERED) {
            held.put(hold.key(), new Held(hold, state));
        } else {
            held.remove(hold.key());
        }
    }

    /** Returns what this process wrote last for a hold, if that was lately. */
    private @Nullable State remembered(Hold hold) {
        Held known = held.get(hold.key());
        return known == null
                        || !known.hold().owner().equals(hold.owner())
                        || clock.now().isAfter(known.state().date().plus(REMEMBERED))
                ? null
                : known.state();
    }

    /**
     * Reads an entry.
     *
     * @param key the key
     * @return the entry; empty if there is none or it has expired
     */
    public Optional<GuardEntry> find(GuardKey key) {
        State state = chain(key).read();
        GuardRecord record = state.record();
        return record == null || record.isExpired(now(state)) ? Optional.empty() : Optional.of(record.shown(key));
    }

    /**
     * Ends expired chains, and deletes old ones. Looks once an hour at the most, because every look lists all keys.
     *
     * @param limit the maximum number of chains to end
     * @return how many were ended
     */
    public int sweep(int limit) {
        if (clock.now().isBefore(nextSweep)) {
            return 0;
        }
        int ended = new GuardSweeper(objects, clock, this::chain).sweep(limit);
        if (ended < limit) {
            nextSweep = clock.now().plus(BETWEEN_SWEEPS);
        }
        return ended;
    }

    private GuardChain chain(GuardKey key) {
        return new GuardChain(objects, random, clock, key);
    }

    /** The time of a decision never falls behind the record that it is about. */
    private Instant now(State state) {
        Instant now = clock.now();
        GuardRecord record = state.record();
        return record != null && record.changedAt().isAfter(now) ? record.changedAt() : now;
    }
}
