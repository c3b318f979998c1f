package dev.semel.engine;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.TaskStore;
import dev.semel.task.Limits;
import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a worker's claims. One claim is in flight at a time, and it is repeated until the store answers it: a
 * claim whose answer was lost may have taken tasks. Used by steps of the host only.
 */
final class Claimer {

    private static final SafeLogger LOG = SafeLogger.of(Claimer.class);

    private final TaskStore store;
    private final WorkerHost host;
    private final WorkerSettings settings;
    private final SuspectRamp suspects;
    private final ClaimSizer sizer;
    private final Supplier<@Nullable ClaimRequest> next;
    private final ToLongFunction<Claims> take;
    private final Runnable changed;

    private boolean claiming;
    private boolean wanted = true;
    private boolean stopped;
    private @Nullable ClaimRequest lost;
    private WorkerHost.@Nullable Timer nextLook;
    private Duration backoff = Outbox.FIRST_BACKOFF;

    // The claim that the store has not answered. If the worker fails, its successor repeats it.
    private @Nullable ClaimRequest asked;
    private long askedAt;

    /**
     * Creates a claimer that has sent nothing yet.
     *
     * @param lost a claim of a failed worker to repeat first, or null
     * @param next returns the next claim, or null if the worker takes no more tasks now
     * @param take takes over the claimed tasks and returns the size of their inputs
     * @param changed called after an answer, and when a claim may be sent
     */
    Claimer(
            TaskStore store,
            WorkerHost host,
            WorkerSettings settings,
            SuspectRamp suspects,
            ClaimSizer sizer,
            @Nullable ClaimRequest lost,
            Supplier<@Nullable ClaimRequest> next,
            ToLongFunction<Claims> take,
            Runnable changed) {
        this.store = store;
        this.host = host;
        this.settings = settings;
        this.suspects = suspects;
        this.sizer = sizer;
        this.lost = lost;
        this.next = next;
        this.take = take;
        this.changed = changed;
    }

    /** Allows the next claim: tasks may be due, or a reason to claim no more is gone. */
    void want() {
        wanted = true;
    }

    /** Sends a claim, if one is wanted, the worker has room, and none is in flight. */
    void send() {
        if (stopped || claiming || (lost == null && !wanted)) {
            return;
        }
        ClaimRequest request = lost != null ? lost : next.get();
        if (request == null) {
            return; // it stays wanted: the next step that makes room claims
        }
        claiming = true;
        asked = request;
        wanted = false;
        cancelNextLook();
        askedAt = host.nanoTime();
        host.call(() -> store.claim(request), claims -> answered(request, claims), thrown -> failed(request, thrown));
    }

    /** Tells whether no claim is in flight and none has to be repeated. */
    boolean isIdle() {
        return !claiming && lost == null;
    }

    /** Returns the claim that a successor has to repeat, or null. */
    @Nullable
    ClaimRequest unanswered() {
        ClaimRequest claim = asked != null ? asked : lost;
        return claim == null ? null : claim.again();
    }

    private void answered(ClaimRequest request, Claims claims) {
        claiming = false;
        lost = null;
        backoff = Outbox.FIRST_BACKOFF;
        sizer.answered(host.nanoTime() - askedAt);
        long bytes = take.applyAsLong(claims);
        asked = null;
        Duration nextDue = claims.nextDue();
        boolean cut = nextDue != null && nextDue.isZero() && bytes > request.bytes() - Limits.DOCUMENT_BYTES;
        boolean leftOut = nextDue != null && nextDue.isZero() && suspects.room() > 0;
        if (claims.tasks().size() == request.limit()
                || ((leftOut || cut) && !claims.tasks().isEmpty())) {
            wanted = true; // there may be more
        } else {
            lookLater(nextDue);
        }
        changed.run();
    }

    private void lookLater(@Nullable Duration nextDue) {
        Duration delay = settings.poll();
        // Zero means that due tasks were left out. If the suspects that this worker holds are the reason, the end of
        // one of them sends the next claim.
        if (nextDue != null && nextDue.compareTo(delay) < 0 && !(nextDue.isZero() && suspects.room() == 0)) {
            delay = nextDue.isZero() ? Outbox.FIRST_BACKOFF : nextDue;
        }
        cancelNextLook();
        nextLook = host.later(delay, () -> {
            wanted = true;
            changed.run();
        });
    }

    private void cancelNextLook() {
        if (nextLook != null) {
            nextLook.cancel();
            nextLook = null;
        }
    }

    private void failed(ClaimRequest request, RuntimeException thrown) {
        StoreCallLog.failed(LOG, "claim", settings.name(), thrown);
        if (StoreCallLog.isClosed(thrown)) {
            // Nothing can be claimed any more. A claim that is repeated would only keep the worker from closing.
            claiming = false;
            stopped = true;
            asked = null;
            lost = null;
            changed.run();
            return;
        }
        boolean tooLarge = ranOutOfMemory(thrown);
        if (tooLarge) {
            sizer.ranOutOfMemory();
        }
        Duration pause = backoff;
        backoff = Outbox.longer(backoff);
        // It is unknown whether the store handed out tasks: the same claim, marked as repeated, returns them.
        host.later(pause, () -> {
            claiming = false;
            lost = tooLarge ? request.again().halved() : request.again();
            changed.run();
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
}
