package dev.semel.guard;

import dev.semel.task.InvalidInput;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store of guarded outcomes, with one entry for each (tenant, key). Safe for use by several threads, and by several
 * processes if it can be reached from them.
 *
 * <p>Every operation is one atomic step. Every operation may throw {@link dev.semel.task.StoreUnavailable}. Then the
 * operation may or may not have been done, and it can be repeated with the same {@link Hold}.
 *
 * <h2>Laws</h2>
 *
 * <p>The numbers are those of the tests in the contract suite, {@code GuardStoreContract}.
 *
 * <h3>Beginning</h3>
 *
 * <ol>
 *   <li>B1: of any number of concurrent beginnings of one key exactly one enters, and all others get
 *       {@link Begun.Busy}.
 *   <li>B2: after a success every beginning gets the same stored result.
 *   <li>B3: after a failure the next beginning enters.
 *   <li>B4: a hold whose lease has expired is taken over by exactly one beginning, whose answer says so.
 *   <li>B5: a renewed hold is not taken over, however long it lasts.
 *   <li>B6: a different payload is a conflict in every state and changes nothing; if one side has no payload, none is
 *       compared.
 *   <li>B7: a beginning that the same owner sends again enters again.
 *   <li>B8: keys and tenants are compared as a whole: two different pairs never share an entry.
 * </ol>
 *
 * <h3>Settling</h3>
 *
 * <ol>
 *   <li>E1: a renewal, a finish and a failure are stale and change nothing unless the owner sends them.
 *   <li>E2: they are also stale if the entry no longer exists.
 *   <li>E3: an expired lease holds the key until another caller has entered.
 *   <li>E4: a repeated finish or failure is applied and changes nothing; the opposite outcome is stale.
 * </ol>
 *
 * <h3>Keeping</h3>
 *
 * <ol>
 *   <li>K1: an outcome is kept for exactly its ttl after it is recorded, to the millisecond, and then the key is free.
 *   <li>K2: results are returned unchanged: any text, up to the size limit of a document.
 *   <li>K3: a sweep removes only expired entries, and at most as many as its limit.
 *   <li>K4: a store that was closed refuses every operation, and to join a transaction, with a
 *       {@link dev.semel.task.StoreUnusable} that {@linkplain dev.semel.task.StoreUnusable#isClosed says so}. Closing it
 *       again does nothing.
 * </ol>
 *
 * <p>All times are read from the store's own clock; callers send durations. A lease or an entry is expired at the
 * instant of its end and after it.
 */
public interface GuardStore extends AutoCloseable {

    /** The maximum number of entries that one sweep removes. */
    int MAX_SWEEP = 10_000;

    /**
     * Begins a call: enters if the key is not held and has no recorded success.
     *
     * @param hold the caller's hold
     * @return the answer
     */
    Begun begin(Hold hold);

    /**
     * Renews a hold: its lease starts again now.
     *
     * @param hold the hold
     * @return whether it is still held
     */
    Settled renew(Hold hold);

    /**
     * Records that the effect has happened.
     *
     * @param hold the hold
     * @param result the result as text, or null for none
     * @return whether the outcome is recorded
     */
    Settled finish(Hold hold, @Nullable String result);

    /**
     * Records that the effect has failed, and releases the key.
     *
     * @param hold the hold
     * @param error the error text
     * @return whether the outcome is recorded
     */
    Settled fail(Hold hold, String error);

    /**
     * Reads an entry.
     *
     * @param key the key
     * @return the entry; empty if there is none or it has expired
     */
    Optional<GuardEntry> find(GuardKey key);

    /**
     * Removes expired entries in one bounded step. Expired entries are treated as absent before; a sweep only frees
     * space.
     *
     * @param limit the maximum number of entries to remove, up to {@link #MAX_SWEEP}
     * @return the number of removed entries; below the limit if no expired entry is left
     */
    int sweep(int limit);

    /**
     * Checks the limit of a sweep, for stores.
     *
     * @param limit the limit
     * @return the limit
     * @throws InvalidInput if it is not allowed
     */
    static int checkSweep(int limit) {
        if (limit < 1 || limit > MAX_SWEEP) {
            throw new InvalidInput("A sweep removes 1 to " + MAX_SWEEP + " entries, but got \"" + limit + "\".");
        }
        return limit;
    }

    /**
     * Returns the capability to join a JDBC transaction of the caller. A store that forwards to another one forwards this too.
     *
     * @return the capability, or empty if this store has none
     */
    default Optional<GuardJoining> joining() {
        return Optional.empty();
    }

    /** Closes the store. All acknowledged writes are kept, and every later operation is refused (K4). */
    @Override
    void close();
}
