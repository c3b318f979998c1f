package dev.semel.engine;

import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after one worker from a thread of its own, which is there before anything can go wrong and does nothing else. If the
 * worker's own machinery fails (an error in one of its steps, no memory, a timer that died), the worker ends as a whole: it
 * claims and extends nothing, its handlers are interrupted, and what it held is returned to the store, outcomes that were not
 * answered yet first. Then it starts again from nothing.
 */
final class Guardian {

    private static final Logger LOG = LoggerFactory.getLogger(Guardian.class);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final long SHORT_PAUSE = Duration.ofMillis(20).toNanos();

    // Beyond the lease: without a heartbeat for so long, and with no call under way, the timers are dead.
    private static final Duration SILENCE = Duration.ofSeconds(30);

    /** One life of the worker. */
    record Life(VirtualThreadHost host, WorkerLoop loop) {}

    /** Begins a life. */
    interface Birth {
        Life begin(Runnable failed, @Nullable Remains before);
    }

    private final TaskStore store;
    private final WorkerSettings settings;
    private final Birth birth;
    private final Thread thread;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Life life;

    // Used by the thread only.
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

    /** The worker as it lives now. */
    WorkerLoop loop() {
        return life.loop();
    }

    /**
     * Closes the worker.
     *
     * @param done called once nothing is left
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
                    now.host().fail(new IllegalStateException("The worker gave no heartbeat"));
                } else if (failure != null) {
                    recover(now, failure);
                }
            } catch (Throwable e) {
                // Most likely there is no memory still: again, until there is.
                LockSupport.parkNanos(this, SHORT_PAUSE);
            }
        }
    }

    /** Whether two looks in a row find the same old heartbeat: one alone may come just after the whole process was frozen. */
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
                    break; // the leases have run out by themselves
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
        LOG.info("Worker {} has started again", settings.name());
    }

    /** Waits until the last step and the last call have ended; a claim that is under way would be lost otherwise. */
    private void awaitRest(Life dead, long began) {
        while (dead.host().isRunning()
                || (dead.host().isCalling()
                        && System.nanoTime() - began < settings.lease().toNanos() / 2)) {
            LockSupport.parkNanos(this, SHORT_PAUSE);
        }
    }

    private void giveBack(Remains remains) {
        for (List<Transition> batch = remains.next(); !batch.isEmpty(); batch = remains.next()) {
            store.apply(batch);
            remains.answered(batch.size());
        }
    }

    private void log(Throwable because) {
        try {
            LOG.error(
                    "Worker {} has failed: it extends no lease any more, interrupts its handlers, returns its tasks and"
                            + " starts again",
                    settings.name(),
                    because);
        } catch (Throwable e) {
            return; // no memory for the log; what has to be done does not depend on it
        }
    }
}
