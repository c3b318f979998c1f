package dev.semel.engine;

import dev.semel.store.Applied;
import dev.semel.store.EffectRecord;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The ledger of a worker: moves go through its outbox, so that they share its commits. */
final class WorkerLedger implements Ledger {

    private final TaskStore store;
    private final WorkerHost host;
    private final Outbox outbox;

    WorkerLedger(TaskStore store, WorkerHost host, Outbox outbox) {
        this.store = store;
        this.host = host;
        this.outbox = outbox;
    }

    @Override
    public Applied record(Transition move) throws InterruptedException {
        CompletableFuture<Applied> answer = new CompletableFuture<>();
        host.execute(() -> {
            outbox.put(move, answer::complete);
            outbox.send();
        });
        return host.await(answer);
    }

    @Override
    public void recordSoon(Transition move, Consumer<Applied> answered) {
        host.execute(() -> outbox.putSoon(move, answered));
    }

    @Override
    public void flush() throws InterruptedException {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        host.execute(() -> {
            outbox.afterAll(() -> done.complete(true));
            outbox.flush();
        });
        host.await(done);
    }

    @Override
    public List<EffectRecord> read(TaskId lineage) throws InterruptedException {
        CompletableFuture<List<EffectRecord>> answer = new CompletableFuture<>();
        host.execute(() -> ask(lineage, answer, Outbox.FIRST_BACKOFF));
        return host.await(answer);
    }

    /** Asks until there is an answer, as for every move: an answer that got lost costs no attempt. */
    private void ask(TaskId lineage, CompletableFuture<List<EffectRecord>> answer, Duration backoff) {
        host.call(
                () -> store.effects(List.of(lineage)),
                found -> answer.complete(found.getOrDefault(lineage, List.of())),
                thrown -> {
                    if (thrown instanceof StoreUnavailable || thrown instanceof StoreUnusable) {
                        host.later(backoff, () -> ask(lineage, answer, Outbox.longer(backoff)));
                    } else {
                        answer.completeExceptionally(thrown);
                    }
                });
    }
}
