package dev.semel.guard;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps holds alive while their effects run, and sweeps now and then. One thread counts the time; what waits for a store
 * runs on a thread of its own, so that one slow answer does not cost others their lease.
 */
final class Renewals implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Renewals.class);

    // Two renewals may fail or come late before the lease runs out.
    private static final int RENEWALS_IN_A_LEASE = 3;

    private static final int SWEPT_AT_ONCE = 1_000;

    // So one round of sweeping is bounded; the rest waits for the next.
    private static final int STEPS_OF_A_ROUND = 100;

    private final GuardStore store;
    private final ScheduledThreadPoolExecutor timer;

    Renewals(GuardStore store, Duration sweepEvery) {
        this.store = store;
        this.timer = new ScheduledThreadPoolExecutor(
                1,
                task -> Thread.ofPlatform().daemon().name("semel-guard-timer").unstarted(task));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        if (!sweepEvery.isZero()) {
            long millis = sweepEvery.toMillis();
            Future<?> unused = timer.scheduleWithFixedDelay(
                    () -> Thread.startVirtualThread(this::sweep), millis, millis, TimeUnit.MILLISECONDS);
        }
    }

    /** Renews a hold at thirds of its lease until told to stop. */
    Renewing start(Hold hold) {
        Renewing renewing = new Renewing(hold);
        renewing.next();
        return renewing;
    }

    final class Renewing {

        private final Hold hold;
        private volatile boolean stopped;
        private volatile @Nullable Future<?> next;

        private Renewing(Hold hold) {
            this.hold = hold;
        }

        void stop() {
            stopped = true;
            Future<?> scheduled = next;
            if (scheduled != null) {
                scheduled.cancel(false);
            }
        }

        private void next() {
            if (stopped) {
                return;
            }
            try {
                next = timer.schedule(
                        () -> Thread.startVirtualThread(this::renew),
                        hold.lease().toNanos() / RENEWALS_IN_A_LEASE,
                        TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The guard was closed under its own call: the hold ends with its lease.
                stopped = true;
            }
        }

        private void renew() {
            if (stopped) {
                return;
            }
            // Planned before the store is asked, so that a slow answer does not move the following ones.
            next();
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
        } catch (RuntimeException e) {
            LOG.warn("Entries that have expired could not be removed; trying again later", e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
