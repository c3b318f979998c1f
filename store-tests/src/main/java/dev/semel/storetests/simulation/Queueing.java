package dev.semel.storetests.simulation;

import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.testkit.virtualtime.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The queues of a world, their declared settings, and their resumption in the end. */
final class Queueing {

    /** Runs two tasks at once. */
    static final String NARROW = "narrow";

    /** Starts a few tasks in a second. */
    static final String METERED = "metered";

    /** Keeps nothing. */
    static final String BRIEF = "brief";

    /** Forwards its dead letters to another queue, and is paused now and then. */
    static final String SLOW = "slow";

    /** Has no settings. */
    static final String FAST = "fast";

    /** The queues of tasks that have handlers. */
    static final List<String> ALL = List.of(FAST, SLOW, NARROW, METERED, BRIEF);

    private static final String NAME = "world";
    private static final String DEAD = "dead";

    private final World world;

    Queueing(World world) {
        this.world = world;
    }

    /** Declares the settings, as a program does when it starts. */
    void declare() {
        operate(List.of(
                new Operation.DeclareQueue(
                        SLOW, QueueSettings.builder().deadLetterQueue(DEAD).build()),
                new Operation.DeclareQueue(
                        NARROW,
                        QueueSettings.builder()
                                .concurrency(2)
                                .deadLetterQueue(DEAD)
                                .build()),
                new Operation.DeclareQueue(
                        METERED, QueueSettings.builder().rateLimit("3/sec").build()),
                new Operation.DeclareQueue(
                        BRIEF, QueueSettings.builder().retention(Duration.ZERO).build())));
    }

    /** Ends every pause. One that was under way when the faults stopped may begin even later, so this is done repeatedly. */
    void resume() {
        List<Operation> resets = new ArrayList<>();
        world.store.queues().forEach((queue, setUp) -> {
            if (setUp.effective().isPaused()) {
                resets.add(new Operation.ResetQueue(queue));
            }
        });
        if (!resets.isEmpty()) {
            operate(resets);
        }
    }

    /** Sent without faults: the answer arrives at once. */
    private void operate(List<Operation> batch) {
        History.Entry<List<Operated>> entry =
                world.history.asked(NAME, new Call.Operate(batch), world.storeClock.instant());
        entry.arrived(world.history.done(world.store.operate(batch), world.storeClock.instant()));
        world.trace.line(NAME, world.wording.of(entry.call));
    }
}
