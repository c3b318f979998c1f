package dev.semel.testkit.simulation;

import dev.semel.engine.WorkerHost;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Gives a worker's loop virtual time instead of threads: a step is an event, a call to the store is a message, and a
 * handler happens at the end of the time that it takes.
 */
final class SimulatedHost implements WorkerHost {

    private final World world;
    private final WorkerProcess process;
    private final NotingStore notes;
    private final Lots lots;

    private @Nullable Run current;

    SimulatedHost(World world, WorkerProcess process, NotingStore notes, Lots lots) {
        this.world = world;
        this.process = process;
        this.notes = notes;
        this.lots = lots;
    }

    /** Tells the handler that happens just now whether it was interrupted. */
    boolean isInterrupted() {
        return current != null && current.interrupted;
    }

    @Override
    public InstantSource clock() {
        return process.clock();
    }

    @Override
    public long nanoTime() {
        return process.clock().nanoTime();
    }

    @Override
    public RandomGenerator random() {
        return lots.generator();
    }

    @Override
    public void execute(Runnable step) {
        world.timeline.after(Duration.ZERO, process, step);
    }

    @Override
    public Timer later(Duration delay, Runnable step) {
        Timeline.Event event = world.timeline.after(process.clock().really(delay), process, step);
        return event::cancel;
    }

    @Override
    public <T> void call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        world.network.send(process, notes.noted(call), answered, failed);
    }

    @Override
    public Started start(Runnable handler) {
        Run run = new Run(handler);
        run.in(lots.chance(0.8) ? lots.spread(1, 300) : lots.spread(300, 15_000));
        return run::interrupt;
    }

    /** A handler that runs. */
    private final class Run {
        private final Runnable handler;
        private Timeline.@Nullable Event end;
        private boolean ended;
        private boolean interrupted;

        Run(Runnable handler) {
            this.handler = handler;
        }

        void in(Duration time) {
            end = world.timeline.after(time, process, this::happen);
        }

        private void happen() {
            ended = true;
            current = this;
            try {
                handler.run();
            } finally {
                current = null;
            }
        }

        void interrupt() {
            if (ended || interrupted) {
                return;
            }
            if (lots.chance(0.3)) {
                world.tally.count(Happening.INTERRUPT_IGNORED);
                return;
            }
            interrupted = true;
            if (end != null) {
                end.cancel();
            }
            in(lots.spread(1, 100));
        }
    }
}
