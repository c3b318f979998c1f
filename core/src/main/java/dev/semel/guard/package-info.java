/**
 * The guard: runs an effect once for each (tenant, key), in any code, with or without the queue.
 *
 * <h2>The order of writes</h2>
 *
 * <p>A call begins in the store under a new random token, runs the effect, and finishes under the same token. Only a
 * recorded success makes later calls skip the effect. The state after a crash depends on when the crash happens:
 *
 * <ul>
 *   <li>before the beginning: nothing;
 *   <li>between beginning and finish: an entry in progress whose lease expires, because it is no longer renewed. The
 *       outcome of the effect is unknown. The next call takes over the entry and runs the effect with the same
 *       {@linkplain dev.semel.guard.GuardKey#effectToken effect token}, so that other systems can recognise the
 *       repetition;
 *   <li>after the finish: a success, even if the answer was lost.
 * </ul>
 *
 * <p>After a lost answer the caller repeats the operation with the same hold: a store recognises it by the token.
 *
 * <h2>Two tokens</h2>
 *
 * <p>The {@linkplain dev.semel.guard.OwnerToken owner token} identifies the holder of an entry. It is generated for
 * every call, and renewal, finish and failure are conditional on it, so that an owner that was considered dead and
 * continues later changes nothing. The effect token identifies the effect. It is derived from the key alone and is
 * passed to other systems.
 *
 * <h2>The lease</h2>
 *
 * <p>A fixed time for an effect is always wrong: too short for slow work, too long after a crash. So the lease is
 * short, and it is renewed after each third as long as the effect runs and its process lives.
 *
 * <h2>Limits of the guarantee</h2>
 *
 * <p>A recorded effect is not repeated for as long as its entry is kept. An effect that ran and could not be recorded
 * may be repeated: no guard can promise more, unless effect and record are in one transaction
 * ({@link dev.semel.guard.Guard#joining Guard.joining}). A store that loses entries (Redis without persistence, or with
 * eviction) loses the record that an effect has happened.
 *
 * <p>Stores implement {@link dev.semel.guard.GuardStore}, whose documentation contains the laws.
 * {@link dev.semel.guard.GuardRecord} implements the laws as pure functions.
 */
@NullMarked
package dev.semel.guard;

import org.jspecify.annotations.NullMarked;
