package dev.semel.guard;

import dev.semel.task.InvalidInput;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where guards keep what has happened: one entry for each (tenant, key). Safe for use by many threads, and by many
 * processes where it can be reached from several.
 *
 * <p>Every operation is one atomic step. Every operation may throw {@link dev.semel.task.StoreUnavailable}: then it may or
 * may not have been done, and the same operation with the same {@link Hold} can be sent again.
 *
 * <h2>Laws</h2>
 *
 * <p>The numbers are those of the tests in the contract suite, {@code GuardStoreContract}.
 *
 * <h3>Beginning</h3>
 *
 * <ol>
 *   <li>B1: of any number of concurrent beginnings of one key exactly one enters, and all others find it busy.
 *   <li>B2: after a success every beginning is told the stored result, the very same for all.
 *   <li>B3: after a failure the next beginning enters.
 *   <li>B4: a hold whose lease has run out is taken over, by exactly one, who is told so.
 *   <li>B5: a hold that is renewed is not taken over, however long it lasts.
 *   <li>B6: another payload is a conflict in every state and changes nothing; where one side gave none, none is compared.
 *   <li>B7: a beginning that is sent again by the same owner enters again.
 *   <li>B8: keys and tenants are compared as a whole: no two different ones meet in one entry.
 * </ol>
 *
 * <h3>Settling</h3>
 *
 * <ol>
 *   <li>E1: a renewal, a finish and a failure of anybody but the owner are stale and change nothing.
 *   <li>E2: they are stale as well when the entry is gone.
 *   <li>E3: a lease that ran out still holds until somebody else has entered.
 *   <li>E4: a finish or a failure that is sent again is applied again and changes nothing; the opposite of it is stale.
 * </ol>
 *
 * <h3>Keeping</h3>
 *
 * <ol>
 *   <li>K1: an outcome is kept for its ttl from its recording on, to the millisecond, and then the key is free.
 *   <li>K2: what is stored is what is found: results of any text, up to the limit of a document.
 *   <li>K3: a sweep removes what has expired, and nothing else, and at most as much as it may.
 * </ol>
 *
 * <p>Everything that depends on time goes by the store's own clock; callers send durations. A lease has run out and an
 * entry has expired from that very instant on.
 */
public interface GuardStore extends AutoCloseable {

    /** The most entries that one sweep removes. */
    int MAX_SWEEP = 10_000;

    /**
     * Begins a call: enters if nobody holds the key and nothing is recorded under it.
     *
     * @param hold what the caller asks for
     * @return what it gets
     */
    Begun begin(Hold hold);

    /**
     * Lets a hold last for its lease from now on.
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
     * @return whether it is recorded
     */
    Settled finish(Hold hold, @Nullable String result);

    /**
     * Records that the effect has failed, and lets the key go.
     *
     * @param hold the hold
     * @param error what went wrong
     * @return whether it is recorded
     */
    Settled fail(Hold hold, String error);

    /**
     * Reads an entry.
     *
     * @param key which one
     * @return the entry; empty if there is none or it has expired
     */
    Optional<GuardEntry> find(GuardKey key);

    /**
     * Removes entries that have expired, in one bounded step. They are as good as gone before; this only frees space.
     *
     * @param limit the most to remove, up to {@link #MAX_SWEEP}
     * @return how many went; less than the limit if no more are left
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

    /** Closes the store; what was answered stays. */
    @Override
    void close();
}
