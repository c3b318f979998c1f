package dev.semel.storetests.storm;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.WrongFlows;
import dev.semel.storetests.WrongGenerations;
import dev.semel.storetests.storm.StormWeather.Condition;
import dev.semel.testkit.ManualClock;
import java.util.Set;

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
    TASK_OF_A_REFUSED_TICK,

    /** A dead letter is forwarded after the death, and lost if another settlement is under way by then. */
    LETTER_FORWARDED_LATER,

    /** A death that an attempt reports after it was over is forwarded as that of the newest attempt. */
    LETTER_OF_A_STALE_DEATH,

    /** A task that failed after it was asked to cancel is forwarded as a dead letter. */
    LETTER_OF_A_CANCELLED_TASK,

    /** A result of a queue that keeps nothing is given to a duplicate. */
    RESULT_STRIPPED_LATER,

    /** A repeated end of a task that lost its data is stale. */
    END_OF_A_BARE_TASK_FORGOTTEN,

    /** A large batch is created without a look for duplicates, because the one before had none. */
    GUESS_WITHOUT_A_LOOK,

    /** What a large batch created is rolled back because of a duplicate, but answered as created. */
    NEIGHBOURS_OF_A_DUPLICATE_LOST,

    /** Now and then the entry that a workflow waits for does not wake it. */
    WAKE_OF_A_WORKFLOW_DROPPED,

    /** A wait does not see what has come since the code has read its inbox. */
    WAIT_IGNORES_A_NEWER_ENTRY,

    /** The counters of the inbox are not where the wait is decided: an entry in between wakes nobody. */
    INBOX_COUNTED_ELSEWHERE,

    /** Now and then a line is answered as added, but is not. */
    HISTORY_LINE_LOST,

    /** An attempt that is over starts steps. */
    STEP_STARTED_BY_A_ZOMBIE,

    /** A signal is acknowledged, and delivered after the next one. */
    SIGNAL_REORDERED,

    /** A signal that is sent again is delivered again. */
    SIGNAL_DELIVERED_TWICE,

    /** A step is no longer watched although it is open. */
    WATCH_REMOVED_TOO_EARLY,

    /** A step that its creator gives up is cancelled although another workflow watches it. */
    ABANDONED_STEP_CANCELLED_ALTHOUGH_WATCHED,

    /** A step that already had a task is cancelled as if the workflow had created it. */
    KEYED_STEP_COUNTED_AS_OWN,

    /** A restart keeps the line from which it is to begin. */
    RESTART_KEEPS_A_LINE,

    /** A restart does not compare the generation, so one that is sent again happens again. */
    RESTART_WITHOUT_FENCE,

    /** A workflow that continues as new loses the signals that its code has not received. */
    CONTINUATION_DROPS_UNREAD,

    /** A workflow that continues as new loses what has come since its code has read the inbox. */
    CONTINUATION_DROPS_NEWER,

    /** A workflow that continues as new finds the lines of the generation before. */
    CONTINUATION_KEEPS_LINES;

    /** What must happen in a round for it to show. */
    Set<Condition> needs() {
        return switch (this) {
            case SCHEDULE_COMPARED_UNLOCKED, TASK_OF_A_REFUSED_TICK -> Set.of(Condition.SCHEDULES);
            case LETTER_FORWARDED_LATER, LETTER_OF_A_STALE_DEATH -> Set.of(Condition.DEAD_LETTERS);
            case LETTER_OF_A_CANCELLED_TASK -> Set.of(Condition.DEAD_LETTERS, Condition.OPERATORS);
            case RESULT_STRIPPED_LATER, END_OF_A_BARE_TASK_FORGOTTEN -> Set.of(Condition.BARE_QUEUE);
            case GUESS_WITHOUT_A_LOOK, NEIGHBOURS_OF_A_DUPLICATE_LOST -> Set.of(Condition.BULK);
            case WAKE_OF_A_WORKFLOW_DROPPED,
                    WAIT_IGNORES_A_NEWER_ENTRY,
                    INBOX_COUNTED_ELSEWHERE,
                    HISTORY_LINE_LOST,
                    STEP_STARTED_BY_A_ZOMBIE,
                    SIGNAL_REORDERED,
                    SIGNAL_DELIVERED_TWICE,
                    WATCH_REMOVED_TOO_EARLY,
                    ABANDONED_STEP_CANCELLED_ALTHOUGH_WATCHED,
                    KEYED_STEP_COUNTED_AS_OWN,
                    CONTINUATION_DROPS_UNREAD,
                    CONTINUATION_DROPS_NEWER,
                    CONTINUATION_KEEPS_LINES -> Set.of(Condition.WORKFLOWS);
            case RESTART_KEEPS_A_LINE, RESTART_WITHOUT_FENCE -> Set.of(Condition.WORKFLOWS, Condition.OPERATORS);
            default -> Set.of();
        };
    }

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
            case LETTER_FORWARDED_LATER -> new DeadLetterRace.ForwardsLater(clock);
            case LETTER_OF_A_STALE_DEATH -> new DeadLetterRace.ForwardsStale(clock);
            case LETTER_OF_A_CANCELLED_TASK -> new DeadLetterRace.ForwardsCancelled(clock);
            case RESULT_STRIPPED_LATER -> new BareRace.StripsLater(clock);
            case END_OF_A_BARE_TASK_FORGOTTEN -> new BareRace.ForgetsEnd(clock);
            case GUESS_WITHOUT_A_LOOK -> new BulkRace.NeverLooks(clock);
            case NEIGHBOURS_OF_A_DUPLICATE_LOST -> new BulkRace.LosesNeighbours(clock);
            case WAKE_OF_A_WORKFLOW_DROPPED -> new WrongFlows.DropsWake(new InMemoryTaskStore(clock));
            case WAIT_IGNORES_A_NEWER_ENTRY -> new WrongFlows.IgnoresNewer(new InMemoryTaskStore(clock));
            case INBOX_COUNTED_ELSEWHERE ->
                new WrongFlows.CountsElsewhere(new InMemoryTaskStore(clock), RacingStore::window);
            case HISTORY_LINE_LOST -> new WrongFlows.LosesLine(new InMemoryTaskStore(clock));
            case STEP_STARTED_BY_A_ZOMBIE -> new WrongFlows.StartsForZombie(new InMemoryTaskStore(clock));
            case SIGNAL_REORDERED -> new WrongFlows.ReordersSignals(new InMemoryTaskStore(clock));
            case SIGNAL_DELIVERED_TWICE -> new WrongFlows.DeliversTwice(new InMemoryTaskStore(clock));
            case WATCH_REMOVED_TOO_EARLY -> new WrongFlows.StopsWatching(new InMemoryTaskStore(clock));
            case ABANDONED_STEP_CANCELLED_ALTHOUGH_WATCHED ->
                new WrongFlows.CancelsOthers(new InMemoryTaskStore(clock), true);
            case KEYED_STEP_COUNTED_AS_OWN -> new WrongFlows.CancelsOthers(new InMemoryTaskStore(clock), false);
            case RESTART_KEEPS_A_LINE -> new WrongGenerations.KeepsLine(new InMemoryTaskStore(clock));
            case RESTART_WITHOUT_FENCE -> new WrongGenerations.RestartsUnfenced(new InMemoryTaskStore(clock));
            case CONTINUATION_DROPS_UNREAD -> new WrongGenerations.DropsUnread(new InMemoryTaskStore(clock));
            case CONTINUATION_DROPS_NEWER ->
                new WrongGenerations.DropsNewer(new InMemoryTaskStore(clock), RacingStore::window);
            case CONTINUATION_KEEPS_LINES -> new WrongGenerations.KeepsLines(new InMemoryTaskStore(clock));
        };
    }
}
