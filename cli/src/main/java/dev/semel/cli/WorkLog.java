package dev.semel.cli;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.AttemptId;
import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A log with one line for each attempt that a worker ended. It also detects when there is nothing left to do. */
final class WorkLog implements ObservedStore.Observer {

    private final Console console;
    private final boolean json;
    private final Map<AttemptId, StartedAttempt> held = new ConcurrentHashMap<>();
    private final CountDownLatch drained = new CountDownLatch(1);
    private volatile @Nullable StoreUnusable refusal;

    private record StartedAttempt(Task task, long at) {}

    WorkLog(Console console, boolean json) {
        this.console = console;
        this.json = json;
    }

    /**
     * Waits until a claim finds nothing due while the worker holds no task.
     *
     * @throws StoreUnusable if the store refuses claims
     */
    void awaitDrained() throws InterruptedException {
        drained.await();
        StoreUnusable why = refusal;
        if (why != null) {
            throw why;
        }
    }

    @Override
    public void refused(StoreUnusable why) {
        if (held.isEmpty()) {
            refusal = why;
            drained.countDown();
        }
    }

    @Override
    public void claimed(ClaimRequest request, Claims claims) {
        long now = System.nanoTime();
        for (Claimed claimed : claims.tasks()) {
            held.putIfAbsent(claimed.lease().attemptId(), new StartedAttempt(claimed.task(), now));
        }
        Duration nextDue = claims.nextDue();
        if (held.isEmpty() && (nextDue == null || nextDue.isPositive())) {
            drained.countDown();
        }
    }

    @Override
    public void settled(Settlement settlement, Settled answer) {
        boolean refused = answer == Settled.STALE || answer == Settled.NOT_FOUND;
        if (settlement instanceof Settlement.Ending ending) {
            StartedAttempt started = held.remove(ending.lease().attemptId());
            if (started != null) {
                print(started, ending, refused);
            }
        } else if (refused) {
            held.remove(settlement.lease().attemptId());
        }
    }

    private void print(StartedAttempt started, Settlement.Ending ending, boolean refused) {
        Task task = started.task();
        String outcome = ending.outcome().word();
        String error = error(ending);
        Duration took = Duration.ofNanos(System.nanoTime() - started.at());
        if (json) {
            var identity = task.identity();
            console.out()
                    .println(new JsonText()
                            .put("task_id", task.id().toString())
                            .put("outcome", outcome)
                            .put("refused", refused)
                            .put("attempt", ending.lease().attempt())
                            .put("tenant", task.tenant())
                            .put("queue", task.queue())
                            .put("type", task.type())
                            .put("key", identity == null ? null : identity.key())
                            .put("run", task.run())
                            .put("milliseconds", took.toMillis())
                            .put("error", error)
                            .put(
                                    "parked_for",
                                    ending instanceof Settlement.Park park
                                            ? park.effect().label()
                                            : null));
            return;
        }
        String what = refused ? "refused: " + outcome + " too late" : outcome;
        console.out()
                .println(Text.time(Instant.now()) + "  " + task.id() + "  " + task.type() + "  attempt "
                        + ending.lease().attempt() + "  " + what + "  " + Text.span(took)
                        + (error == null ? "" : "  " + Text.cut(Text.firstLine(error), 200)));
        if (ending instanceof Settlement.Park park && !refused) {
            console.out()
                    .println("  It is parked for a person to resolve: "
                            + EffectResolveCommand.example(task.id(), park.effect())
                            + " --done [RESULT] | --not-done | --give-up");
        }
    }

    private static @Nullable String error(Settlement.Ending ending) {
        return switch (ending) {
            case Settlement.Retry retry -> retry.error();
            case Settlement.Fail fail -> fail.error();
            case Settlement.Complete complete -> null;
            case Settlement.PutBack putBack -> null;
            case Settlement.Park park -> park.reason();
            case Settlement.Wait wait -> wait.error();
            case Settlement.Continue next -> null;
            case Settlement.Cancelled cancelled -> null;
        };
    }
}
