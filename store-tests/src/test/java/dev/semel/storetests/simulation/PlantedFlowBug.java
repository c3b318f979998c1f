package dev.semel.storetests.simulation;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.WrongFlows;
import dev.semel.storetests.WrongGenerations;
import dev.semel.testkit.ManualClock;

/** The bugs of workflows that the simulation must find, each as a store that is wrong in one way. */
enum PlantedFlowBug implements Simulation.StoreUnderTest {

    /** Now and then the entry that a workflow waits for does not wake it. */
    WAKE_DROPPED,

    /** A wait does not see what has come since the code has read its inbox. */
    WAIT_IGNORES_A_NEWER_ENTRY,

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

    @Override
    public TaskStore open(ManualClock clock) {
        TaskStore right = new InMemoryTaskStore(clock);
        return switch (this) {
            case WAKE_DROPPED -> new WrongFlows.DropsWake(right);
            case WAIT_IGNORES_A_NEWER_ENTRY -> new WrongFlows.IgnoresNewer(right);
            case HISTORY_LINE_LOST -> new WrongFlows.LosesLine(right);
            case STEP_STARTED_BY_A_ZOMBIE -> new WrongFlows.StartsForZombie(right);
            case SIGNAL_REORDERED -> new WrongFlows.ReordersSignals(right);
            case SIGNAL_DELIVERED_TWICE -> new WrongFlows.DeliversTwice(right);
            case WATCH_REMOVED_TOO_EARLY -> new WrongFlows.StopsWatching(right);
            case ABANDONED_STEP_CANCELLED_ALTHOUGH_WATCHED -> new WrongFlows.CancelsOthers(right, true);
            case KEYED_STEP_COUNTED_AS_OWN -> new WrongFlows.CancelsOthers(right, false);
            case RESTART_KEEPS_A_LINE -> new WrongGenerations.KeepsLine(right);
            case RESTART_WITHOUT_FENCE -> new WrongGenerations.RestartsUnfenced(right);
            case CONTINUATION_DROPS_UNREAD -> new WrongGenerations.DropsUnread(right);
            case CONTINUATION_DROPS_NEWER -> new WrongGenerations.DropsNewer(right, () -> {});
            case CONTINUATION_KEEPS_LINES -> new WrongGenerations.KeepsLines(right);
        };
    }
}
