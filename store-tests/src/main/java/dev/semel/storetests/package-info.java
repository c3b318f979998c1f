/**
 * Tests for authors of stores: the contract of {@link dev.semel.store.TaskStore} and of {@link dev.semel.guard.GuardStore} as
 * tests, and wrappers that make the world of any store worse. The {@link dev.semel.storetests.storm} runs all operations on
 * many threads at once, and the {@link dev.semel.storetests.simulation} runs engine and store on virtual time.
 *
 * <p>The suites use JUnit and AssertJ. {@code semel-testkit}, for those who write handlers, needs neither.
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
 * <p>{@link dev.semel.storetests.TaskStoreContract} holds the parts as nested classes. A store that wants to run them apart
 * extends the parts instead: {@link dev.semel.storetests.SubmitContract}, {@link dev.semel.storetests.DataContract},
 * {@link dev.semel.storetests.DecisionContract}, {@link dev.semel.storetests.ReplaceContract},
 * {@link dev.semel.storetests.BatchContract}, {@link dev.semel.storetests.CancelContract},
 * {@link dev.semel.storetests.ClaimContract}, {@link dev.semel.storetests.FairnessContract},
 * {@link dev.semel.storetests.MoveContract}, {@link dev.semel.storetests.RedriveContract},
 * {@link dev.semel.storetests.RepetitionContract}, {@link dev.semel.storetests.LookContract},
 * {@link dev.semel.storetests.SweepContract}, {@link dev.semel.storetests.QueueContract},
 * {@link dev.semel.storetests.LimitContract}, {@link dev.semel.storetests.MutexContract},
 * {@link dev.semel.storetests.DeadLetterQueueContract}, {@link dev.semel.storetests.NoRetentionContract},
 * {@link dev.semel.storetests.EffectContract}, {@link dev.semel.storetests.LineageContract},
 * {@link dev.semel.storetests.ParkContract}, {@link dev.semel.storetests.ResolveContract},
 * {@link dev.semel.storetests.NotParkedContract},
 * {@link dev.semel.storetests.LedgerContract}, {@link dev.semel.storetests.TenantContract},
 * {@link dev.semel.storetests.ForgetContract},
 * {@link dev.semel.storetests.EffectRaceContract}, {@link dev.semel.storetests.ConcurrencyContract} and {@link dev.semel.storetests.ModelContract}. The suite closes every store that it opened.
 *
 * <p>A guard store extends {@link dev.semel.storetests.GuardStoreContract} in the same way, and
 * {@link dev.semel.storetests.GuardProcessContract} if several processes can share it.
 *
 * <h2>What the tests mean</h2>
 *
 * <p>Each test is named after the law that it holds a store to, by the law's number. No test sleeps: time is a
 * {@link dev.semel.testkit.ManualClock}, and it moves only when a test moves it. After every test
 * {@link dev.semel.storetests.StoreInvariants} looks at all that is stored, lifts pauses and limits, and then lets time pass and
 * works everything off,
 * so that a task which no claim can reach any more fails the test that lost it, whatever that test was about.
 *
 * <p>The laws leave some freedom, and the suite does too: in which order queues and tenants take turns, in which order a
 * sweep removes data, what a claim that reached its limit returns as the next due time. Ids are made in rising order,
 * so that a store may keep the order of creation by a number of its own or by the id.
 *
 * <h2>Worse worlds</h2>
 *
 * <p>{@link dev.semel.storetests.FaultyStore} and {@link dev.semel.storetests.FaultyGuardStore} let calls of any store fail, before
 * or after they were done. {@link dev.semel.storetests.FaultyWire} does the same one level below, between a store and its
 * server: it cuts connections, loses requests and replies, and is silent or slow.
 *
 * <h2>Randomness</h2>
 *
 * <p>Random tests are seeded and say their seed when they fail. {@code -Dseed=N} runs that seed alone, and
 * {@code -Dseeds=N} as many as one has time for.
 */
@NullMarked
package dev.semel.storetests;

import org.jspecify.annotations.NullMarked;
