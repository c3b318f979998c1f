package dev.semel.testkit.storm;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import java.util.function.Function;

/** The bugs that a storm must find, each as a store that is wrong only when calls meet. */
enum PlantedRace {

    /** Two submissions that find a key free outside the lock both create. */
    UNLOCKED_LOOK_AT_A_FREE_KEY(SplitStore.CreatesTwice::new),

    /** A key is taken over from another task than the one that the decision was about. */
    UNLOCKED_LOOK_AT_A_FINISHED_TASK(clock -> new RacingStore.TakesOverUnlocked(new InMemoryTaskStore(clock))),

    /** A duplicate is answered with a state that was true once. */
    DUPLICATE_FROM_A_CACHE(clock -> new RacingStore.AnswersFromCache(new InMemoryTaskStore(clock))),

    /** A redrive that changed no row is answered as applied. */
    MISSING_ROW_COUNT(clock -> new RacingStore.IgnoresRowCount(new InMemoryTaskStore(clock))),

    /** Submissions and settlements take the same locks in different orders. */
    SWAPPED_LOCK_ORDER(clock -> new RacingStore.SwapsLocks(new InMemoryTaskStore(clock))),

    /** A completion is written under whatever attempt runs. */
    SKIPPED_FENCE(clock -> new RacingStore.SkipsFence(new InMemoryTaskStore(clock))),

    /** An attempt that is over intends an effect. */
    SKIPPED_FENCE_OF_AN_INTENT(clock -> new RacingStore.IntendsUnfenced(new InMemoryTaskStore(clock))),

    /** A task that waits is not woken, because the other one ended at that moment. */
    LOST_WAKE(clock -> new RacingStore.LosesWake(new InMemoryTaskStore(clock))),

    /** A task is given to two claims. */
    DUPLICATE_CLAIM(clock -> new RacingStore.ClaimsTwice(new InMemoryTaskStore(clock))),

    /** A key is released although its task is open again. */
    RELEASE_WHILE_OPEN(SplitStore.ReleasesOpen::new),

    /** A sweep removes the record of a task that has just taken the key. */
    SWEEP_OF_A_TAKEN_RECORD(SplitStore.SweepsTaken::new),

    /** A task that was acknowledged is written over. */
    LOST_ACKNOWLEDGED_TASK(clock -> new RacingStore.LosesAcknowledged(new InMemoryTaskStore(clock))),

    /** A batch is decided in another order than it means. */
    BATCH_OUT_OF_ORDER(clock -> new RacingStore.DecidesBackwards(new InMemoryTaskStore(clock))),

    /** A mutex is not noted when two submissions meet. */
    MUTEX_FORGOTTEN(SplitStore.ForgetsMutex::new),

    /** Two claims find the same free place of a queue. */
    PLACES_COUNTED_UNLOCKED(clock -> new RacingStore.CountsPlacesUnlocked(new InMemoryTaskStore(clock)));

    private final Function<ManualClock, TaskStore> store;

    PlantedRace(Function<ManualClock, TaskStore> store) {
        this.store = store;
    }

    TaskStore open(ManualClock clock) {
        return store.apply(clock);
    }
}
