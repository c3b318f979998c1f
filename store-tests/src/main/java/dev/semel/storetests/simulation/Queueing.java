package dev.semel.storetests.simulation;

import dev.semel.store.Applied;
import dev.semel.store.QueueSettings;
import dev.semel.store.Transition;
import dev.semel.testkit.virtualtime.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The queues of a world, what is declared of them, and who resumes them in the end. */
final class Queueing {

    /** Runs two tasks at once. */
    static final String NARROW = "narrow";

    /** Starts a few tasks in a second. */
    static final String METERED = "metered";

    /** Keeps nothing. */
    static final String BRIEF = "brief";

    /** Tells another queue of its dead, and is paused now and then. */
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
        apply(List.of(
                new Transition.DeclareQueue(
                        SLOW, QueueSettings.builder().deadLetterQueue(DEAD).build()),
                new Transition.DeclareQueue(
                        NARROW,
                        QueueSettings.builder()
                                .concurrency(2)
                                .deadLetterQueue(DEAD)
                                .build()),
                new Transition.DeclareQueue(
                        METERED, QueueSettings.builder().rateLimit("3/sec").build()),
                new Transition.DeclareQueue(
                        BRIEF, QueueSettings.builder().retention(Duration.ZERO).build())));
    }

    /** Ends every pause. One that was under way when the faults stopped may begin even later, so this is done repeatedly. */
    void resume() {
        List<Transition> resets = new ArrayList<>();
        world.store.queues().forEach((queue, setUp) -> {
            if (setUp.effective().isPaused()) {
                resets.add(new Transition.ResetQueue(queue));
            }
        });
        if (!resets.isEmpty()) {
            apply(resets);
        }
    }

    /** By somebody who is never at fault: the answer arrives at once. */
    private void apply(List<Transition> moves) {
        History.Entry<List<Applied>> entry =
                world.history.asked(NAME, new Call.Apply(moves), world.storeClock.instant());
        entry.arrived(world.history.done(world.store.apply(moves), world.storeClock.instant()));
        world.trace.line(NAME, world.wording.of(entry.call));
    }
}
