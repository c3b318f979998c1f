package dev.semel.engine;

import dev.semel.store.Applied;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.Limits;
import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One worker: its state and its rules. Every method that changes something runs as a step of the host, one at a time.
 *
 * <p>A task is in one of three places here: {@code ready} (claimed, not begun), {@code running} (its handler runs), and
 * {@code unsettled} (ended, and its outcome in the {@link Outbox}). In all three its lease is extended; from all three it leaves only
 * by an answer of the store.
 */
public final class WorkerLoop {

    private static final SafeLogger LOG = SafeLogger.of(WorkerLoop.class);

    // How far ahead to hold tasks: what was run lately within this time, so that slow tasks are left to other workers.
    private static final long AHEAD_NANOS = Duration.ofMillis(50).toNanos();

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);

    // So long a claimed task waits for a place; then it is returned.
    private static final Duration HELD_AT_MOST = Duration.ofSeconds(1);

    // Each keeps a thread and what it has in memory. A worker that goes on beyond this hides that something is wrong.
    private static final int RUNAWAYS_PER_PLACE = 4;

    // After this time an interrupted handler that has not ended is left to itself.
    private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(5);

    private final TaskStore store;
    private final WorkerHost host;
    private final WorkerSettings settings;
    private final Handlers handlers;
    private final Runner runner;
    private final Codec codec;

    private final Deque<Held> ready = new ArrayDeque<>();
    private final Set<Held> running = new LinkedHashSet<>();
    private final Set<Held> unsettled = new LinkedHashSet<>();
    private final Outbox outbox;
    private final Ledger ledger;

    private long heldBytes;
    // By which a claim is smaller than there is room: doubled when one runs out of memory, halved when one is answered.
    private int claimDivisor = 1;
    // Handlers that ignored their interrupt: their attempts are settled or lost, and their threads still run.
    private final Set<Held> runaways = new LinkedHashSet<>();

    private final SuspectRamp suspects;
    private boolean claiming;
    private boolean claimWanted = true;
    private @Nullable ClaimRequest lostClaim;
    private WorkerHost.@Nullable Timer nextLook;
    private Duration backoff = FIRST_BACKOFF;

    private long windowStart;
    private int endedInWindow;
    private int ahead;
    private long usualRunNanos;
    private boolean watchesReady;

    private boolean closing;
    private @Nullable Runnable closed;
    private volatile long beatAt;

    // What was asked for last and not answered: whatever becomes of this worker, somebody asks for it again.
    private @Nullable ClaimRequest asked;

    /**
     * Makes a worker that does nothing yet.
     *
     * @param store where its tasks are
     * @param host its threads and its time
     * @param settings how it works
     * @param handlers what it runs
     * @param codec how inputs and results are written
     */
    public WorkerLoop(TaskStore store, WorkerHost host, WorkerSettings settings, Handlers handlers, Codec codec) {
        this(store, host, settings, handlers, codec, null);
    }

    /** Makes a worker that goes on where another one failed. */
    WorkerLoop(
            TaskStore store,
            WorkerHost host,
            WorkerSettings settings,
            Handlers handlers,
            Codec codec,
            @Nullable Remains before) {
        this.lostClaim = before == null ? null : before.claim();
        this.beatAt = host.nanoTime();
        this.store = store;
        this.host = host;
        this.settings = settings;
        this.handlers = handlers;
        this.runner = new Runner(handlers, codec, host.random());
        this.suspects = new SuspectRamp(settings.concurrency());
        this.codec = codec;
        this.outbox = new Outbox(store, host, settings.name(), settings.lease(), this::pump);
        this.ledger = new WorkerLedger(store, host, outbox);
    }

    /** Begins to work. */
    public void start() {
        host.execute(() -> {
            windowStart = host.nanoTime();
            heartbeatLater();
            pump();
        });
    }

    /** Tells the worker that tasks may be due. */
    public void wake() {
        host.execute(() -> {
            claimWanted = true;
            pump();
        });
    }

    /**
     * Stops claiming, returns what has not begun, waits for what runs, interrupts and returns what runs too long.
     *
     * @param grace how long to wait for handlers
     * @param closed called once nothing is left
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

    /** Everything that can be begun now: handlers, a settlement, a claim. */
    private void pump() {
        while (!closing && !ready.isEmpty() && running.size() < settings.concurrency()) {
            begin(ready.element());
        }
        outbox.send();
        claim();
        if (closing && !claiming && lostClaim == null && ready.isEmpty() && running.isEmpty() && outbox.isEmpty()) {
            Runnable end = closed;
            closed = null;
            if (end != null) {
                end.run();
            }
        }
    }

    // ---- claiming

    private void claim() {
        if (claiming || (lostClaim == null && (closing || !claimWanted))) {
            return;
        }
        ClaimRequest request = lostClaim != null ? lostClaim : nextClaim();
        if (request == null) {
            return; // claimWanted stays: the next step that makes room claims
        }
        claiming = true;
        asked = request;
        claimWanted = false;
        cancelNextLook();
        host.call(
                () -> store.claim(request), claims -> claimed(request, claims), thrown -> claimFailed(request, thrown));
    }

    private @Nullable ClaimRequest nextClaim() {
        int free = settings.concurrency() - running.size();
        int held = ahead();
        int room = free + held - ready.size();
        // A claim for every single free place would be a commit for every task: wait until half of the room is free,
        // unless a place would stay empty meanwhile.
        boolean worthwhile = ready.isEmpty() ? free > 0 : room > (settings.concurrency() + held) / 2;
        if (room < 1
                || !worthwhile
                || unsettled.size() > settings.concurrency() + settings.prefetch()
                || tooManyRunaways()) {
            return null;
        }
        long bytes = settings.heldBytes() - heldBytes;
        if (heldBytes > 0 && bytes < Limits.DOCUMENT_BYTES) {
            return null; // the next task may be as large as that; one that ends makes room
        }
        int limit = Math.max(Math.min(room, ClaimRequest.MAX_LIMIT) / claimDivisor, 1);
        // Of queues with limits only what begins at once; but one at the least, or those without would starve them.
        int limited = Math.clamp(free - ready.size(), 1, limit);
        return new ClaimRequest(
                host.random().nextLong(),
                false,
                settings.queues(),
                handlers.types(),
                limit,
                limited,
                Math.min(limit, suspects.room()),
                bytes / claimDivisor,
                settings.lease(),
                settings.name());
    }

    private int ahead() {
        long now = host.nanoTime();
        long elapsed = now - windowStart;
        if (elapsed >= AHEAD_NANOS) {
            ahead = (int) Math.min(settings.prefetch(), endedInWindow * AHEAD_NANOS / elapsed);
            windowStart = now;
            endedInWindow = 0;
        }
        // A crowd of slow handlers that end together looks fast, but their places will not be free again as fast.
        long begunInTime = usualRunNanos == 0
                ? settings.prefetch()
                : Math.max(1, settings.concurrency() * AHEAD_NANOS / usualRunNanos);
        return (int) Math.min(begunInTime, Math.min(settings.prefetch(), Math.max(ahead, endedInWindow)));
    }

    private void claimed(ClaimRequest request, Claims claims) {
        claiming = false;
        lostClaim = null;
        backoff = FIRST_BACKOFF;
        claimDivisor = Math.max(claimDivisor / 2, 1);
        long bytes = take(claims);
        asked = null;
        if (closing) {
            putBackReady();
        }
        Duration nextDue = claims.nextDue();
        boolean cut = nextDue != null && nextDue.isZero() && bytes > request.bytes() - Limits.DOCUMENT_BYTES;
        boolean leftOut = nextDue != null && nextDue.isZero() && suspects.room() > 0;
        if (claims.tasks().size() == request.limit()
                || ((leftOut || cut) && !claims.tasks().isEmpty())) {
            claimWanted = true; // there may be more
        } else {
            lookLater(nextDue);
        }
        pump();
    }

    /** Takes over what was claimed; returns how many bytes of inputs that is. */
    private long take(Claims claims) {
        long now = host.nanoTime();
        List<Held> taken =
                claims.tasks().stream().map(claimed -> new Held(claimed, now)).toList();
        long suspected =
                suspects.held() + taken.stream().filter(Held::isSuspect).count();
        if (taken.stream().anyMatch(Held::vanishedAgain)) {
            suspects.restart();
        }
        for (Held held : taken) {
            if (held.isSuspect()) {
                suspects.took();
            }
            int vanished = held.claimed.task().progress().vanished();
            if (vanished >= settings.maxVanished()) {
                LOG.warn(
                        "Task {} fails unrun: {} attempts vanished",
                        held.claimed.task().id(),
                        vanished);
                post(held, Runner.buried(held.claimed.lease(), vanished));
            } else if (held.vanishedAgain() && suspected > 1) {
                // It runs when it is the only suspect here. It must not begin while others are being returned: it may
                // kill this process first, and they would be buried with it.
                post(held, new Transition.PutBack(held.claimed.lease(), Duration.ZERO));
            } else {
                ready.add(held);
            }
        }
        putBackOverdueLater();
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
     * Returns what has waited for a place for too long. The estimate of how much can begin at once comes from the recent past; if
     * handlers have become slow since, this much is better off with other workers, and does not vanish if this one dies.
     */
    private void putBackOverdue() {
        watchesReady = false;
        long now = host.nanoTime();
        while (!ready.isEmpty() && now - ready.peekFirst().claimedAt >= HELD_AT_MOST.toNanos()) {
            Held held = ready.removeFirst();
            post(held, new Transition.PutBack(held.claimed.lease(), Duration.ZERO));
        }
        putBackOverdueLater();
        pump();
    }

    private void lookLater(@Nullable Duration nextDue) {
        Duration delay = settings.poll();
        // Zero means that due tasks were left out. If that is because of suspects in our hands, their end looks again.
        if (nextDue != null && nextDue.compareTo(delay) < 0 && !(nextDue.isZero() && suspects.room() == 0)) {
            delay = nextDue.isZero() ? FIRST_BACKOFF : nextDue;
        }
        cancelNextLook();
        nextLook = host.later(delay, () -> {
            claimWanted = true;
            pump();
        });
    }

    private void cancelNextLook() {
        if (nextLook != null) {
            nextLook.cancel();
            nextLook = null;
        }
    }

    private void claimFailed(ClaimRequest request, RuntimeException thrown) {
        warn("claim", thrown);
        boolean tooLarge = ranOutOfMemory(thrown);
        if (tooLarge) {
            claimDivisor = Math.min(claimDivisor * 2, ClaimRequest.MAX_LIMIT);
        }
        // Whether tasks were taken is not known: the same claim, marked as repeated, gets them back.
        host.later(nextBackoff(), () -> {
            claiming = false;
            lostClaim = tooLarge ? request.again().halved() : request.again();
            pump();
        });
    }

    private static boolean ranOutOfMemory(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < 10; depth++) {
            if (cause instanceof OutOfMemoryError) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    // ---- running

    private void begin(Held held) {
        Duration timeout = runner.timeout(held.claimed.task());
        Instant deadline = timeout == null ? null : host.clock().instant().plus(timeout);
        TaskContext context = new TaskContext(held.claimed, deadline, codec, ledger, store);
        held.context = context;
        Ending ending = new Ending(held);
        held.begunAt = host.nanoTime();
        running.add(held);
        // Only now: whatever fails here, the task is in one of the places from which it can be returned.
        ready.remove();
        if (timeout != null) {
            held.timeout = host.later(timeout, () -> timedOut(held));
        }
        try {
            held.started = host.start(() -> {
                try {
                    ending.outcome = runner.run(context);
                } catch (Throwable e) {
                    // The runner deals with all that a handler may do; this is no memory, or a bug. It costs nothing.
                    ending.outcome = ending.putBack;
                }
                host.execute(ending);
            });
        } catch (Throwable thrown) {
            // No thread can be had. Without this the task would keep its place and its lease, and never run.
            LOG.error("The handler of task {} could not be started; its task is returned", context.taskId(), thrown);
            ended(held, new Transition.PutBack(held.claimed.lease(), LONGEST_BACKOFF));
        }
    }

    /** The step after a handler's end, made before its beginning: a handler may leave no memory for it. */
    private final class Ending extends WorkerHost.Step {

        private final Held held;
        private final Transition putBack;
        private @Nullable Transition outcome;

        Ending(Held held) {
            this.held = held;
            this.putBack = new Transition.PutBack(held.claimed.lease(), LONGEST_BACKOFF);
        }

        @Override
        public void run() {
            ended(held, outcome);
        }
    }

    /** The handler has ended; without an outcome if it has settled its task itself. */
    private void ended(Held held, @Nullable Transition outcome) {
        if (!running.contains(held)) {
            // Given up before: timed out, lost or put back.
            if (runaways.remove(held)) {
                LOG.info(
                        "Runaway handler ended: task={} runaways_left={}",
                        held.claimed.task().id(),
                        runaways.size());
                claimWanted = true;
                pump();
            }
            return;
        }
        endedInWindow++;
        long ran = host.nanoTime() - held.begunAt;
        usualRunNanos = usualRunNanos == 0 ? Math.max(1, ran) : Math.max(1, usualRunNanos + (ran - usualRunNanos) / 8);
        held.end = held.vanishedAgain() ? SuspectRamp.End.ENDED_ALONE : SuspectRamp.End.ENDED;
        if (held.timeout != null) {
            held.timeout.cancel();
        }
        if (outcome == null || (held.context != null && held.context.leaseLost())) {
            if (held.context != null && held.context.leaseLost()) {
                held.end = SuspectRamp.End.VANISHED;
            }
            release(held);
        } else {
            post(held, outcome);
        }
        running.remove(held);
        pump();
    }

    private void timedOut(Held held) {
        TaskContext context = held.context;
        if (context == null || !running.contains(held)) {
            return;
        }
        context.timeOut();
        interrupt(held);
        held.timeout = host.later(INTERRUPT_GRACE, () -> abandon(held, runner.timedOut(context)));
    }

    /**
     * Goes on without a handler that did not end when it was interrupted: its attempt is settled, or lost, and its place is free
     * for another task. Nothing can end its thread, so it is counted, and too many of them stop the worker.
     */
    private void abandon(Held held, @Nullable Transition outcome) {
        if (!running.contains(held)) {
            return;
        }
        runaways.add(held);
        LOG.warn(
                "Runaway handler: it ignores its interrupt and is left to itself: task={} attempt={} runaways={}",
                held.claimed.task().id(),
                held.claimed.lease().attempt(),
                runaways.size());
        if (tooManyRunaways()) {
            LOG.error(
                    "Worker stopped claiming: worker={} runaways={}. Handlers must end when they are interrupted. It goes on"
                            + " when one of them ends; restart the process otherwise",
                    settings.name(),
                    runaways.size());
            putBackReady();
        }
        ended(held, outcome);
    }

    private boolean tooManyRunaways() {
        return runaways.size() >= RUNAWAYS_PER_PLACE * settings.concurrency();
    }

    private void interrupt(Held held) {
        if (held.started != null) {
            held.started.interrupt();
        }
    }

    private void interruptAll() {
        for (Held held : List.copyOf(running)) {
            LOG.warn(
                    "Closing: the handler of task {} is interrupted and its task returned",
                    held.claimed.task().id());
            if (held.context != null) {
                held.context.loseLease();
            }
            interrupt(held);
            post(held, new Transition.PutBack(held.claimed.lease(), Duration.ZERO));
            running.remove(held);
        }
        pump();
    }

    private void putBackReady() {
        for (Held held : ready) {
            post(held, new Transition.PutBack(held.claimed.lease(), Duration.ZERO));
        }
        ready.clear();
    }

    // ---- settling

    private void post(Held held, Transition outcome) {
        unsettled.add(held);
        long result = Outbox.size(outcome);
        held.bytes += result;
        heldBytes += result;
        outbox.put(outcome, answer -> settled(held, answer));
    }

    private void settled(Held held, Applied answer) {
        unsettled.remove(held);
        if (answer == Applied.STALE || answer == Applied.NOT_FOUND) {
            held.end = SuspectRamp.End.VANISHED;
            LOG.warn(
                    "Refused: attempt {} of task {} is no longer the newest, so its outcome was discarded",
                    held.claimed.lease().attempt(),
                    held.claimed.task().id());
        }
        release(held);
    }

    /** The task is no longer in this worker's hands. */
    private void release(Held held) {
        held.gone = true;
        heldBytes -= held.bytes;
        if (held.isSuspect()) {
            suspects.left(held.end);
            claimWanted = true; // another suspect may have been left out
        }
    }

    // ---- extending

    private void heartbeatLater() {
        host.later(settings.lease().dividedBy(3), this::heartbeat);
    }

    private void heartbeat() {
        long now = host.nanoTime();
        beatAt = now;
        long enough = settings.lease().toNanos() / 6;
        List<Held> batch = new ArrayList<>();
        for (Iterable<Held> place : List.<Iterable<Held>>of(ready, running, unsettled)) {
            for (Held held : place) {
                if (now - held.extendedAt >= enough) {
                    batch.add(held);
                }
            }
        }
        if (closed == null && closing && batch.isEmpty()) {
            return; // all is done; the last heartbeat
        }
        if (batch.isEmpty()) {
            heartbeatLater();
            return;
        }
        List<Transition> moves = new ArrayList<>(batch.size());
        for (Held held : batch) {
            moves.add(new Transition.Extend(held.claimed.lease(), settings.lease()));
        }
        host.call(() -> store.apply(moves), answers -> extended(batch, answers, now), thrown -> {
            warn("heartbeat of " + batch.size() + " tasks", thrown);
            host.later(settings.lease().dividedBy(10), this::heartbeat);
        });
    }

    private void extended(List<Held> batch, List<Applied> answers, long sentAt) {
        for (int i = 0; i < batch.size(); i++) {
            Held held = batch.get(i);
            switch (answers.get(i)) {
                case APPLIED -> held.extendedAt = sentAt;
                case CANCEL_REQUESTED -> {
                    held.extendedAt = sentAt;
                    cancelled(held);
                }
                case STALE, NOT_FOUND, SUPERSEDED, HELD, SETTLED, TOO_LATE, CIRCLE -> lost(held);
            }
        }
        heartbeatLater();
        pump();
    }

    private void cancelled(Held held) {
        if (ready.remove(held)) {
            post(held, new Transition.Cancelled(held.claimed.lease()));
        } else if (held.context != null && !held.context.isCancelled()) {
            held.context.cancel();
            interrupt(held);
        }
    }

    private void lost(Held held) {
        if (held.gone || unsettled.contains(held) || (held.context != null && held.context.leaseLost())) {
            return; // settled meanwhile, or its settlement will be answered the same way, or told before
        }
        if (held.context != null && held.context.settlesItself()) {
            return; // it may be this attempt that has completed the task; if not, its transaction is refused
        }
        LOG.warn(
                "Lost: another attempt has taken over from attempt {} of task {}",
                held.claimed.lease().attempt(),
                held.claimed.task().id());
        if (ready.remove(held)) {
            held.end = SuspectRamp.End.VANISHED;
            release(held);
        } else if (held.context != null) {
            held.context.loseLease();
            interrupt(held);
            host.later(INTERRUPT_GRACE, () -> abandon(held, null));
        }
    }

    // ---- failing

    /** When the last heartbeat began, by the host's {@link WorkerHost#nanoTime}. */
    long beatAt() {
        return beatAt;
    }

    /**
     * Gives up everything, once the host has failed and no step runs any more. May be called again if it fails. A handler that
     * goes on in spite of its interrupt is fenced off like one that has lost its lease.
     */
    Remains abandon() {
        List<Transition> moves = outbox.unanswered();
        // Of a task whose outcome comes before this, it is refused.
        for (Iterable<Held> place : List.<Iterable<Held>>of(ready, running, unsettled)) {
            for (Held held : place) {
                moves.add(new Transition.PutBack(held.claimed.lease(), Duration.ZERO));
            }
        }
        for (Held held : running) {
            if (held.context != null) {
                held.context.loseLease();
            }
            interrupt(held);
        }
        ClaimRequest claim = asked != null ? asked : lostClaim;
        return new Remains(moves, claim == null ? null : claim.again());
    }

    private Duration nextBackoff() {
        Duration now = backoff;
        backoff = backoff.multipliedBy(2).compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : backoff.multipliedBy(2);
        return now;
    }

    private void warn(String what, RuntimeException thrown) {
        if (thrown instanceof StoreUnavailable) {
            LOG.warn("The store did not answer a {} of worker {}: {}", what, settings.name(), thrown.getMessage());
        } else if (thrown instanceof StoreUnusable) {
            LOG.error("The store refused a {} of worker {}: {}", what, settings.name(), thrown.getMessage());
        } else {
            LOG.error("A {} of worker {} failed", what, settings.name(), thrown);
        }
    }
}
