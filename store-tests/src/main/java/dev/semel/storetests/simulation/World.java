package dev.semel.storetests.simulation;

import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import dev.semel.testkit.virtualtime.HandlerThread;
import dev.semel.testkit.virtualtime.Timeline;
import dev.semel.testkit.virtualtime.Trace;
import java.util.ArrayList;
import java.util.List;

/** What all parties of one simulation share. */
final class World {

    // A world of the usual size has some thousand events, one that drains slowly some ten thousand.
    private static final int MOST_EVENTS = 300_000;

    /** The thread of this world; those of handlers run in turns with it. */
    final Thread thread = Thread.currentThread();

    final ManualClock storeClock = new ManualClock();
    final Timeline timeline = new Timeline(storeClock::set, MOST_EVENTS);
    final Trace trace = new Trace(timeline);
    final Wording wording = new Wording(trace);
    final History history = new History();
    final Sink sink = new Sink();
    final Provider provider;
    final Tally tally = new Tally();
    final Scenario scenario;
    final TaskStore store;
    final Network network;

    /** The ids and keys that were ever sent, for the operator and the thief. */
    final List<TaskId> sentIds = new ArrayList<>();

    final List<Identity> sentKeys = new ArrayList<>();

    private final List<HandlerThread> handlers = new ArrayList<>();

    private boolean calm;

    World(Scenario scenario, Simulation.StoreUnderTest opener, RandomSource randomness) {
        this.scenario = scenario;
        this.store = opener.open(storeClock);
        this.network = new Network(this, randomness.split());
        this.provider = new Provider(this, randomness.split());
    }

    /** A handler was started. */
    void started(HandlerThread handler) {
        handlers.add(handler);
    }

    /** Ends the threads of all handlers that have not ended, those of dead processes too. */
    void end() {
        handlers.forEach(HandlerThread::unwind);
        handlers.clear();
    }

    /** Whether the faults have stopped. */
    boolean isCalm() {
        return calm;
    }

    void calmDown() {
        calm = true;
        trace.line("world", "the faults stop");
    }
}
