/**
 * The guard: runs an effect once for each (tenant, key), in any code, with or without the queue.
 *
 * <h2>The order of writes</h2>
 *
 * <p>A call begins in the store under a fresh random token, runs the effect, and finishes under the same token. Only a
 * recorded success makes later calls skip the effect. What a crash leaves behind depends on where it hits:
 *
 * <ul>
 *   <li>before the beginning: nothing;
 *   <li>between beginning and finish: an entry in progress whose lease runs out, because nobody renews it. Whether the
 *       effect happened is not known to anybody. The next call takes the entry over and runs the effect with the same
 *       {@linkplain dev.semel.guard.GuardKey#effectToken token} for the outside world, so that the other side can tell;
 *   <li>after the finish: a success, even if the answer was lost.
 * </ul>
 *
 * <p>A lost answer is met by sending the same operation again with the same hold: a store recognises it by the token.
 *
 * <h2>Two tokens</h2>
 *
 * <p>The {@linkplain dev.semel.guard.OwnerToken owner token} says who holds an entry. It is drawn for every call, and
 * renewal, finish and failure are conditional on it, so that an owner which was thought dead and comes back late changes
 * nothing. The effect token says what is being done. It comes from the key alone and goes to the outside world.
 *
 * <h2>The lease</h2>
 *
 * <p>A fixed time for an effect is always wrong: too short for slow work, too long after a crash. So the lease is short and
 * is renewed at its thirds for as long as the effect runs and its program lives.
 *
 * <h2>Where the promise ends</h2>
 *
 * <p>A recorded effect is not repeated for as long as its entry is kept. An effect that ran and could not be recorded may
 * be: no guard can promise more, unless effect and record are in one transaction
 * ({@link dev.semel.guard.Guard#joining Guard.joining}). A store that forgets entries (Redis without persistence, or one
 * that evicts) forgets what has happened.
 *
 * <p>{@link dev.semel.guard.GuardStore} is what a store implements; its laws are in its documentation, and
 * {@link dev.semel.guard.GuardRecord} has them as pure functions.
 */
@NullMarked
package dev.semel.guard;

import org.jspecify.annotations.NullMarked;
