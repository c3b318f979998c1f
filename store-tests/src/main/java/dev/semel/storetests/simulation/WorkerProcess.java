package dev.semel.storetests.simulation;

import dev.semel.engine.Codec;
import dev.semel.engine.Handlers;
import dev.semel.engine.WorkerLoop;
import dev.semel.engine.WorkerSettings;
import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.HandlerThread;
import dev.semel.testkit.virtualtime.Machine;
import dev.semel.testkit.virtualtime.NotingStore;
import dev.semel.testkit.virtualtime.SimulatedHost;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;

/** One life of a worker process: from its start until it is closed, crashes or is killed by a handler. */
final class WorkerProcess implements Machine {

    // As in Worker.close: beyond the grace for handlers, the time to settle what they left.
    private static final Duration SETTLE_GRACE = Duration.ofSeconds(10);

    /** The handlers of a process. */
    @FunctionalInterface
    interface Crew {

        /** Makes them for one life of a process. */
        Handlers of(WorkerProcess process, SimulatedHost host, RandomSource randomness);
    }

    private final World world;
    private final RandomSource randomness;
    private final WorkerSettings settings;
    private final SkewedClock clock;
    private final Runnable ended;
    private final WorkerLoop loop;
    private final TaskStore.Registration registration;

    private boolean gone;
    private boolean closing;
    private boolean hinted;
    private long frozenUntil;

    /**
     * Starts a process.
     *
     * @param ended called when the process has ended
     */
    WorkerProcess(World world, RandomSource randomness, WorkerSettings settings, Crew crew, Runnable ended) {
        this.world = world;
        this.randomness = randomness;
        this.settings = settings;
        this.ended = ended;
        this.clock = new SkewedClock(world.timeline, randomness.split());
        NotingStore notes = new NotingStore();
        SimulatedHost host = new SimulatedHost(
                world.timeline, this, notes, randomness.split().generator());
        Handlers handlers = crew.of(this, host, randomness.split());
        this.loop = new WorkerLoop(notes, host, settings, handlers, Codec.standard());
        this.registration = world.store.listen(new Ear());
        world.trace.line(name(), "starts");
        loop.start();
    }

    private final class Ear implements StoreListener {

        @Override
        public void tasksMayBeDue(Collection<String> queues) {
            if (!Thread.currentThread().equals(world.thread)) {
                return; // a store with threads of its own: the time of its hints would make every run a different world
            }
            boolean ours = queues.isEmpty() || queues.stream().anyMatch(settings.queues()::contains);
            if (ours && !hinted) {
                hinted = true;
                world.network.hint(WorkerProcess.this, loop::wake);
                // Also without the hint: one that got lost must not keep the next from coming.
                world.timeline.after(Duration.ofMillis(5), WorkerProcess.this, () -> hinted = false);
            }
        }

        @Override
        public void tasksMayHaveEnded(Collection<TaskId> ids) {
            // of no interest to a worker
        }
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public boolean isGone() {
        return gone;
    }

    @Override
    public long frozenUntil() {
        return frozenUntil;
    }

    @Override
    public void maybeStruck() {
        if (!world.isCalm() && randomness.chance(world.scenario.workerFaults().crashPerEvent())) {
            crash("between two events");
        }
    }

    @Override
    public SkewedClock clock() {
        return clock;
    }

    @Override
    public <T> void send(Call<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        world.network.send(this, call, answered, failed);
    }

    @Override
    public void started(HandlerThread handler) {
        world.started(handler);
    }

    @Override
    public Duration untilBegun() {
        return randomness.chance(0.8) ? randomness.spread(1, 300) : randomness.spread(300, 15_000);
    }

    @Override
    public boolean ignoresInterrupt() {
        boolean ignored = randomness.chance(0.3);
        if (ignored) {
            world.tally.count(Happening.INTERRUPT_IGNORED);
        }
        return ignored;
    }

    @Override
    public Duration untilNoticed() {
        return randomness.spread(1, 100);
    }

    void crash(String why) {
        if (!gone) {
            world.trace.line(name(), "CRASHES " + why);
            world.tally.count(Happening.WORKER_CRASHED);
            end();
        }
    }

    /** Stops everything in this process for a time; after it all that was due meanwhile happens at once. */
    void freeze(Duration time) {
        world.trace.line(name(), "FREEZES for " + time);
        world.tally.count(Happening.WORKER_FROZEN);
        frozenUntil = world.timeline.now() + time.toNanos();
    }

    void close() {
        if (gone || closing) {
            return;
        }
        closing = true;
        Duration grace = randomness.spread(1, 10_000);
        world.trace.line(name(), "closes within " + grace);
        registration.close();
        loop.close(grace, this::closed);
        world.timeline.after(grace.plus(SETTLE_GRACE), this, () -> {
            world.trace.line(name(), "gives up closing and exits");
            end();
        });
    }

    private void closed() {
        world.trace.line(name(), "is closed");
        world.tally.count(Happening.WORKER_CLOSED);
        ClosedWorkerChecker.check(name(), world);
        end();
    }

    private void end() {
        gone = true;
        registration.close();
        ended.run();
    }
}
