package dev.semel.guard;

import dev.semel.task.InputHash;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A store's record for a key, and the rules by which it changes. The rules are pure functions of the stored record, the
 * request and the time. Stores that can read, decide and write in one atomic step call them. Other stores implement the
 * same rules in their own language, and the contract suite verifies that.
 *
 * @param state the state
 * @param owner the owner that wrote the state
 * @param payload the hash of the payload; null if no call gave one
 * @param beganAt when the latest run began
 * @param changedAt when the state was recorded
 * @param leaseUntil until when the owner holds the key; null unless it is in progress
 * @param expiresAt when the record expires. A record in progress outlives its lease by the ttl of an outcome, so that
 *     the payload of a vanished run is still compared
 * @param result the stored result of a success
 * @param error the last error of a failure
 */
public record GuardRecord(
        GuardState state,
        OwnerToken owner,
        @Nullable InputHash payload,
        Instant beganAt,
        Instant changedAt,
        @Nullable Instant leaseUntil,
        Instant expiresAt,
        @Nullable String result,
        @Nullable String error) {

    /**
     * Decides the answer to a beginning.
     *
     * @param stored the stored record, or null if there is none
     * @param hold the caller's hold
     * @param now the store's time
     * @return {@link Begun.Entered} if {@link #entered} is to be stored; otherwise nothing changes
     */
    public static Begun begin(@Nullable GuardRecord stored, Hold hold, Instant now) {
        if (stored == null || stored.isExpired(now)) {
            return new Begun.Entered(false);
        }
        InputHash asked = hold.payload();
        InputHash existing = stored.payload;
        // Before everything else and in every state: a check that one path skips protects nothing.
        if (asked != null && existing != null && !asked.equals(existing)) {
            return new Begun.Conflicted(existing);
        }
        return switch (stored.state) {
            case SUCCESS ->
                new Begun.Done(stored.result, existing, stored.changedAt, Duration.between(now, stored.expiresAt));
            case FAILURE -> new Begun.Entered(false);
            case IN_PROGRESS -> {
                Instant until = stored.leaseUntil;
                if (stored.owner.equals(hold.owner())) {
                    yield new Begun.Entered(false);
                }
                yield until == null || !now.isBefore(until)
                        ? new Begun.Entered(true)
                        : new Begun.Busy(Duration.between(now, until));
            }
        };
    }

    /**
     * Returns the record to store when a caller has entered.
     *
     * @param stored the record that was stored before
     * @param hold the caller's hold
     * @param now the store's time
     * @return the new record
     */
    public static GuardRecord entered(@Nullable GuardRecord stored, Hold hold, Instant now) {
        InputHash payload = hold.payload();
        if (payload == null && stored != null && !stored.isExpired(now)) {
            payload = stored.payload;
        }
        Instant until = now.plus(hold.lease());
        return new GuardRecord(
                GuardState.IN_PROGRESS, hold.owner(), payload, now, now, until, until.plus(hold.ttl()), null, null);
    }

    /**
     * Returns the record to store when a hold is renewed.
     *
     * @param stored the record that was stored before
     * @param hold the hold
     * @param now the store's time
     * @return the new record, or null if the renewal is stale
     */
    public static @Nullable GuardRecord renewed(@Nullable GuardRecord stored, Hold hold, Instant now) {
        if (stored == null || !stored.isHeldBy(hold, now)) {
            return null;
        }
        Instant until = now.plus(hold.lease());
        return new GuardRecord(
                stored.state,
                stored.owner,
                stored.payload,
                stored.beganAt,
                stored.changedAt,
                until,
                until.plus(hold.ttl()),
                null,
                null);
    }

    /**
     * Returns the record to store when an effect has succeeded.
     *
     * @param stored the record that was stored before
     * @param hold the hold
     * @param result the result
     * @param now the store's time
     * @return the new record, the old one if it has the same outcome already, or null if the finish is stale
     */
    public static @Nullable GuardRecord finished(
            @Nullable GuardRecord stored, Hold hold, @Nullable String result, Instant now) {
        return ended(stored, hold, GuardState.SUCCESS, result, null, now);
    }

    /**
     * Returns the record to store when an effect has failed.
     *
     * @param stored the record that was stored before
     * @param hold the hold
     * @param error the error
     * @param now the store's time
     * @return the new record, the old one if it has the same outcome already, or null if the failure is stale
     */
    public static @Nullable GuardRecord failed(@Nullable GuardRecord stored, Hold hold, String error, Instant now) {
        return ended(stored, hold, GuardState.FAILURE, null, error, now);
    }

    private static @Nullable GuardRecord ended(
            @Nullable GuardRecord stored,
            Hold hold,
            GuardState state,
            @Nullable String result,
            @Nullable String error,
            Instant now) {
        if (stored != null && stored.isHeldBy(hold, now)) {
            return new GuardRecord(
                    state,
                    stored.owner,
                    stored.payload,
                    stored.beganAt,
                    now,
                    null,
                    now.plus(hold.ttl()),
                    result,
                    error);
        }
        boolean saidBefore =
                stored != null && stored.state == state && stored.owner.equals(hold.owner()) && !stored.isExpired(now);
        return saidBefore ? stored : null;
    }

    /**
     * Returns whether the record has expired. A store treats an expired record as absent.
     *
     * @param now the store's time
     * @return whether the record has expired
     */
    public boolean isExpired(Instant now) {
        return !now.isBefore(expiresAt);
    }

    /**
     * Returns a view of this record without its owner.
     *
     * @param key the key of the record
     * @return the entry
     */
    public GuardEntry shown(GuardKey key) {
        return new GuardEntry(key, state, payload, beganAt, changedAt, leaseUntil, expiresAt, result, error);
    }

    /**
     * Returns whether the hold still owns the record. An expired lease holds the key until another caller has entered.
     */
    private boolean isHeldBy(Hold hold, Instant now) {
        return state == GuardState.IN_PROGRESS && owner.equals(hold.owner()) && !isExpired(now);
    }

    /** Returns a text without the result and the error, which may be secret. */
    @Override
    public String toString() {
        return "GuardRecord[" + state + ", expires at " + expiresAt + "]";
    }
}
