package dev.semel.engine;

import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watchdog of one worker, on a dedicated thread that is started before the worker. If the worker's own machinery
 * fails (an error in a step, no memory, a dead timer), the guardian stops the worker as a whole: it claims and extends
 * nothing more, and its handlers are interrupted. The guardian first sends the settlements that the store has not
 * answered, then returns all tasks that the worker held to the queue. Then it starts a new worker.
 */
final class Guardian {

    private static final Logger LOG = LoggerFactory.getLogger(Guardian.class);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final long SHORT_PAUSE = Duration.ofMillis(20).toNanos();

    // Added to the lease: if there is no heartbeat for that long, and no store call is in flight, the timers are dead.
    private static final Duration SILENCE = Duration.ofSeconds(30);

    /** One incarnation of the worker: from its start until it fails or is closed. */
    record Life(VirtualThreadHost host, WorkerLoop loop) {}

    /** Creates an incarnation of the worker. */
    interface Birth {
        Life begin(Runnable failed, @Nullable Remains before);
    }

    private final TaskStore store;
    private final WorkerSettings settings;
    private final Birth birth;
    private final Thread thread;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Life life;

    // Used by the guardian's thread only.
    private boolean doubted;
    private long doubtedBeat;
    private volatile boolean closing;
    private volatile @Nullable Runnable closed;

    Guardian(TaskStore store, WorkerSettings settings, Birth birth) {
        this.store = store;
        this.settings = settings;
        this.birth = birth;
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("semel-guardian " + settings.name())
                .unstarted(this::watch);
        this.life = birth.begin(this::wake, null);
    }

    void start() {
        thread.start();
        life.loop().start();
    }

    /** Returns the loop of the current incarnation. */
    WorkerLoop loop() {
        return life.loop();
    }

    /**
     * Closes the worker.
     *
     * @param done called once the worker holds no task and has nothing to settle
     */
    void close(Duration grace, Runnable done) {
        closed = done;
        closing = true;
        life.loop().close(grace, this::end);
        wake();
    }

    private void end() {
        Runnable done = closed;
        if (done != null && ended.compareAndSet(false, true)) {
            done.run();
        }
        wake();
    }

    private void wake() {
        LockSupport.unpark(thread);
    }

    private void watch() {
        long look =
                Math.max(settings.lease().toNanos() / 3, Duration.ofSeconds(1).toNanos());
        while (!ended.get()) {
            try {
                LockSupport.parkNanos(this, look);
                Life now = life;
                Throwable failure = now.host().failure();
                if (failure == null && isSilent(now)) {
                    now.host()
                            .fail(new IllegalStateException(
                                    "The worker has sent no heartbeat for longer than its lease."));
                } else if (failure != null) {
                    recover(now, failure);
                }
            } catch (Throwable e) {
                // Most likely there is still no memory: retry until there is.
                LockSupport.parkNanos(this, SHORT_PAUSE);
            }
        }
    }

    /**
     * Returns whether two checks in a row find the same old heartbeat. A single check may find one just because the
     * whole process was frozen.
     */
    private boolean isSilent(Life now) {
        long beatAt = now.loop().beatAt();
        boolean old = !now.host().isCalling()
                && System.nanoTime() - beatAt > settings.lease().plus(SILENCE).toNanos();
        boolean again = old && doubted && beatAt == doubtedBeat;
        doubted = old;
        doubtedBeat = beatAt;
        return again;
    }

    private void recover(Life dead, Throwable because) {
        log(because);
        long began = System.nanoTime();
        Duration pause = FIRST_PAUSE;
        Remains remains = null;
        while (true) {
            try {
                if (remains == null) {
                    awaitRest(dead, began);
                    remains = dead.loop().abandon();
                }
                giveBack(remains);
                break;
            } catch (Throwable e) {
                if (System.nanoTime() - began > settings.lease().toNanos()) {
                    break; // the leases have expired meanwhile
                }
                LockSupport.parkNanos(this, SHORT_PAUSE);
            }
        }
        while (!closing) {
            LockSupport.parkNanos(this, pause.toNanos());
            try {
                if (!closing) {
                    revive(remains);
                    return;
                }
            } catch (Throwable e) {
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        }
        end();
    }

    private void revive(@Nullable Remains remains) {
        Life next = birth.begin(this::wake, remains);
        life = next;
        next.loop().start();
        if (closing) {
            next.loop().close(Duration.ZERO, this::end);
        }
        LOG.info("Worker restarted: worker={}", settings.name());
    }

    /** Waits until the last step and the last store call have ended; otherwise a claim in flight would be lost. */
    private void awaitRest(Life dead, long began) {
        while (dead.host().isRunning()
                || (dead.host().isCalling()
                        && System.nanoTime() - began < settings.lease().toNanos() / 2)) {
            LockSupport.parkNanos(this, SHORT_PAUSE);
        }
    }

    private void giveBack(Remains remains) {
        for (List<Settlement> batch = remains.next(); !batch.isEmpty(); batch = remains.next()) {
            store.settle(batch);
            remains.answered(batch.size());
        }
    }

    private void log(Throwable because) {
        try {
            LOG.error(
                    "Worker failed: worker={}. Its leases are not extended any more, its handlers are interrupted, its"
                            + " tasks are returned to the queue, and it is restarted",
                    settings.name(),
                    because);
        } catch (Throwable e) {
            return; // no memory for the log; the recovery does not depend on it
        }
    }
}
