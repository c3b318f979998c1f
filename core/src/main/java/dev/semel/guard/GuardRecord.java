package dev.semel.guard;

import dev.semel.task.InputHash;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps under a key, and the rules by which it changes: pure functions of what is stored, what is asked and
 * what time it is. Stores that can read, decide and write in one atomic step call them; those that cannot say the same in
 * their own language, and the contract suite holds them to it.
 *
 * @param state where it stands
 * @param owner who made it so
 * @param payload the hash of what was asked for; null if it was never given
 * @param beganAt when the newest run began
 * @param changedAt when the state was recorded
 * @param leaseUntil until when the owner holds the key; null unless it is in progress
 * @param expiresAt when the entry is forgotten; for one in progress so long after the end of the lease as an outcome would
 *     be kept, so that the payload of a run that vanished is still compared
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
     * What a beginning comes to.
     *
     * @param stored what is stored, or null if nothing is
     * @param hold what is asked
     * @param now the store's time
     * @return {@link Begun.Entered} if {@link #entered} is to be stored; otherwise nothing changes
     */
    public static Begun begin(@Nullable GuardRecord stored, Hold hold, Instant now) {
        if (stored == null || stored.isExpired(now)) {
            return new Begun.Entered(false);
        }
        InputHash asked = hold.payload();
        InputHash existing = stored.payload;
        // First of all, and in every state: a check that some way in leaves out is none.
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
     * What is stored once a caller has entered.
     *
     * @param stored what was stored before
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
     * What is stored once a hold was renewed.
     *
     * @param stored what was stored before
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
     * What is stored once an effect has succeeded.
     *
     * @param stored what was stored before
     * @param hold the hold
     * @param result the result
     * @param now the store's time
     * @return the new record, the old one if it says so already, or null if the finish is stale
     */
    public static @Nullable GuardRecord finished(
            @Nullable GuardRecord stored, Hold hold, @Nullable String result, Instant now) {
        return ended(stored, hold, GuardState.SUCCESS, result, null, now);
    }

    /**
     * What is stored once an effect has failed.
     *
     * @param stored what was stored before
     * @param hold the hold
     * @param error the error
     * @param now the store's time
     * @return the new record, the old one if it says so already, or null if the failure is stale
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
     * Whether the entry is as good as gone.
     *
     * @param now the store's time
     * @return whether its time has come
     */
    public boolean isExpired(Instant now) {
        return !now.isBefore(expiresAt);
    }

    /**
     * What is shown of it.
     *
     * @param key the key that it is stored under
     * @return the same without the owner
     */
    public GuardEntry shown(GuardKey key) {
        return new GuardEntry(key, state, payload, beganAt, changedAt, leaseUntil, expiresAt, result, error);
    }

    /** A lease that ran out still holds until somebody else has entered. */
    private boolean isHeldBy(Hold hold, Instant now) {
        return state == GuardState.IN_PROGRESS && owner.equals(hold.owner()) && !isExpired(now);
    }

    /** Shows neither result nor error, which may be secret. */
    @Override
    public String toString() {
        return "GuardRecord[" + state + ", expires at " + expiresAt + "]";
    }
}
