/**
 * The storm: random calls by many threads on one store, and a checker that judges the answers.
 *
 * <p>The other parts of the contract try one law, or one policy, at a time. A storm mixes all operations, on so few keys that
 * they meet all the time: every cell of the reuse policy, batches that mix hot keys with keys of their own, repeated sends, joined
 * transactions, claims, every way to settle an attempt, late settlements of lost leases, effects, mutexes, limits, cancellation,
 * redrives, releases, dead-letter queues, a queue that keeps nothing, batches of a hundred and more that are all new or all duplicates,
 * workflows with their steps, waits, signals, restarts and continuations, schedules whose ticks create and cancel tasks, windows that pass, sweeps, lost answers, interrupts, processes that are
 * killed, and other disturbances around the store.
 *
 * <h2>Adding a store</h2>
 *
 * <p>A test class extends {@link dev.semel.storetests.storm.StormContract} and says how to open the store, as for the other
 * contracts. A store that can join a transaction also says how to connect, and one with a server can cut connections:
 *
 * <pre>{@code
 * class SqliteStormTest extends StormContract {
 *
 *     @Override
 *     public TaskStore open(ManualClock clock) { … }             // a fresh, empty store, ruled by this clock
 *
 *     @Override
 *     public TaskStore openAnother() { … }                       // a second handle on the same data
 *
 *     @Override
 *     public StoreProcess openElsewhere() { … }                  // optional: a handle in another process, which is killed
 *
 *     @Override
 *     public Connection connect() { … }                          // optional: for joined transactions
 *
 *     @Override
 *     public void disturb(RandomGenerator random) { … }          // optional: for example cuts a connection
 * }
 * }</pre>
 *
 * <p>A build runs a few short rounds. {@code -Dstorm=30m} lets the storm last for half an hour, {@code -Dseed=N} begins with
 * another seed. A round has a store, a clock and keys of its own and is checked before the next one begins, so memory stays bounded.
 *
 * <h2>What is recorded</h2>
 *
 * <p>Each item of each call, with the nanosecond before it was sent and after it was answered, and with what the store's clock
 * showed at both: the store's now lies between the two. A call without an answer is recorded as lost, and is sent again. The clock
 * moves while calls are under way, but never gets more than a second ahead of one that has no answer yet.
 *
 * <h2>What is checked</h2>
 *
 * <ul>
 *   <li>Every answer is explained by some order of the operations of its identity: each took effect at one moment between question
 *       and answer, and {@code IdentityModel} gives the same answers in that order. The model decides submissions with
 *       {@link dev.semel.task.Decision} and effects with {@link dev.semel.store.StoredEffect}, as stores do; the rest are the laws of
 *       {@link dev.semel.store.TaskStore} written once more. It follows that of one identity never two tasks are pending or running,
 *       that a run is made once and without gaps, that an old attempt changes nothing, and that what was acknowledged is there at the
 *       end, unless a sweep could remove it.
 *   <li>Executions that certainly overlapped are not of one task, one identity or one mutex, and no more of a queue than its
 *       concurrency: from the answer to the claim until the settlement is sent, as long as the lease is certain to hold.
 *   <li>One lease is given once, one task is completed by one attempt unless it is restarted, a submission whose transaction was rolled back is not there.
 *   <li>Each death in a queue with a dead-letter queue makes exactly one task there, in the same step, and nothing else makes any.
 *   <li>A task of the queue that keeps nothing shows no input and no result once it has ended.
 *   <li>The history and the inbox of a workflow have no gaps and never change; each line was written by one attempt that was not stale;
 *       each step has one task, each end of a step and each signal is in the inbox once, in the order of acceptance; no workflow waits for
 *       what it has; and no step is cancelled while another workflow watches it.
 *   <li>Each generation of a workflow begins once, with a restart that named the one before or with a continuation; it has the lines before its first one and
 *       no others of the generation before, and of the inbox nothing is deleted but what a continuation has received.
 *   <li>Each tick of a schedule is made at most once, a change of a schedule that is refused does nothing, and the position of a
 *       schedule never falls.
 *   <li>No call fails with anything but {@link dev.semel.task.StoreUnavailable}, and none hangs.
 *   <li>What is stored fits together and can be worked off: {@link dev.semel.storetests.StoreInvariants}.
 * </ul>
 *
 * <p>Where an answer was lost or the clock was between two values, several states are possible, and the checker follows all of them:
 * it reports only what no order explains. So some rounds have no lost answers and no windows that pass, and can say the most.
 *
 * <h2>Reading a failure</h2>
 *
 * <p>It names the seed, the identity, the answer that cannot be explained, the states that were possible before it, and the last
 * operations in order of their answers. All calls of the round are written into a file, which it names too. A seed repeats the choices of every thread, but not how the threads meet: run it
 * several times, or with {@code -Dstorm=5m}.
 */
@NullMarked
package dev.semel.storetests.storm;

import org.jspecify.annotations.NullMarked;
