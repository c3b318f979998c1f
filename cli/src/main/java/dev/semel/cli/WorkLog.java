package dev.semel.cli;

import dev.semel.store.Applied;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Task;
import dev.semel.store.Transition;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Prints a line for each attempt that a worker ended, and knows when there is nothing left to do. */
final class WorkLog implements ObservedStore.Observer {

    private final Console console;
    private final boolean json;
    private final Map<Lease, Begun> held = new ConcurrentHashMap<>();
    private final CountDownLatch drained = new CountDownLatch(1);
    private volatile @Nullable StoreUnusable refusal;

    private record Begun(Task task, long at) {}

    WorkLog(Console console, boolean json) {
        this.console = console;
        this.json = json;
    }

    /**
     * Waits until a claim found nothing due while nothing was in the worker's hands.
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
            held.putIfAbsent(claimed.lease(), new Begun(claimed.task(), now));
        }
        Duration nextDue = claims.nextDue();
        if (held.isEmpty() && (nextDue == null || nextDue.isPositive())) {
            drained.countDown();
        }
    }

    @Override
    public void applied(Transition move, Applied answer) {
        boolean refused = answer == Applied.STALE || answer == Applied.NOT_FOUND;
        if (move instanceof Transition.Ending ending) {
            Begun begun = held.remove(ending.lease());
            if (begun != null) {
                print(begun, ending, refused);
            }
        } else if (refused && move instanceof Transition.ByWorker lost) {
            held.remove(lost.lease());
        }
    }

    private void print(Begun begun, Transition.Ending ending, boolean refused) {
        Task task = begun.task();
        String outcome = ending.outcome().word();
        String error = error(ending);
        Duration took = Duration.ofNanos(System.nanoTime() - begun.at());
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
                                    ending instanceof Transition.Park park
                                            ? park.effect().label()
                                            : null));
            return;
        }
        String what = refused ? "refused: " + outcome + " too late" : outcome;
        console.out()
                .println(Text.time(Instant.now()) + "  " + task.id() + "  " + task.type() + "  attempt "
                        + ending.lease().attempt() + "  " + what + "  " + Text.span(took)
                        + (error == null ? "" : "  " + Text.cut(Text.firstLine(error), 200)));
        if (ending instanceof Transition.Park park && !refused) {
            console.out()
                    .println("  It waits for a person: " + EffectResolveCommand.example(task.id(), park.effect())
                            + " --done [RESULT] | --not-done | --give-up");
        }
    }

    private static @Nullable String error(Transition.Ending ending) {
        return switch (ending) {
            case Transition.Retry retry -> retry.error();
            case Transition.Fail fail -> fail.error();
            case Transition.Complete complete -> null;
            case Transition.PutBack putBack -> null;
            case Transition.Park park -> park.reason();
            case Transition.Cancelled cancelled -> null;
        };
    }
}
