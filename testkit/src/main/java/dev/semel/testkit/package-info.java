/**
 * What a store, and whoever builds on one, is tested with: the contract of {@link dev.semel.store.TaskStore} as tests, a
 * clock that is moved by hand, and wrappers that make the world of any store worse.
 *
 * <h2>Adopting the contract</h2>
 *
 * <p>A new store needs one test class, which says how to open the store and nothing else:
 *
 * <pre>{@code
 * class SqliteTaskStoreTest extends TaskStoreContract {
 *
 *     @TempDir Path directory;
 *     private ManualClock clock;
 *     private Path file;
 *
 *     @Override
 *     protected TaskStore open(ManualClock clock) {              // a fresh, empty store, ruled by this clock
 *         this.clock = clock;
 *         file = directory.resolve(UUID.randomUUID() + ".db");
 *         return openAnother();
 *     }
 *
 *     @Override
 *     protected TaskStore openAnother() {                        // a second handle on the data of the last open
 *         return SqliteTaskStore.open(file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
 *     }
 * }
 * }</pre>
 *
 * <p>{@link dev.semel.testkit.TaskStoreContract} holds the parts as nested classes. A store that wants to run them apart
 * extends the parts instead: {@link dev.semel.testkit.SubmitContract}, {@link dev.semel.testkit.DataContract},
 * {@link dev.semel.testkit.DecisionContract}, {@link dev.semel.testkit.ReplaceContract},
 * {@link dev.semel.testkit.BatchContract},
 * {@link dev.semel.testkit.ClaimContract}, {@link dev.semel.testkit.FairnessContract},
 * {@link dev.semel.testkit.MoveContract}, {@link dev.semel.testkit.RedriveContract},
 * {@link dev.semel.testkit.RepetitionContract}, {@link dev.semel.testkit.LookContract},
 * {@link dev.semel.testkit.SweepContract}, {@link dev.semel.testkit.QueueContract},
 * {@link dev.semel.testkit.LimitContract}, {@link dev.semel.testkit.MutexContract},
 * {@link dev.semel.testkit.DeadLetterQueueContract}, {@link dev.semel.testkit.NoRetentionContract},
 * {@link dev.semel.testkit.EffectContract}, {@link dev.semel.testkit.LineageContract},
 * {@link dev.semel.testkit.ParkContract}, {@link dev.semel.testkit.ResolveContract},
 * {@link dev.semel.testkit.NotParkedContract},
 * {@link dev.semel.testkit.LedgerContract}, {@link dev.semel.testkit.ForgetContract},
 * {@link dev.semel.testkit.EffectRaceContract}, {@link dev.semel.testkit.ConcurrencyContract} and {@link dev.semel.testkit.ModelContract}. The suite closes every store that it opened.
 *
 * <p>A guard store extends {@link dev.semel.testkit.GuardStoreContract} in the same way, and
 * {@link dev.semel.testkit.GuardProcessContract} if several processes can share it.
 *
 * <h2>What the tests mean</h2>
 *
 * <p>Each test is named after the law that it holds a store to, by the law's number. No test sleeps: time is a
 * {@link dev.semel.testkit.ManualClock}, and it moves only when a test moves it. After every test
 * {@link dev.semel.testkit.StoreInvariants} looks at all that is stored, lifts pauses and limits, and then lets time pass and
 * works everything off,
 * so that a task which no claim can reach any more fails the test that lost it, whatever that test was about.
 *
 * <p>The laws leave some freedom, and the suite does too: in which order queues and tenants come round, in which order a
 * sweep removes what may go, what a claim that reached its limit says of the next due time. Ids are made in rising order,
 * so that a store may keep the order of creation by a number of its own or by the id.
 *
 * <h2>Trying handlers</h2>
 *
 * <p>{@link dev.semel.testkit.HandlerTrial} is for those who write handlers, not stores: it stops a handler at every moment
 * and looks whether its effects still happen once. It needs no test framework.
 *
 * <h2>Worse worlds</h2>
 *
 * <p>{@link dev.semel.testkit.FaultyStore} and {@link dev.semel.testkit.FaultyGuardStore} let calls of any store fail, before
 * or after they were done. {@link dev.semel.testkit.FaultyWire} does the same one level below, between a store and its
 * server: it cuts connections, loses requests and replies, and is silent or slow.
 *
 * <h2>Randomness</h2>
 *
 * <p>Random tests are seeded and say their seed when they fail. {@code -Dseed=N} runs that seed alone, and
 * {@code -Dseeds=N} as many as one has time for.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
