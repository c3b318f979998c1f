package dev.semel.postgresql.transaction;

/**
 * The kinds of locks, in the one order in which every transaction takes them; within a kind they are sorted. Two transactions
 * that wait for each other's locks therefore cannot exist, and a lock that is held for long is held by a caller's own
 * transaction. {@link Transaction#locked} checks the order wherever assertions are on, so in every test.
 *
 * <p>Claims and sweeps are outside of this order, because they do not wait for locks ({@code SKIP LOCKED},
 * {@code pg_try_advisory_xact_lock}). So is the record of a dead letter: the end of its task adds it, under a key that is not
 * used otherwise.
 *
 * <p>The counters of workflows are the last locks of all, and a transaction takes all that it needs of them together, at its end
 * ({@link Transaction#ending}): only then is it known which workflows its ends concern. A transaction that has them waits for no other lock. It wakes
 * a workflow whose row another transaction has locked by running again.
 */
public enum LockKind {
    /** The row of {@code change}: settings of queues. */
    CHANGE,
    /** Rows of {@code schedule}, by tenant and name. */
    SCHEDULE,
    /** Rows of {@code mark}, of queues with a limit. */
    MARK,
    /** Records that are there, by scope and key. */
    RECORD,
    /** Records that are new, by inserting them. */
    NEW_RECORD,
    /** Shared leases, by claim. */
    LEASE,
    /** Rows of {@code running}, by task. */
    RUNNING,
    /** Rows of {@code effect}. */
    EFFECT,
    /** Rows of {@code ready}, by task. */
    READY,
    /** Mutexes, as advisory locks. */
    MUTEX,
    /** Rows of {@code waiting}. */
    WAITING,
    /** Rows of {@code flow}, by task. */
    FLOW
}
