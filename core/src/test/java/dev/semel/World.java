package dev.semel;

import static org.awaitility.Awaitility.await;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** An instance on a store in memory, whose clock a test can set and whose answers it can lose. */
final class World implements AutoCloseable {

    final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-27T12:00:00Z"));
    final TaskStore store = new InMemoryTaskStore(now::get);
    final AtomicInteger lose = new AtomicInteger();
    final AtomicInteger busy = new AtomicInteger();
    final AtomicInteger settles = new AtomicInteger();
    // How many advances that are followed by a wait are still answered as full.
    final AtomicInteger full = new AtomicInteger();
    // The kinds of settlements of each call.
    final List<List<String>> settled = new CopyOnWriteArrayList<>();
    private final AtomicLong ticks = new AtomicLong(1_769_515_200_000L);

    // Each reading of the clock is a millisecond later, so that ids rise in the order of their creation.
    final Semel semel = Semel.on(new Losing())
            .clock(() -> Instant.ofEpochMilli(ticks.incrementAndGet()))
            .build();

    void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    Task task(TaskId id) {
        return Objects.requireNonNull(store.find(List.of(id)).get(id));
    }

    Task awaitState(TaskId id, TaskState state) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(20))
                .until(() -> task(id).state() == state);
        return task(id);
    }

    @Override
    public void close() {
        semel.close();
    }

    /** A store that does its work and then loses its answer a given number of times. */
    private final class Losing extends ForwardingTaskStore {

        Losing() {
            super(store);
        }

        private <T> T answer(Supplier<T> call) {
            T answer = call.get();
            if (lose.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new StoreUnavailable("The answer was lost");
            }
            return answer;
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            if (busy.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return batch.stream()
                        .map(item -> (Submitted) new Submitted.Busy())
                        .toList();
            }
            return answer(() -> store.submit(batch));
        }

        @Override
        public Claims claim(ClaimRequest request) {
            return answer(() -> store.claim(request));
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            settles.incrementAndGet();
            settled.add(batch.stream()
                    .map(settlement -> settlement.getClass().getSimpleName())
                    .toList());
            if (batch.size() == 2
                    && batch.getFirst() instanceof Settlement.Advance
                    && full.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return List.of(Settled.FULL, Settled.FULL);
            }
            return answer(() -> store.settle(batch));
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            return answer(() -> store.operate(batch));
        }
    }
}
