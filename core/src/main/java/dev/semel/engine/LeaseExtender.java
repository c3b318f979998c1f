package dev.semel.engine;

import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.SafeLogger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/** The heartbeat of a worker: extends the leases of all tasks that it holds, in one call, at a third of the lease. */
final class LeaseExtender {

    private static final SafeLogger LOG = SafeLogger.of(LeaseExtender.class);

    private final TaskStore store;
    private final WorkerHost host;
    private final WorkerSettings settings;
    private final List<Iterable<HeldTask>> places;
    private final BooleanSupplier finished;
    private final BiConsumer<HeldTask, Settled> answered;
    private final Runnable changed;

    // Written by steps, read by the guardian.
    private volatile long beatAt;

    // Used by steps only: no heartbeat is scheduled.
    private boolean rests;

    /**
     * Creates a heartbeat that has not started.
     *
     * @param places the tasks that the worker holds, as live views
     * @param finished tells whether the worker is closed
     * @param answered gets the store's answer for each lease
     * @param changed called after each batch of answers
     */
    LeaseExtender(
            TaskStore store,
            WorkerHost host,
            WorkerSettings settings,
            List<Iterable<HeldTask>> places,
            BooleanSupplier finished,
            BiConsumer<HeldTask, Settled> answered,
            Runnable changed) {
        this.beatAt = host.nanoTime();
        this.store = store;
        this.host = host;
        this.settings = settings;
        this.places = places;
        this.finished = finished;
        this.answered = answered;
        this.changed = changed;
    }

    /** Schedules the first heartbeat, which schedules the next one. */
    void start() {
        host.later(settings.lease().dividedBy(3), this::beat);
    }

    /** Returns when the last heartbeat began, by the host's {@link WorkerHost#nanoTime}. */
    long beatAt() {
        return beatAt;
    }

    /** Notes that the worker has taken tasks. */
    void took() {
        if (rests) {
            rests = false;
            start();
        }
    }

    private boolean isIdle() {
        for (Iterable<HeldTask> place : places) {
            if (place.iterator().hasNext()) {
                return false;
            }
        }
        return true;
    }

    private void beat() {
        long now = host.nanoTime();
        beatAt = now;
        long enough = settings.lease().toNanos() / 6;
        List<HeldTask> batch = new ArrayList<>();
        for (Iterable<HeldTask> place : places) {
            for (HeldTask held : place) {
                if (now - held.extendedAt >= enough) {
                    batch.add(held);
                }
            }
        }
        if (batch.isEmpty()) {
            rests = isIdle() && !host.beatsWhileIdle();
            if (!finished.getAsBoolean() && !rests) {
                start();
            }
            return;
        }
        List<Settlement> settlements = new ArrayList<>(batch.size());
        for (HeldTask held : batch) {
            settlements.add(new Settlement.Extend(held.claimed.lease(), settings.lease()));
        }
        host.call(() -> store.settle(settlements), answers -> extended(batch, answers, now), thrown -> {
            StoreCallLog.failed(LOG, "heartbeat of " + batch.size() + " tasks", settings.name(), thrown);
            host.later(settings.lease().dividedBy(10), this::beat);
        });
    }

    private void extended(List<HeldTask> batch, List<Settled> answers, long sentAt) {
        for (int i = 0; i < batch.size(); i++) {
            HeldTask held = batch.get(i);
            Settled answer = answers.get(i);
            if (answer == Settled.APPLIED || answer == Settled.CANCEL_REQUESTED) {
                held.extendedAt = sentAt;
            }
            answered.accept(held, answer);
        }
        start();
        changed.run();
    }
}
