package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Regression tests for bugs between a handler and its effects ledger that the simulation found. */
class EffectsUnderTroubleTest {

    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO, Duration.ZERO))
            .build();

    private static Task awaitEnd(TaskStore store, TaskId id) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(20))
                .until(() -> !task(store, id).state().isOpen());
        return task(store, id);
    }

    private static Task task(TaskStore store, TaskId id) {
        return Objects.requireNonNull(store.find(List.of(id)).get(id));
    }

    @Test
    void aLostAnswerToAReadOfTheLedgerCostsNoAttempt() {
        AtomicInteger lost = new AtomicInteger();
        TaskStore store = new ForwardingTaskStore(new InMemoryTaskStore(Clock.systemUTC())) {
            @Override
            public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
                if (lost.incrementAndGet() <= 2) {
                    throw new StoreUnavailable("The answer was lost");
                }
                return super.effects(lineages);
            }
        };
        try (Semel semel = Semel.on(store).build()) {
            TaskId id = semel.submit(WORK, "x").send().taskId();
            semel.worker("default")
                    .handle(WORK, (context, input) -> {
                        String receipt = context.effect("charge", String.class, token -> "paid");
                        if (context.attempt() == 1) {
                            throw new IOException("after the effect");
                        }
                        return receipt;
                    })
                    .start();
            Task done = awaitEnd(store, id);
            assertThat(done.state()).isEqualTo(TaskState.COMPLETED);
            assertThat(done.progress().attempt()).isEqualTo(2);
            assertThat(lost.get()).isGreaterThan(2);
        }
    }

    @Test
    void anInterruptedIntentDoesNotSayThatNothingHappenedBefore() {
        TaskType<String, String> hasty = TaskType.builder("hasty", String.class, String.class)
                .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .timeout(Duration.ofMillis(200))
                .build();
        CountDownLatch interrupted = new CountDownLatch(1);
        TaskStore store = new ForwardingTaskStore(new InMemoryTaskStore(Clock.systemUTC())) {
            @Override
            public List<Settled> settle(List<? extends Settlement> batch) {
                boolean second = batch.stream()
                        .anyMatch(settlement -> settlement instanceof Settlement.Intend intend
                                && intend.lease().attempt() == 2);
                if (second) {
                    awaitUninterruptibly(interrupted);
                }
                return super.settle(batch);
            }
        };
        List<EffectState> seen = new CopyOnWriteArrayList<>();
        try (Semel semel = Semel.on(store).build()) {
            TaskId id = semel.submit(hasty, "x").send().taskId();
            semel.worker("default")
                    .handle(hasty, (context, input) -> {
                        if (context.attempt() == 3) {
                            semel.effects().of(id).forEach(effect -> seen.add(effect.state()));
                            return "seen";
                        }
                        try {
                            return context.effect("charge", String.class, token -> {
                                throw new IOException("charged, and no answer");
                            });
                        } catch (CancellationException e) {
                            interrupted.countDown();
                            throw e;
                        }
                    })
                    .start();
            assertThat(awaitEnd(store, id).state()).isEqualTo(TaskState.COMPLETED);
            assertThat(seen).containsExactly(EffectState.UNKNOWN);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aTaskThatIsMadeAgainAfterItWasSweptFindsWhatItsLineageRecorded() {
        AtomicInteger calls = new AtomicInteger();
        try (World world = new World()) {
            world.semel
                    .worker("default")
                    .handle(WORK, (context, input) -> {
                        String receipt =
                                context.effect("charge", String.class, token -> "receipt " + calls.incrementAndGet());
                        if (calls.get() == 1 && context.run() < 3) {
                            throw new PermanentFailure("later");
                        }
                        return receipt;
                    })
                    .start();
            SubmissionRequest<String, String> first =
                    world.semel.submit(WORK, "x").idempotencyKey("k");
            TaskId id = first.send().taskId();
            world.awaitState(id, TaskState.FAILED);
            world.pass(Duration.ofDays(10));
            TaskId rerun = world.semel
                    .submit(WORK, "x")
                    .idempotencyKey("k")
                    .idempotencyTtl(Duration.ofHours(1))
                    .send()
                    .taskId();
            world.awaitState(rerun, TaskState.FAILED);
            world.pass(Duration.ofHours(2));
            world.store.sweep(new SweepRequest(Duration.ofDays(5), Map.of(), Duration.ofDays(5), 100));
            assertThat(world.store.find(List.of(id, rerun))).containsOnlyKeys(rerun);

            // The same submission once more: it creates a new task, of the lineage that the rerun continues.
            assertThat(first.send().taskId()).isEqualTo(id);
            world.awaitState(id, TaskState.FAILED);
            assertThat(calls).hasValue(1);
        }
    }
}
