package dev.semel.engine;

import dev.semel.store.EffectRecord;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The ledger of a worker. Settlements are sent through its outbox, so that they share commits. */
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
    public Settled record(Settlement settlement) throws InterruptedException {
        CompletableFuture<Settled> answer = new CompletableFuture<>();
        host.execute(() -> {
            outbox.put(settlement, answer::complete);
            outbox.send();
        });
        return host.await(answer);
    }

    @Override
    public void recordSoon(Settlement settlement, Consumer<Settled> answered) {
        host.execute(() -> outbox.putSoon(settlement, answered));
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

    /** Repeats the call until the store answers, as for a settlement, so that an outage does not fail the attempt. */
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
