package dev.semel.engine;

import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The ledger of a worker. Settlements are sent through its outbox, so that they share commits. */
final class WorkerLedger implements Ledger {

    private static final Duration BUSY_PAUSE = Duration.ofMillis(50);

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
        host.execute(() -> ask(lineage, answer, Outbox.FIRST_BACKOFF));
        return host.await(answer);
    }

    @Override
    public History history(History.Query query) throws InterruptedException {
        CompletableFuture<History> answer = new CompletableFuture<>();
        host.execute(() -> askHistory(query, answer, Outbox.FIRST_BACKOFF));
        return host.await(answer);
    }

    @Override
    public RandomGenerator random() {
        return host.random();
    }

    private void askHistory(History.Query query, CompletableFuture<History> answer, Duration backoff) {
        host.call(
                () -> store.histories(List.of(query)),
                found ->
                        answer.complete(Objects.requireNonNull(found.get(query.workflow()), "every query is answered")),
                thrown -> again(thrown, answer, backoff, next -> askHistory(query, answer, next)));
    }

    /** Repeats a call that the store did not answer. */
    private void again(Throwable thrown, CompletableFuture<?> answer, Duration backoff, Consumer<Duration> repeat) {
        if (thrown instanceof StoreUnavailable || thrown instanceof StoreUnusable) {
            host.later(backoff, () -> repeat.accept(Outbox.longer(backoff)));
        } else {
            answer.completeExceptionally(thrown);
        }
    }

    /** Repeats the call until the store answers, as for a settlement, so that an outage does not fail the attempt. */
    private void ask(TaskId lineage, CompletableFuture<List<EffectRecord>> answer, Duration backoff) {
        host.call(
                () -> store.effects(List.of(lineage)),
                found -> answer.complete(found.getOrDefault(lineage, List.of())),
                thrown -> again(thrown, answer, backoff, next -> ask(lineage, answer, next)));
    }
}
