package dev.semel.testkit.virtualtime;

import dev.semel.engine.WorkerHost;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The host of a worker's loop on virtual time: a step is an event, a call to the store is a message, and a handler is a
 * thread that runs in lock-step with the world. Between two waits of a handler no virtual time passes.
 */
public final class SimulatedHost implements WorkerHost {

    private final Timeline timeline;
    private final Machine machine;
    private final NotingStore notes;
    private final RandomGenerator random;

    private @Nullable Run current;

    /**
     * Creates a host.
     *
     * @param timeline schedules the events
     * @param machine the worker's machine
     * @param notes the store that was passed to the worker's loop
     * @param random the worker's source of randomness
     */
    public SimulatedHost(Timeline timeline, Machine machine, NotingStore notes, RandomGenerator random) {
        this.timeline = timeline;
        this.machine = machine;
        this.notes = notes;
        this.random = random;
    }

    @Override
    public InstantSource clock() {
        return machine.clock();
    }

    @Override
    public long nanoTime() {
        return machine.clock().nanoTime();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void execute(Runnable step) {
        moment();
        timeline.after(Duration.ZERO, machine, step);
    }

    @Override
    public Timer later(Duration delay, Runnable step) {
        Timeline.Event event = timeline.after(machine.clock().really(delay), machine, step);
        return event::cancel;
    }

    @Override
    public boolean beatsWhileIdle() {
        return machine.beatsWhileIdle();
    }

    @Override
    public <T> void call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        machine.send(notes.noted(call), answered, failed);
    }

    @Override
    public Started start(Runnable handler) {
        Run run = new Run(() -> {
            running().begin();
            handler.run();
        });
        machine.started(run);
        run.in(machine.untilBegun());
        return run::interrupt;
    }

    @Override
    public <T> T await(CompletableFuture<T> future) throws InterruptedException {
        Run run = running();
        moment();
        run.await(future);
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Stops the currently running handler, if any, here if its process crashes or freezes. */
    public void moment() {
        Run run = current;
        if (run != null && run.isCurrent()) {
            run.requireWorld();
            if (machine.stopsHandler()) {
                run.hold();
            }
        }
    }

    /**
     * Lets virtual time pass in a handler. Called on the handler's thread.
     *
     * @param time how long
     * @throws InterruptedException if the handler was interrupted
     */
    public void pause(Duration time) throws InterruptedException {
        running().sleep(time);
    }

    /** Returns the currently running handler. */
    private Run running() {
        Run run = current;
        if (run == null || !run.isCurrent()) {
            throw new IllegalStateException("A simulated handler may wait only on its own thread, because with other"
                    + " threads the outcome would depend on how they are scheduled.");
        }
        return run;
    }

    /** A handler that runs. */
    private final class Run extends HandlerThread {

        // What resumes it: an event, or a step that completes the awaited future.
        private Timeline.@Nullable Event next;
        private boolean awaiting;
        private int awaited;
        private boolean interrupted;

        Run(Runnable handler) {
            super(machine.threads(), handler);
        }

        void in(Duration time) {
            next = timeline.after(time, machine, this::goOn);
        }

        @Override
        void goOn() {
            next = null;
            current = this;
            try {
                super.goOn();
            } finally {
                current = null;
            }
        }

        /** Called by the handler as it begins: it may have been interrupted before that. */
        void begin() {
            if (wasInterrupted()) {
                Thread.currentThread().interrupt();
            }
        }

        /** Returns whether it was interrupted since the last call. */
        private boolean wasInterrupted() {
            boolean flagged = Thread.interrupted();
            boolean was = interrupted || flagged;
            interrupted = false;
            return was;
        }

        private void throwIfInterrupted() throws InterruptedException {
            if (wasInterrupted()) {
                throw new InterruptedException("interrupted");
            }
        }

        /** Waits until its process continues. */
        void hold() {
            in(Duration.ZERO);
            pause();
        }

        void sleep(Duration time) throws InterruptedException {
            throwIfInterrupted();
            in(time);
            pause();
            throwIfInterrupted();
        }

        void await(CompletableFuture<?> future) throws InterruptedException {
            if (!future.isDone()) {
                throwIfInterrupted();
                int number = ++awaited;
                awaiting = true;
                var unused = future.whenComplete((value, thrown) -> completed(number));
                pause();
                awaiting = false;
                if (!future.isDone()) {
                    throwIfInterrupted();
                }
            }
            begin(); // an interrupt that arrived too late is kept for the next wait
        }

        private void completed(int number) {
            // It may have been interrupted meanwhile, and may wait for something else.
            if (awaiting && number == awaited && next == null) {
                in(Duration.ZERO);
            }
        }

        void interrupt() {
            if (hasEnded() || interrupted || (!awaiting && machine.ignoresInterrupt())) {
                return;
            }
            interrupted = true;
            if (next != null) {
                next.cancel();
            }
            in(awaiting ? Duration.ZERO : machine.untilNoticed());
        }
    }
}
