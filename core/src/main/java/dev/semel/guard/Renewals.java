package dev.semel.guard;

import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The renewals of holds while their effects run, and the periodic sweeps. One timer thread checks which holds are due.
 * A call only adds itself to a set, because waking a thread for each call would cost more than the call itself. Each
 * request to a store runs on its own thread, so that one slow answer does not cost other holds their lease.
 */
final class Renewals implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Renewals.class);

    // Two renewals may fail or be late before the lease expires.
    private static final int RENEWALS_IN_A_LEASE = 3;

    // So a renewal starts at the latest after a third plus a twelfth of the lease.
    private static final int TICKS_IN_A_LEASE = 12;

    private static final int SWEPT_AT_ONCE = 1_000;

    // So one round of sweeps is bounded; the rest waits for the next round.
    private static final int STEPS_OF_A_ROUND = 100;

    private final GuardStore store;
    private final long every;
    private final Set<Renewal> running = ConcurrentHashMap.newKeySet();
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
        // The executor does not run a task again that has thrown.
        Runnable caught = () -> {
            try {
                step.run();
            } catch (Throwable e) {
                LOG.error("Guard timer step failed, will be retried", e);
            }
        };
        Future<?> unused = timer.scheduleWithFixedDelay(caught, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Starts renewing a hold after each third of its lease, until the renewal is stopped.
     *
     * @param age how long ago the hold was requested, in nanoseconds: its lease may have started then. If the age were
     *     ignored, an answer that took a third of the lease would leave time for one renewal only
     */
    Renewal start(Hold hold, long age) {
        Renewal renewal = new Renewal(hold, System.nanoTime() - age);
        running.add(renewal);
        return renewal;
    }

    /** Renews the holds that are due. */
    void tick() {
        long now = System.nanoTime();
        for (Renewal each : running) {
            // Counted from the planned time, so that a slow answer does not delay the following renewals.
            if (now - each.renewedAt >= every) {
                Thread.startVirtualThread(each::renew);
                each.renewedAt = now;
            }
        }
    }

    final class Renewal {

        private final Hold hold;
        // Written by the timer's thread only.
        private volatile long renewedAt;
        private volatile boolean stopped;

        private Renewal(Hold hold, long now) {
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
                            "Hold lost, because another call took over or the store lost the entry; the effect"
                                    + " continues, but its outcome will not be recorded: key=\"{}\"",
                            hold.key().key());
                }
            } catch (RuntimeException e) {
                LOG.warn(
                        "Renewal hold failed, will be retried: key=\"{}\"",
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
            // Errors are caught as well: an uncaught one would not reach the log.
            LOG.warn("Sweeping expired entries failed, will be retried", e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
