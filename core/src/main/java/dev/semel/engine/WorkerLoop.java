package dev.semel.engine;

import dev.semel.observe.Observation;
import dev.semel.observe.Observer;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state and the rules of one worker. All state changes run as steps of the host, one at a time.
 *
 * <p>A task that the worker holds is in one of three places: {@code ready} (claimed, not started), {@code running} (its
 * handler runs), or {@code unsettled} (ended, and its settlement is in the {@link Outbox}). In all three its lease is
 * extended, and it leaves them only by an answer of the store.
 */
public final class WorkerLoop {

    private static final SafeLogger LOG = SafeLogger.of(WorkerLoop.class);

    // How long a task is put back if its handler could not be started, or if there was no memory for its outcome.
    private static final Duration NOT_RUN_PAUSE = Duration.ofSeconds(5);

    // How long a claimed task waits for a slot; then it is returned to the queue.
    private static final Duration HELD_AT_MOST = Duration.ofSeconds(1);

    // After this time the worker stops waiting for the end of an interrupted handler.
    private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(5);

    private final TaskStore store;
    private final WorkerHost host;
    private final WorkerSettings settings;
    private final Runner runner;
    private final Codec codec;
    private final Observation observation;
    private final Observer observer;

    private final Deque<HeldTask> ready = new ArrayDeque<>();
    private final Set<HeldTask> running = new LinkedHashSet<>();
    private final Set<HeldTask> unsettled = new LinkedHashSet<>();
    private final List<Iterable<HeldTask>> places = List.of(ready, running, unsettled);
    private final Outbox outbox;
    private final Ledger ledger;

    private long heldBytes;
    private final Runaways runaways;
    private final SuspectRamp suspects;
    private final ClaimSizer sizer;
    private final Claimer claimer;
    private final LeaseExtender extender;
    private boolean watchesReady;

    private boolean closing;
    private @Nullable Runnable closed;

    /**
     * Creates a worker that is not started.
     *
     * @param store the store of its tasks
     * @param host its threads and its time
     * @param settings its settings
     * @param handlers its handlers
     * @param codec converts inputs and results
     */
    public WorkerLoop(TaskStore store, WorkerHost host, WorkerSettings settings, Handlers handlers, Codec codec) {
        this(store, host, settings, handlers, codec, Observation.NONE, null);
    }

    /** Creates a worker that continues the work of a failed one. */
    WorkerLoop(
            TaskStore store,
            WorkerHost host,
            WorkerSettings settings,
            Handlers handlers,
            Codec codec,
            Observation observation,
            @Nullable Remains before) {
        this.observation = observation;
        this.observer = observation.observer();
        this.store = store;
        this.host = host;
        this.settings = settings;
        this.runner = new Runner(handlers, codec, host.random(), observation.tracing());
        this.runaways = new Runaways(settings);
        this.suspects = new SuspectRamp(settings.concurrency());
        this.codec = codec;
        this.outbox = new Outbox(store, host, settings.name(), settings.lease(), this::pump);
        this.ledger = new WorkerLedger(store, host, outbox);
        this.sizer = new ClaimSizer(host, settings, handlers.types(), suspects);
        this.claimer = new Claimer(
                store,
                host,
                settings,
                suspects,
                sizer,
                before == null ? null : before.claim(),
                this::nextClaim,
                this::take,
                this::claimChanged);
        this.extender = new LeaseExtender(store, host, settings, places, this::isClosed, this::extended, this::pump);
    }

    /** Starts the worker. */
    public void start() {
        host.execute(() -> {
            sizer.start();
            extender.start();
            pump();
        });
    }

    /** Notifies the worker that tasks may be due. */
    public void wake() {
        host.execute(() -> {
            claimer.want();
            pump();
        });
    }

    /**
     * Closes the worker. It stops claiming, returns tasks that have not started, and waits for running handlers. After
     * the grace time it interrupts the handlers that still run and returns their tasks.
     *
     * @param grace how long to wait for running handlers
     * @param closed called once the worker holds no task and has nothing to settle
     */
    public void close(Duration grace, Runnable closed) {
        host.execute(() -> {
            closing = true;
            this.closed = closed;
            putBackReady();
            host.later(grace, this::interruptAll);
            pump();
        });
    }

    /** Starts whatever can start now: handlers, a batch of settlements, a claim. */
    private void pump() {
        while (!closing && !ready.isEmpty() && running.size() < settings.concurrency()) {
            begin(ready.element());
        }
        outbox.send();
        claimer.send();
        if (closing && claimer.isIdle() && ready.isEmpty() && running.isEmpty() && outbox.isEmpty()) {
            Runnable end = closed;
            closed = null;
            if (end != null) {
                end.run();
            }
        }
    }

    // ---- claiming

    private @Nullable ClaimRequest nextClaim() {
        if (closing) {
            return null;
        }
        int room = sizer.room(running.size(), ready.size());
        if (room < 1 || unsettled.size() > settings.concurrency() + settings.prefetch() || runaways.tooMany()) {
            return null;
        }
        return sizer.next(room, settings.concurrency() - running.size() - ready.size(), heldBytes);
    }

    private void claimChanged() {
        if (closing) {
            putBackReady();
        }
        pump();
    }

    /** Takes over claimed tasks and returns the size of their inputs. */
    private long take(Claims claims) {
        long now = host.nanoTime();
        List<HeldTask> taken = claims.tasks().stream()
                .map(claimed -> new HeldTask(claimed, now))
                .toList();
        long suspected =
                suspects.held() + taken.stream().filter(HeldTask::isSuspect).count();
        if (taken.stream().anyMatch(HeldTask::vanishedAgain)) {
            suspects.restart();
        }
        for (HeldTask held : taken) {
            observer.claimed(held.queue(), held.type());
            if (held.isSuspect()) {
                suspects.took();
            }
            int vanished = held.claimed.task().progress().vanished();
            if (vanished >= settings.maxVanished()) {
                LOG.error(
                        "Task failed without running again, too many attempts vanished: task={} type={} vanished={}",
                        held.claimed.task().id(),
                        held.claimed.task().type(),
                        vanished);
                post(held, Runner.buried(held.claimed.lease(), vanished));
            } else if (held.vanishedAgain() && suspected > 1) {
                // It runs only as the sole suspect of this worker. It must not start while others are being returned:
                // it may kill this process first, and then an attempt of each of them would vanish as well.
                post(held, new Settlement.PutBack(held.claimed.lease(), Duration.ZERO));
            } else {
                ready.add(held);
            }
        }
        putBackOverdueLater();
        if (!taken.isEmpty()) {
            extender.took();
        }
        long bytes = taken.stream().mapToLong(held -> held.bytes).sum();
        heldBytes += bytes;
        return bytes;
    }

    private void putBackOverdueLater() {
        if (!ready.isEmpty() && !watchesReady) {
            watchesReady = true;
            host.later(HELD_AT_MOST.dividedBy(4), this::putBackOverdue);
        }
    }

    /**
     * Returns tasks that have waited too long for a slot. The worker claimed them by its recent speed. If its handlers
     * have become slow since then, other workers can run these tasks earlier, and they do not vanish if this worker
     * dies.
     */
    private void putBackOverdue() {
        watchesReady = false;
        long now = host.nanoTime();
        while (!ready.isEmpty() && now - ready.peekFirst().claimedAt >= HELD_AT_MOST.toNanos()) {
            HeldTask held = ready.removeFirst();
            post(held, new Settlement.PutBack(held.claimed.lease(), Duration.ZERO));
        }
        putBackOverdueLater();
        pump();
    }

    // ---- running

    private void begin(HeldTask held) {
        Duration timeout = runner.timeout(held.claimed.task());
        Instant deadline = timeout == null ? null : host.clock().instant().plus(timeout);
        TaskContext context = new TaskContext(
                held.claimed, deadline, codec, runner.outputType(held.claimed.task()), ledger, store, observation);
        held.context = context;
        Ending ending = new Ending(held);
        held.begunAt = host.nanoTime();
        running.add(held);
        // Removed only now: if anything fails here, the task is still in a place from which it can be returned.
        ready.remove();
        observer.started(held.queue(), held.type(), held.waited());
        if (timeout != null) {
            held.timeout = host.later(timeout, () -> timedOut(held));
        }
        try {
            held.started = host.start(() -> {
                try {
                    ending.outcome = runner.run(context);
                } catch (Throwable e) {
                    // The runner handles every exception of a handler. This is a lack of memory or a bug: no failure
                    // counts.
                    ending.outcome = ending.putBack;
                }
                host.execute(ending);
            });
        } catch (Throwable thrown) {
            // No thread is available. Without this the task would keep its slot and its lease, and never run.
            LOG.error("Handler could not be started, its task is returned: task={}", context.taskId(), thrown);
            ended(held, new Settlement.PutBack(held.claimed.lease(), NOT_RUN_PAUSE));
        }
    }

    /**
     * The step after the end of a handler. It is created before the handler starts, which may leave no memory for it.
     */
    private final class Ending extends WorkerHost.Step {

        private final HeldTask held;
        private final Settlement putBack;
        private @Nullable Settlement outcome;

        Ending(HeldTask held) {
            this.held = held;
            this.putBack = new Settlement.PutBack(held.claimed.lease(), NOT_RUN_PAUSE);
        }

        @Override
        public void run() {
            ended(held, outcome);
        }
    }

    /** Processes the end of a handler. The outcome is null if the handler has settled its task itself. */
    private void ended(HeldTask held, @Nullable Settlement outcome) {
        if (!running.contains(held)) {
            // The worker no longer waits for this handler: its task has timed out, was lost or was put back.
            if (runaways.ended(held)) {
                claimer.want();
                pump();
            }
            return;
        }
        long took = host.nanoTime() - held.begunAt;
        sizer.ended(took);
        observer.ran(held.queue(), held.type(), Duration.ofNanos(took));
        held.end = held.vanishedAgain() ? SuspectRamp.End.ENDED_ALONE : SuspectRamp.End.ENDED;
        if (held.timeout != null) {
            held.timeout.cancel();
        }
        if (outcome == null || (held.context != null && held.context.leaseLost())) {
            if (held.context != null && held.context.leaseLost()) {
                held.end = SuspectRamp.End.VANISHED;
                observer.leaseLost(held.queue(), held.type());
            } else {
                observer.settled(held.queue(), held.type(), Attempt.Outcome.COMPLETED);
            }
            release(held);
        } else {
            post(held, outcome);
        }
        running.remove(held);
        pump();
    }

    private void timedOut(HeldTask held) {
        TaskContext context = held.context;
        if (context == null || !running.contains(held)) {
            return;
        }
        context.timeOut();
        interrupt(held);
        held.timeout = host.later(INTERRUPT_GRACE, () -> abandon(held, runner.timedOut(context)));
    }

    /**
     * Stops waiting for a handler that did not end when it was interrupted. Its attempt is settled or lost, and its
     * slot is free for another task.
     */
    private void abandon(HeldTask held, @Nullable Settlement outcome) {
        if (!running.contains(held)) {
            return;
        }
        if (runaways.tooManyWith(held)) {
            putBackReady();
        }
        ended(held, outcome);
    }

    private void interrupt(HeldTask held) {
        if (held.started != null) {
            held.started.interrupt();
        }
    }

    private void interruptAll() {
        for (HeldTask held : List.copyOf(running)) {
            LOG.warn(
                    "Handler interrupted by the closing of its worker, its task is returned: task={}",
                    held.claimed.task().id());
            if (held.context != null) {
                held.context.loseLease();
            }
            interrupt(held);
            observer.ran(held.queue(), held.type(), Duration.ofNanos(host.nanoTime() - held.begunAt));
            post(held, new Settlement.PutBack(held.claimed.lease(), Duration.ZERO));
            running.remove(held);
        }
        pump();
    }

    private void putBackReady() {
        for (HeldTask held : ready) {
            post(held, new Settlement.PutBack(held.claimed.lease(), Duration.ZERO));
        }
        ready.clear();
    }

    // ---- settling

    private void post(HeldTask held, Settlement outcome) {
        unsettled.add(held);
        TaskContext.UnsentLines lines = held.context == null ? null : held.context.linesWith(outcome);
        long result = Outbox.size(outcome) + (lines == null ? 0 : Outbox.size(lines.advance()));
        held.bytes += result;
        heldBytes += result;
        outbox.put(
                lines == null ? List.of(outcome) : List.of(lines.advance(), outcome),
                answer -> settled(held, outcome, answer));
    }

    private void settled(HeldTask held, Settlement outcome, Settled answer) {
        unsettled.remove(held);
        if (answer == Settled.FULL) {
            // The lines were not added and the attempt goes on. The next one reads what has made the history so long,
            // and writes
            // its lines before it waits, so that the code is notified.
            post(held, new Settlement.PutBack(held.claimed.lease(), Duration.ZERO));
            return;
        }
        TaskContext.UnsentLines lines = held.context == null ? null : held.context.linesWith(outcome);
        if (lines != null && answer == Settled.APPLIED) {
            lines.applied().run();
        }
        if (answer == Settled.STALE || answer == Settled.NOT_FOUND) {
            held.end = SuspectRamp.End.VANISHED;
            LOG.warn(
                    "Outcome discarded, the attempt no longer holds its lease: task={} attempt={}",
                    held.claimed.task().id(),
                    held.claimed.lease().attempt());
            observer.leaseLost(held.queue(), held.type());
        } else if (outcome instanceof Settlement.Ending ending) {
            observer.settled(held.queue(), held.type(), ending.outcome());
        }
        release(held);
    }

    /** Records that the worker no longer holds the task. */
    private void release(HeldTask held) {
        held.gone = true;
        heldBytes -= held.bytes;
        if (held.isSuspect()) {
            suspects.left(held.end);
            claimer.want(); // another suspect may have been left out
        }
    }

    // ---- extending

    private boolean isClosed() {
        return closing && closed == null;
    }

    private void extended(HeldTask held, Settled answer) {
        switch (answer) {
            case APPLIED -> {}
            case CANCEL_REQUESTED -> cancelled(held);
            case STALE, NOT_FOUND, CONCLUDED, TOO_LATE, FULL, BUSY -> lost(held);
        }
    }

    private void cancelled(HeldTask held) {
        if (ready.remove(held)) {
            post(held, new Settlement.Cancelled(held.claimed.lease()));
        } else if (held.context != null && !held.context.isCancelled()) {
            held.context.cancel();
            interrupt(held);
        }
    }

    private void lost(HeldTask held) {
        if (held.gone || unsettled.contains(held) || (held.context != null && held.context.leaseLost())) {
            return; // already released or reported, or its settlement will get the same answer
        }
        if (held.context != null && held.context.settlesItself()) {
            return; // perhaps this attempt has completed the task; otherwise its transaction is rejected
        }
        LOG.warn(
                "Lease lost, another attempt has taken over: task={} attempt={}",
                held.claimed.task().id(),
                held.claimed.lease().attempt());
        if (ready.remove(held)) {
            held.end = SuspectRamp.End.VANISHED;
            observer.leaseLost(held.queue(), held.type());
            release(held);
        } else if (held.context != null) {
            held.context.loseLease();
            interrupt(held);
            host.later(INTERRUPT_GRACE, () -> abandon(held, null));
        }
    }

    // ---- failing

    /** Returns when the last heartbeat began, by the host's {@link WorkerHost#nanoTime}. */
    long beatAt() {
        return extender.beatAt();
    }

    /**
     * Gives up all tasks, after the host has failed and no step runs any more. May be called again if it throws. A
     * handler that ignores its interrupt is fenced like one that has lost its lease.
     *
     * @return the unfinished store calls
     */
    Remains abandon() {
        List<Settlement> settlements = outbox.unanswered();
        // If the outcome of a task is sent before this, the store rejects the put-back as stale.
        for (Iterable<HeldTask> place : places) {
            for (HeldTask held : place) {
                settlements.add(new Settlement.PutBack(held.claimed.lease(), Duration.ZERO));
            }
        }
        for (HeldTask held : running) {
            if (held.context != null) {
                held.context.loseLease();
            }
            interrupt(held);
            observer.ran(held.queue(), held.type(), Duration.ofNanos(host.nanoTime() - held.begunAt));
        }
        return new Remains(settlements, claimer.unanswered());
    }
}
