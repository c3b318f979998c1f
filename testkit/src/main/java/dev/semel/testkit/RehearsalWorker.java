package dev.semel.testkit;

import dev.semel.engine.WorkerLoop;
import dev.semel.engine.WorkerSettings;
import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.HandlerThread;
import dev.semel.testkit.virtualtime.Machine;
import dev.semel.testkit.virtualtime.MachineClock;
import dev.semel.testkit.virtualtime.NotingStore;
import dev.semel.testkit.virtualtime.SimulatedHost;
import java.time.Duration;
import java.util.Collection;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A worker process of a {@link Rehearsal}, which controls everything that happens to it. */
final class RehearsalWorker implements Machine {

    // It is notified of due tasks, and a claim says when the next one is due by time alone: it need not poll.
    private static final Duration POLL = Duration.ofDays(36);
    private static final int MAX_VANISHED = 3;
    private static final int CONCURRENCY = 4;

    private final Rehearsal rehearsal;
    private final String name;
    private final MachineClock clock;
    private final SimulatedHost host;
    private final WorkerLoop loop;
    private final TaskStore.Registration registration;
    private boolean gone;
    private long frozenUntil;

    RehearsalWorker(Rehearsal rehearsal, int number, Rehearsal.Part part) {
        this.rehearsal = rehearsal;
        this.name = "w" + number;
        this.clock = MachineClock.of(rehearsal.timeline());
        NotingStore notes = new NotingStore();
        this.host = new SimulatedHost(rehearsal.timeline(), this, notes, new SplittableRandom(number));
        WorkerSettings settings = new WorkerSettings(
                name, part.queues(), CONCURRENCY, 0, Rehearsal.LEASE, POLL, MAX_VANISHED, WorkerSettings.FEWEST_BYTES);
        this.loop = new WorkerLoop(notes, host, settings, part.handlers().get(), part.codec());
        this.registration = rehearsal.store().listen(new Listener());
        rehearsal.note(name, "starts");
        loop.start();
    }

    private final class Listener implements StoreListener {

        @Override
        public void tasksMayBeDue(Collection<String> queues) {
            rehearsal.timeline().after(Rehearsal.WAY, RehearsalWorker.this, loop::wake);
        }

        @Override
        public void tasksMayHaveEnded(Collection<TaskId> ids) {
            // a worker does not need this
        }
    }

    void crash() {
        gone = true;
        registration.close();
    }

    void freeze(Duration time) {
        frozenUntil = rehearsal.timeline().now() + time.toNanos();
    }

    SimulatedHost host() {
        return host;
    }

    @Override
    public String name() {
        return name;
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
    public MachineClock clock() {
        return clock;
    }

    @Override
    public <T> void send(Call<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        rehearsal.send(this, call, answered, failed);
    }

    @Override
    public void started(HandlerThread handler) {
        rehearsal.started(handler);
    }

    @Override
    public Thread.Builder threads() {
        // A user's handler may wait inside a synchronized block, which would pin the carrier of a virtual thread.
        return Thread.ofPlatform().daemon();
    }

    @Override
    public Duration untilBegun() {
        return Duration.ZERO;
    }

    @Override
    public boolean beatsWhileIdle() {
        return false;
    }

    @Override
    public boolean ignoresInterrupt() {
        return false;
    }

    @Override
    public Duration untilNoticed() {
        return Duration.ZERO;
    }

    @Override
    public boolean stopsHandler() {
        return rehearsal.strikes(this);
    }
}
