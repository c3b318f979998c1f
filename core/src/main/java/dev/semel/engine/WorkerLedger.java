package dev.semel.engine;

import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The ledger of a worker. Settlements are sent through its outbox, so that they share commits. */
final class WorkerLedger implements Ledger {

    private static final Duration BUSY_PAUSE = Duration.ofMillis(50);

    private final WorkerHost host;
    private final Outbox outbox;
    private final ReadBatcher<TaskId, List<EffectRecord>> effects;
    private final ReadBatcher<History.Query, History> histories;

    WorkerLedger(TaskStore store, WorkerHost host, Outbox outbox) {
        this.host = host;
        this.outbox = outbox;
        this.effects = new ReadBatcher<>(host, store::effects, lineage -> lineage, Optional.of(List.of()));
        this.histories = new ReadBatcher<>(host, store::histories, History.Query::workflow, Optional.empty());
    }

    @Override
    public Settled record(Settlement settlement) throws InterruptedException {
        CompletableFuture<Settled> answer = new CompletableFuture<>();
        host.execute(() -> put(settlement, answer));
        return host.await(answer);
    }

    /** Sends a settlement, again and again while a transaction of a caller holds what it needs. */
    private void put(Settlement settlement, CompletableFuture<Settled> answer) {
        outbox.put(settlement, given -> {
            if (given == Settled.BUSY) {
                host.later(BUSY_PAUSE, () -> put(settlement, answer));
            } else {
                answer.complete(given);
            }
        });
        outbox.send();
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
        host.execute(() -> effects.ask(lineage, answer));
        return host.await(answer);
    }

    @Override
    public History history(History.Query query) throws InterruptedException {
        CompletableFuture<History> answer = new CompletableFuture<>();
        host.execute(() -> histories.ask(query, answer));
        return host.await(answer);
    }

    @Override
    public RandomGenerator random() {
        return host.random();
    }
}
