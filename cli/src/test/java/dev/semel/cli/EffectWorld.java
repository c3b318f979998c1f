package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Performs the transitions that workers make on effects, on any store. */
final class EffectWorld {

    private static final Duration LEASE = Duration.ofMinutes(10);

    private final TaskStore store;
    private final Runnable beforeEachMove;

    EffectWorld(TaskStore store) {
        this(store, () -> {});
    }

    EffectWorld(TaskStore store, Runnable beforeEachMove) {
        this.store = store;
        this.beforeEachMove = beforeEachMove;
    }

    /** Submits a charge; a second one with the same key after a failure is its rerun. */
    TaskId submit(String queue, @Nullable String key) {
        return submit(queue, key, null);
    }

    TaskId submit(String queue, @Nullable String key, @Nullable String mutex) {
        // Not closed: that would close the store.
        Semel semel = Semel.on(store).build();
        TaskType<RawJson, RawJson> type = TaskType.builder("charge", RawJson.class, RawJson.class)
                .mutex(input -> mutex)
                .build();
        var request = semel.submit(type, new RawJson("{\"order\":\"ORD-1\"}")).queue(queue);
        return (key == null ? request : request.idempotencyKey(key)).send().taskId();
    }

    Lease claim(String queue) {
        List<Claimed> claimed = claimed(queue);
        assertThat(claimed).hasSize(1);
        return claimed.getFirst().lease();
    }

    void claimNothing(String queue) {
        assertThat(claimed(queue)).isEmpty();
    }

    private List<Claimed> claimed(String queue) {
        beforeEachMove.run();
        return store.claim(new ClaimRequest(System.nanoTime(), false, Set.of(queue), null, 1, 1, 1, LEASE, "worker-1"))
                .tasks();
    }

    EffectId id(Lease lease, String label) {
        Task task = task(lease.taskId());
        return EffectId.parse(task.lineage(), label);
    }

    Task task(TaskId id) {
        Task task = store.find(List.of(id)).get(id);
        assertThat(task).isNotNull();
        return task;
    }

    void intend(Lease lease, String label) {
        intend(lease, label, null);
    }

    void intend(Lease lease, String label, @Nullable Duration window) {
        move(new Settlement.Intend(lease, id(lease, label), window));
    }

    void done(Lease lease, String label, @Nullable String result) {
        done(lease, label, result, How.RAN);
    }

    void done(Lease lease, String label, @Nullable String result, How how) {
        intend(lease, label);
        move(new Settlement.Conclude(lease, id(lease, label), new EffectOutcome.Done(result, how)));
    }

    void notDone(Lease lease, String label, String reason) {
        intend(lease, label);
        move(new Settlement.Conclude(lease, id(lease, label), new EffectOutcome.NotDone(reason, How.RAN)));
    }

    void retry(Lease lease, String error) {
        move(new Settlement.Retry(lease, Duration.ZERO, error));
    }

    void fail(Lease lease, String error) {
        move(new Settlement.Fail(lease, false, error));
    }

    void complete(Lease lease, String result) {
        move(new Settlement.Complete(lease, result));
    }

    void park(Lease lease, String label) {
        move(new Settlement.Park(lease, id(lease, label), parkedBecause(label)));
    }

    static String parkedBecause(String label) {
        return "Parked, because it is unknown whether effect \"" + label
                + "\" happened: attempt 1 began it and left no outcome.";
    }

    private void move(Settlement move) {
        beforeEachMove.run();
        assertThat(store.settle(List.of(move))).containsExactly(Settled.APPLIED);
    }
}
