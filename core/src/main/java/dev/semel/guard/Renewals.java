package dev.semel.guard;

import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Keeps holds alive while their effects run, and sweeps now and then. One thread ticks and looks which holds are due: a call
 * only enters itself in a set, because waking a thread for each would cost more than the call. What waits for a store runs
 * on a thread of its own, so that one slow answer does not cost others their lease.
 */
final class Renewals implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Renewals.class);

    // Two renewals may fail or come late before the lease runs out.
    private static final int RENEWALS_IN_A_LEASE = 3;

    // So a renewal comes after a third of the lease and a twelfth of it at the latest.
    private static final int TICKS_IN_A_LEASE = 12;

    private static final int SWEPT_AT_ONCE = 1_000;

    // So one round of sweeping is bounded; the rest waits for the next.
    private static final int STEPS_OF_A_ROUND = 100;

    private final GuardStore store;
    private final long every;
    private final Set<Renewing> running = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;

    Renewals(GuardStore store, Duration lease, Duration sweepEvery) {
        this.store = store;
        this.every = lease.toNanos() / RENEWALS_IN_A_LEASE;
        this.timer = new ScheduledThreadPoolExecutor(
                1,
                task -> Thread.ofPlatform().daemon().name("semel-guard-timer").unstarted(task));
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        long tick = lease.toNanos() / TICKS_IN_A_LEASE;
        repeat(this::tick, tick);
        if (!sweepEvery.isZero()) {
            repeat(() -> Thread.startVirtualThread(this::sweep), sweepEvery.toNanos());
        }
    }

    private void repeat(Runnable step, long nanos) {
        // A step that throws would be the last one.
        Runnable caught = () -> {
            try {
                step.run();
            } catch (Throwable e) {
                LOG.error("A step of a guard's timer failed; trying again", e);
            }
        };
        Future<?> unused = timer.scheduleWithFixedDelay(caught, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Renews a hold at thirds of its lease until told to stop.
     *
     * @param age how long ago the hold was asked for, in nanoseconds: its lease may run since then. Counted from now instead,
     *     an answer that took a third of the lease would leave room for one renewal
     */
    Renewing start(Hold hold, long age) {
        Renewing renewing = new Renewing(hold, System.nanoTime() - age);
        running.add(renewing);
        return renewing;
    }

    /** Renews what is due. */
    void tick() {
        long now = System.nanoTime();
        for (Renewing each : running) {
            // Counted from when it was planned, so that a slow answer does not move the following ones.
            if (now - each.renewedAt >= every) {
                Thread.startVirtualThread(each::renew);
                each.renewedAt = now;
            }
        }
    }

    final class Renewing {

        private final Hold hold;
        // Written by the timer's thread only.
        private volatile long renewedAt;
        private volatile boolean stopped;

        private Renewing(Hold hold, long now) {
            this.hold = hold;
            this.renewedAt = now;
        }

        void stop() {
            stopped = true;
            running.remove(this);
        }

        private void renew() {
            if (stopped) {
                return;
            }
            try {
                if (store.renew(hold) == Settled.STALE && !stopped) {
                    stop();
                    LOG.warn(
                            "The hold on key \"{}\" is lost: another call has taken it over, or the store has lost it."
                                    + " The effect goes on, but its outcome will not be recorded",
                            hold.key().key());
                }
            } catch (RuntimeException e) {
                LOG.warn(
                        "The hold on key \"{}\" could not be renewed; trying again",
                        hold.key().key(),
                        e);
            }
        }
    }

    private void sweep() {
        try {
            for (int step = 0; step < STEPS_OF_A_ROUND; step++) {
                if (store.sweep(SWEPT_AT_ONCE) < SWEPT_AT_ONCE) {
                    return;
                }
            }
        } catch (Throwable e) {
            // Also an error: a timer that has thrown runs never again.
            LOG.warn("Entries that have expired could not be removed; trying again later", e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
