package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardState;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.guard.KeyExtractor;
import dev.semel.guard.WhenBusy;
import dev.semel.metrics.MicrometerChecks;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.InvalidInput;
import dev.semel.task.RetryPolicy;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of guarded handlers, and of the checks that submissions report to an observer. */
@Timeout(180)
class GuardedTaskTest {

    record Charge(String order, int sent) {}

    private static final TaskType<Charge, String> CHARGE = TaskType.builder("charge", Charge.class, String.class)
            .retry(RetryPolicy.delays(Duration.ofMillis(1)))
            .build();
    private static final KeyExtractor<Charge> BY_ORDER = KeyExtractor.typeAndId("charge", Charge::order);
    private static final Duration SOON = Duration.ofSeconds(20);

    private final AtomicInteger effects = new AtomicInteger();
    private final InMemoryGuardStore store = new InMemoryGuardStore();

    @Test
    void aTaskThatIsSubmittedAgainSkipsTheEffectAndReusesTheResult() {
        try (Guard guard = Guard.on(store).build();
                Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            semel.worker("default")
                    .handle(CHARGE, guard, BY_ORDER, (context, charge) -> "receipt " + effects.incrementAndGet())
                    .start();
            for (int sent = 0; sent < 3; sent++) {
                assertThat(semel.submit(CHARGE, new Charge("ORD-1", sent))
                                .send()
                                .result(SOON))
                        .isEqualTo("receipt 1");
            }
            assertThat(semel.submit(CHARGE, new Charge("ORD-2", 0)).send().result(SOON))
                    .isEqualTo("receipt 2");
            assertThat(semel.submit(CHARGE, new Charge("ORD-1", 0))
                            .tenant("acme")
                            .send()
                            .result(SOON))
                    .as("another tenant")
                    .isEqualTo("receipt 3");
            assertThat(guard.find("charge#ORD-1").map(GuardEntry::state)).contains(GuardState.SUCCESS);
        }
    }

    @Test
    void aFailedAttemptRunsAgain() {
        try (Guard guard = Guard.on(store).build();
                Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            semel.worker("default")
                    .handle(CHARGE, guard, BY_ORDER, (context, charge) -> {
                        if (effects.incrementAndGet() == 1) {
                            throw new IllegalStateException("no");
                        }
                        return "second";
                    })
                    .start();
            assertThat(semel.submit(CHARGE, new Charge("ORD-1", 0)).send().result(SOON))
                    .isEqualTo("second");
        }
    }

    @Test
    void aGuardThatSkipsDoesNotCompleteATaskWhoseEffectFailsElsewhere() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Guard guard = Guard.on(store).remember(0).whenBusy(WhenBusy.SKIP).build();
                World world = new World()) {
            CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> guard.run("charge#ORD-1", token -> {
                busy.countDown();
                awaited(go);
                throw new IllegalStateException("it fails after all");
            }));
            busy.await();
            Submission<String> task =
                    world.semel.submit(CHARGE, new Charge("ORD-1", 0)).send();
            world.semel
                    .worker("default")
                    .handle(CHARGE, guard, BY_ORDER, (context, charge) -> "receipt " + effects.incrementAndGet())
                    .start();
            Awaitility.await().atMost(SOON).until(() -> {
                world.pass(Duration.ofSeconds(2)); // past its snooze, which the store's clock ends
                return world.task(task.taskId()).progress().attempt() > 1;
            });
            go.countDown();
            assertThat(other).failsWithin(SOON);
            Awaitility.await().atMost(SOON).until(() -> {
                world.pass(Duration.ofSeconds(2));
                return world.task(task.taskId()).state() == TaskState.COMPLETED;
            });
            assertThat(task.result(SOON)).isEqualTo("receipt 1");
        }
    }

    @Test
    void aTaskWhoseEffectIsInProgressElsewhereIsPutBackAtNoCost() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Guard guard = Guard.on(store)
                        .remember(0)
                        .lease(Duration.ofMillis(150))
                        .build();
                World world = new World()) {
            CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> guard.run("charge#ORD-1", token -> {
                busy.countDown();
                awaited(go);
            }));
            busy.await();
            Submission<String> task =
                    world.semel.submit(CHARGE, new Charge("ORD-1", 0)).send();
            world.semel
                    .worker("default")
                    .handle(CHARGE, guard, BY_ORDER, (context, charge) -> "never")
                    .start();
            Awaitility.await()
                    .until(() -> world.task(task.taskId()).progress().attempt() == 1
                            && world.task(task.taskId()).state() == TaskState.PENDING);
            go.countDown();
            assertThat(other.get(20, TimeUnit.SECONDS)).isTrue();
            world.pass(Duration.ofMinutes(1));
            assertThat(task.result(SOON)).isNull();
            assertThat(world.task(task.taskId()).progress().failures()).isZero();
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aGuardThatCannotRecordDoesNotMakeTheTaskRunAgain() {
        InMemoryGuardStore forgetting = new InMemoryGuardStore(new InstantSource() {
            private final AtomicInteger looks = new AtomicInteger();

            @Override
            public Instant instant() {
                // Each reading of the clock is ten days later, so every hold has expired when it is settled.
                return Instant.EPOCH.plus(Duration.ofDays(10L * looks.incrementAndGet()));
            }
        });
        try (Guard guard = Guard.on(forgetting).build();
                Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            semel.worker("default")
                    .handle(CHARGE, guard, BY_ORDER, (context, charge) -> "receipt " + effects.incrementAndGet())
                    .start();
            assertThat(semel.submit(CHARGE, new Charge("ORD-1", 0)).send().result(SOON))
                    .isEqualTo("receipt 1");
            assertThat(effects).hasValue(1);
        }
    }

    @Test
    void nullIsAnsweredWhenTheHandlerIsAdded() {
        try (Guard guard = Guard.on(store).build();
                Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            assertThatThrownBy(() -> semel.worker("default").handle(CHARGE, null, BY_ORDER, (context, charge) -> ""))
                    .isInstanceOf(InvalidInput.class);
            assertThatThrownBy(() -> semel.worker("default").handle(CHARGE, guard, null, (context, charge) -> ""))
                    .isInstanceOf(InvalidInput.class);
            assertThatThrownBy(() -> semel.worker("default").handle(CHARGE, guard, BY_ORDER, null))
                    .isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    void submissionsWithKeysAreCountedInPrometheus() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        AtomicInteger failing = new AtomicInteger();
        InMemoryTaskStore tasks = new InMemoryTaskStore();
        try (Semel semel = Semel.on(new ForwardingTaskStore(tasks) {
                    @Override
                    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
                        if (failing.get() > 0) {
                            throw new StoreUnavailable("down");
                        }
                        return super.submit(batch);
                    }
                })
                .observer(new MicrometerChecks(registry))
                .build()) {
            semel.submit(CHARGE, new Charge("a", 1)).idempotencyKey("k").send();
            semel.submit(CHARGE, new Charge("a", 1)).idempotencyKey("k").send();
            semel.submitAll(List.of(
                    semel.submit(CHARGE, new Charge("a", 1)).idempotencyKey("k"),
                    semel.submit(CHARGE, new Charge("b", 1)).idempotencyKey("other"),
                    semel.submit(CHARGE, new Charge("none", 1))));
            assertThatThrownBy(() -> semel.submit(CHARGE, new Charge("a", 2))
                            .idempotencyKey("k")
                            .send())
                    .isInstanceOf(IdempotencyConflict.class);
            failing.set(1);
            assertThatThrownBy(() -> semel.submit(CHARGE, new Charge("a", 1))
                            .idempotencyKey("k")
                            .send())
                    .isInstanceOf(StoreUnavailable.class);
        }
        assertThat(registry.scrape().lines())
                .contains(
                        "idempotency_check_total{result=\"new\"} 2.0",
                        "idempotency_check_total{result=\"duplicate\"} 2.0",
                        "idempotency_check_total{result=\"conflict\"} 1.0",
                        "idempotency_check_total{result=\"error\"} 1.0",
                        "idempotency_check_duration_seconds_count{result=\"new\"} 2");
    }
}
