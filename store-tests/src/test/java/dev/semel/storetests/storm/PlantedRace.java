package dev.semel.storetests.storm;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;

/** The bugs that a storm must find, each as a store that is wrong only when calls meet. */
enum PlantedRace {

    /** Two submissions that find a key free outside the lock both create. */
    UNLOCKED_LOOK_AT_A_FREE_KEY,

    /** A key is taken over from another task than the one that the decision was about. */
    UNLOCKED_LOOK_AT_A_FINISHED_TASK,

    /** A duplicate is answered with a state that was true once. */
    DUPLICATE_FROM_A_CACHE,

    /** A redrive that changed no row is answered as applied. */
    MISSING_ROW_COUNT,

    /** Submissions and settlements take the same locks in different orders. */
    SWAPPED_LOCK_ORDER,

    /** A completion is written under whatever attempt runs. */
    SKIPPED_FENCE,

    /** An attempt that is over intends an effect. */
    SKIPPED_FENCE_OF_AN_INTENT,

    /** A task that waits is not woken, because the other one ended at that moment. */
    LOST_WAKE,

    /** A task is given to two claims. */
    DUPLICATE_CLAIM,

    /** A key is released although its task is open again. */
    RELEASE_WHILE_OPEN,

    /** A sweep removes the record of a task that has just taken the key. */
    SWEEP_OF_A_TAKEN_RECORD,

    /** A task that was acknowledged is written over. */
    LOST_ACKNOWLEDGED_TASK,

    /** A batch is decided in another order than it means. */
    BATCH_OUT_OF_ORDER,

    /** A mutex is not noted when two submissions meet. */
    MUTEX_FORGOTTEN,

    /** Two claims find the same free place of a queue. */
    PLACES_COUNTED_UNLOCKED,

    /** Two schedulers make the same tick, because the version of the schedule is compared outside the lock. */
    SCHEDULE_COMPARED_UNLOCKED,

    /** The task of a tick is created although the tick is refused. */
    TASK_OF_A_REFUSED_TICK;

    TaskStore open(ManualClock clock) {
        return switch (this) {
            case UNLOCKED_LOOK_AT_A_FREE_KEY -> new SplitStore.CreatesTwice(clock);
            case UNLOCKED_LOOK_AT_A_FINISHED_TASK -> new RacingStore.TakesOverUnlocked(new InMemoryTaskStore(clock));
            case DUPLICATE_FROM_A_CACHE -> new RacingStore.AnswersFromCache(new InMemoryTaskStore(clock));
            case MISSING_ROW_COUNT -> new RacingStore.IgnoresRowCount(new InMemoryTaskStore(clock));
            case SWAPPED_LOCK_ORDER -> new RacingStore.SwapsLocks(new InMemoryTaskStore(clock));
            case SKIPPED_FENCE -> new RacingStore.SkipsFence(new InMemoryTaskStore(clock));
            case SKIPPED_FENCE_OF_AN_INTENT -> new RacingStore.IntendsUnfenced(new InMemoryTaskStore(clock));
            case LOST_WAKE -> new RacingStore.LosesWake(new InMemoryTaskStore(clock));
            case DUPLICATE_CLAIM -> new RacingStore.ClaimsTwice(new InMemoryTaskStore(clock));
            case RELEASE_WHILE_OPEN -> new SplitStore.ReleasesOpen(clock);
            case SWEEP_OF_A_TAKEN_RECORD -> new SplitStore.SweepsTaken(clock);
            case LOST_ACKNOWLEDGED_TASK -> new RacingStore.LosesAcknowledged(new InMemoryTaskStore(clock));
            case BATCH_OUT_OF_ORDER -> new RacingStore.DecidesBackwards(new InMemoryTaskStore(clock));
            case MUTEX_FORGOTTEN -> new SplitStore.ForgetsMutex(clock);
            case PLACES_COUNTED_UNLOCKED -> new RacingStore.CountsPlacesUnlocked(new InMemoryTaskStore(clock));
            case SCHEDULE_COMPARED_UNLOCKED -> new ScheduleRace.ComparesUnlocked(new InMemoryTaskStore(clock));
            case TASK_OF_A_REFUSED_TICK -> new ScheduleRace.CreatesFirst(new InMemoryTaskStore(clock));
        };
    }
}
