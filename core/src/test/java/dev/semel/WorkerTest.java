package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Handler;
import dev.semel.engine.RawJson;
import dev.semel.engine.TaskContext;
import dev.semel.engine.Worker;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.InvalidInput;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration SHORT_LEASE = Duration.ofMillis(150);
    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO))
            .build();

    private final World world = new World();
    private final Semel semel = world.semel;

    @AfterEach
    void close() {
        world.close();
    }

    private Worker start(Handler<String, String> handler) {
        return semel.worker("default").name("w1").handle(WORK, handler).start();
    }

    private TaskId submit(String input) {
        return semel.submit(WORK, input).send().taskId();
    }

    @Test
    void aFailingTaskIsRetriedAndFinallyFailsWithItsWholeHistory() {
        TaskId id = submit("x");
        start((context, input) -> {
            throw new IllegalStateException("attempt " + context.attempt() + " of run " + context.run());
        });
        Task failed = world.awaitState(id, TaskState.FAILED);
        assertThat(failed.progress().failures()).isEqualTo(3);
        assertThat(failed.progress().lastError()).contains("attempt 3 of run 1");
        List<Attempt> attempts = world.store.attempts(id);
        assertThat(attempts).extracting(Attempt::number).containsExactly(1, 2, 3);
        assertThat(attempts)
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.RETRIED, Attempt.Outcome.RETRIED, Attempt.Outcome.FAILED);
        assertThat(attempts).extracting(Attempt::worker).containsOnly("w1");
        assertThat(attempts.get(1).error()).contains("attempt 2");
    }

    @Test
    void aPermanentFailureIsNotRetried() {
        TaskId id = submit("x");
        start((context, input) -> {
            throw new PermanentFailure("never");
        });
        assertThat(world.awaitState(id, TaskState.FAILED).progress().attempt()).isEqualTo(1);
    }

    @Test
    void aTaskMayHaveARetryPolicyOfItsOwn() {
        TaskId id =
                semel.submit(WORK, "x").retry(RetryPolicy.attempts(1)).send().taskId();
        start((context, input) -> {
            throw new IllegalStateException();
        });
        assertThat(world.awaitState(id, TaskState.FAILED).progress().attempt()).isEqualTo(1);
    }

    @Test
    void aSnoozeCostsNoFailure() {
        TaskId id = submit("x");
        start((context, input) -> {
            if (context.attempt() <= 10) {
                throw context.snooze(Duration.ZERO);
            }
            return "done";
        });
        Task done = world.awaitState(id, TaskState.COMPLETED);
        assertThat(done.progress().failures()).isZero();
        assertThat(done.progress().attempt()).isEqualTo(11);
    }

    @Test
    void aDelayedTaskStartsWhenTheStoresClockSaysSo() {
        TaskId later =
                semel.submit(WORK, "x").delay(Duration.ofMinutes(5)).send().taskId();
        TaskId at = semel.submit(WORK, "x")
                .runAt(world.now.get().plus(Duration.ofMinutes(5)))
                .send()
                .taskId();
        Set<TaskId> ran = ConcurrentHashMap.newKeySet();
        semel.worker("default")
                .poll(Duration.ofMillis(5))
                .handle(WORK, (context, input) -> {
                    ran.add(context.taskId());
                    return input;
                })
                .start();
        world.awaitState(submit("now"), TaskState.COMPLETED);
        assertThat(ran).doesNotContain(later, at);
        world.pass(Duration.ofMinutes(5));
        world.awaitState(later, TaskState.COMPLETED);
        world.awaitState(at, TaskState.COMPLETED);
    }

    @Test
    void anAttemptThatRunsTooLongIsInterruptedAndFinallyTimesOut() {
        TaskType<String, String> slow = TaskType.builder("slow", String.class, String.class)
                .timeout(Duration.ofMillis(30))
                .retry(RetryPolicy.delays(Duration.ZERO))
                .build();
        TaskId id = semel.submit(slow, "x").send().taskId();
        CountDownLatch never = new CountDownLatch(1);
        List<Boolean> lost = new ArrayList<>();
        semel.worker("default")
                .handle(slow, (context, input) -> {
                    assertThat(context.deadline()).isPresent();
                    try {
                        never.await();
                    } finally {
                        lost.add(context.isLost());
                    }
                    return "";
                })
                .start();
        Task ended = world.awaitState(id, TaskState.TIMED_OUT);
        assertThat(ended.progress().failures()).isEqualTo(2);
        assertThat(ended.progress().lastError()).contains("longer than its timeout of 30ms");
        assertThat(lost).containsExactly(true, true);
    }

    @Test
    void aHandlerThatDoesNotEndWhenInterruptedIsLeftBehind() {
        TaskType<String, String> stubborn = TaskType.builder("stubborn", String.class, String.class)
                .timeout(Duration.ofMillis(20))
                .retry(RetryPolicy.attempts(1))
                .build();
        CountDownLatch end = new CountDownLatch(1);
        TaskId id = semel.submit(stubborn, "x").send().taskId();
        Worker worker = semel.worker("default")
                .concurrency(1)
                .handle(stubborn, (context, input) -> {
                    boolean ended = false;
                    while (!ended) {
                        try {
                            ended = end.await(1, TimeUnit.MINUTES);
                        } catch (InterruptedException e) {
                            // stubborn
                        }
                    }
                    return "late";
                })
                .handle(WORK, (context, input) -> "next")
                .start();
        world.awaitState(id, TaskState.TIMED_OUT);
        world.awaitState(submit("y"), TaskState.COMPLETED);
        end.countDown();
        worker.close();
        assertThat(world.task(id).state()).isEqualTo(TaskState.TIMED_OUT);
    }

    @Test
    void whatCannotBeStoredFailsTheTaskWithoutARetry() {
        Map<String, Object> results =
                Map.of("huge", "x".repeat(1 << 20), "nan", Double.NaN, "cycle", new Cycle(), "surrogate", "\uD800");
        TaskType<String, Object> odd = TaskType.builder("odd", String.class, Object.class)
                .retry(RetryPolicy.delays(Duration.ZERO))
                .build();
        semel.worker("default")
                .handle(odd, (context, input) -> results.get(input))
                .start();
        for (String name : results.keySet()) {
            Task failed = world.awaitState(semel.submit(odd, name).send().taskId(), TaskState.FAILED);
            assertThat(failed.progress().failures()).as(name).isEqualTo(1);
            assertThat(failed.progress().lastError()).as(name).isNotBlank();
        }
    }

    static final class Cycle {
        public Cycle getSelf() {
            return this;
        }
    }

    @Test
    void anInputThatDoesNotFitTheClassIsAFailureLikeAnother() {
        TaskType<RawJson, String> raw = TaskType.of("numbers", RawJson.class, String.class);
        TaskType<Integer, String> typed = TaskType.builder("numbers", Integer.class, String.class)
                .retry(RetryPolicy.attempts(1))
                .build();
        TaskId id = semel.submit(raw, new RawJson("\"s3cr3t\"")).send().taskId();
        semel.worker("default").handle(typed, (context, input) -> "").start();
        Task failed = world.awaitState(id, TaskState.FAILED);
        assertThat(failed.progress().lastError())
                .contains("does not fit java.lang.Integer")
                .doesNotContain("s3cr3t");
    }

    @Test
    void errorsOfTheJvmAreFailuresToo() {
        TaskId id = submit("x");
        start((context, input) -> {
            if (context.attempt() == 1) {
                throw new StackOverflowError();
            }
            return "fine";
        });
        assertThat(world.awaitState(id, TaskState.COMPLETED).progress().failures())
                .isEqualTo(1);
    }

    @Test
    void aWorkerLeavesTypesThatItDoesNotKnow() {
        TaskType<String, String> unknown = TaskType.of("unknown", String.class, String.class);
        TaskId stays = semel.submit(unknown, "x").send().taskId();
        start((context, input) -> "done");
        world.awaitState(submit("x"), TaskState.COMPLETED);
        assertThat(world.task(stays).state()).isEqualTo(TaskState.PENDING);
        assertThat(world.task(stays).progress().attempt()).isZero();
    }

    @Test
    void aWorkerForAnyTypeTakesAll() {
        TaskType<RawJson, RawJson> any = TaskType.of("any", RawJson.class, RawJson.class);
        TaskId id = submit("hello");
        semel.worker("default")
                .handleAny(any, (context, input) -> new RawJson("[" + input.text() + ",\"" + context.type() + "\"]"))
                .start();
        assertThat(world.awaitState(id, TaskState.COMPLETED).progress().result())
                .isEqualTo("[\"hello\",\"work\"]");
    }

    @Test
    void aLostLeaseIsReportedToTheHandlerAndItsOutcomeIsRejected() throws Exception {
        TaskId id = submit("x");
        CompletableFuture<TaskContext> begun = new CompletableFuture<>();
        CountDownLatch interrupted = new CountDownLatch(1);
        semel.worker("default")
                .lease(SHORT_LEASE)
                .handle(WORK, (context, input) -> {
                    begun.complete(context);
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    return "zombie";
                })
                .start();
        TaskContext context = begun.get(20, TimeUnit.SECONDS);
        world.pass(Duration.ofMinutes(1));
        Claims stolen = steal();
        assertThat(stolen.tasks()).hasSize(1);
        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(context.isLost()).isTrue();
        world.store.settle(
                List.of(new Settlement.Complete(stolen.tasks().getFirst().lease(), "\"successor\"")));
        Task done = world.task(id);
        assertThat(done.progress().result()).isEqualTo("\"successor\"");
        assertThat(done.progress().attempt()).isEqualTo(2);
    }

    private Claims steal() {
        return world.store.claim(
                new ClaimRequest(4711, false, Set.of("default"), null, 10, 10, Duration.ofMinutes(10), "thief"));
    }

    @Test
    void aLeaseIsExtendedForAsLongAsTheHandlerRuns() throws Exception {
        submit("x");
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Integer> begun = new CompletableFuture<>();
        semel.worker("default")
                .lease(SHORT_LEASE)
                .handle(WORK, (context, input) -> {
                    begun.complete(context.attempt());
                    end.await();
                    return "done";
                })
                .start();
        begun.get(20, TimeUnit.SECONDS);
        // The store's clock stands still between these steps, so each extension is seen as a later end of the lease.
        for (int i = 0; i < 5; i++) {
            world.pass(Duration.ofMillis(60));
            await().atMost(SOON).until(() -> {
                Task task = world.store.list(TaskQuery.all(1)).tasks().getFirst();
                return world.now.get().plus(SHORT_LEASE).equals(task.progress().dueAt());
            });
            assertThat(steal().tasks()).isEmpty();
        }
        end.countDown();
    }

    @Test
    void aCancelledTaskTellsItsHandlerAndEndsAsCancelled() throws Exception {
        TaskId id = submit("x");
        CompletableFuture<TaskContext> begun = new CompletableFuture<>();
        semel.worker("default")
                .lease(SHORT_LEASE)
                .handle(WORK, (context, input) -> {
                    begun.complete(context);
                    new CountDownLatch(1).await();
                    return "";
                })
                .start();
        TaskContext context = begun.get(20, TimeUnit.SECONDS);
        world.store.operate(List.of(new Operation.Cancel(id)));
        world.awaitState(id, TaskState.CANCELLED);
        assertThat(context.isCancelled()).isTrue();
    }

    @Test
    void aTaskWhoseAttemptsVanishIsBuriedUnrun() {
        TaskId id = submit("poison");
        for (int i = 0; i < 3; i++) {
            assertThat(steal().tasks()).hasSize(1);
            world.pass(Duration.ofHours(1));
        }
        AtomicInteger ran = new AtomicInteger();
        start((context, input) -> "ran " + ran.incrementAndGet());
        Task failed = world.awaitState(id, TaskState.FAILED);
        assertThat(ran).hasValue(0);
        assertThat(failed.progress().vanished()).isEqualTo(3);
        assertThat(failed.progress().lastError()).contains("3 attempts vanished");
    }

    @Test
    void lostAnswersNeitherLoseNorRepeatWork() {
        Map<TaskId, AtomicInteger> ran = new ConcurrentHashMap<>();
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            ids.add(submit("t" + i));
        }
        world.lose.set(6);
        start((context, input) -> {
            ran.computeIfAbsent(context.taskId(), key -> new AtomicInteger()).incrementAndGet();
            return input;
        });
        ids.forEach(id -> world.awaitState(id, TaskState.COMPLETED));
        assertThat(world.lose).hasValue(0);
        assertThat(ids).allSatisfy(id -> {
            assertThat(ran.get(id)).hasValue(1);
            assertThat(world.task(id).progress().attempt()).isEqualTo(1);
        });
    }

    @Test
    void closingReturnsWhatHasNotBegunAndWhatDoesNotEndInTime() throws Exception {
        for (int i = 0; i < 500; i++) {
            submit("quick");
        }
        CountDownLatch blocked = new CountDownLatch(1);
        AtomicInteger quick = new AtomicInteger();
        Worker worker = semel.worker("default")
                .concurrency(4)
                .closeGrace(Duration.ofMillis(20))
                .handle(WORK, (context, input) -> {
                    if (quick.incrementAndGet() > 300) {
                        blocked.countDown();
                        new CountDownLatch(1).await();
                    }
                    return "";
                })
                .start();
        assertThat(blocked.await(20, TimeUnit.SECONDS)).isTrue();
        worker.close();
        List<Task> all = world.store.list(TaskQuery.all(1_000)).tasks();
        assertThat(all).filteredOn(task -> task.state() == TaskState.COMPLETED).hasSize(300);
        assertThat(all)
                .filteredOn(task -> task.state() != TaskState.COMPLETED)
                .hasSize(200)
                .allSatisfy(task -> {
                    assertThat(task.state()).isEqualTo(TaskState.PENDING);
                    assertThat(task.progress().failures()).isZero();
                    assertThat(task.progress().vanished()).isZero();
                });
        worker.close();
    }

    @Test
    void closingWaitsForHandlersThatEndInTime() throws Exception {
        TaskId id = submit("x");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Worker worker = start((context, input) -> {
            begun.countDown();
            end.await();
            return "in time";
        });
        begun.await();
        Thread closing = Thread.ofVirtual().start(worker::close);
        end.countDown();
        closing.join();
        assertThat(world.task(id).state()).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    void tokensAreTheSameOverRetriesAndReruns() {
        Set<String> tokens = ConcurrentHashMap.newKeySet();
        AtomicInteger ran = new AtomicInteger();
        Handler<String, String> handler = (context, input) -> {
            tokens.add(context.token("gateway"));
            if (ran.incrementAndGet() < 5) {
                throw new IllegalStateException();
            }
            return "paid";
        };
        TaskId first = semel.submit(WORK, "x").idempotencyKey("k").send().taskId();
        start(handler);
        world.awaitState(first, TaskState.FAILED);
        Submission<String> second = semel.submit(WORK, "x").idempotencyKey("k").send();
        assertThat(second.run()).isEqualTo(2);
        assertThat(second.taskId()).isNotEqualTo(first);
        assertThat(second.result(SOON)).isEqualTo("paid");
        assertThat(tokens).hasSize(1);
        assertThat(world.task(first).state()).isEqualTo(TaskState.FAILED);
    }

    @Test
    void aWorkerWithoutSenseIsRefused() {
        assertThatThrownBy(() -> semel.worker("default").start()).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> semel.worker("no good")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> startWithConcurrency(0)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() ->
                        semel.worker("q").handle(WORK, (context, input) -> "").handle(WORK, (context, input) -> ""))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"work\"");
        assertThatThrownBy(() -> semel.worker("q")
                        .handle(WORK, (context, input) -> "")
                        .lease(Duration.ofMillis(1))
                        .start())
                .isInstanceOf(InvalidInput.class);
    }

    private void startWithConcurrency(int concurrency) {
        semel.worker("q")
                .handle(WORK, (context, input) -> "")
                .concurrency(concurrency)
                .start();
    }
}
