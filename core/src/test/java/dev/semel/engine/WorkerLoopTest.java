package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.RetryPolicy;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The rules of a worker in virtual time: which tasks it claims, how many, and how it treats handlers that never end.
 */
final class WorkerLoopTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String QUEUE = "q";

    private final ManualHost host = new ManualHost();
    private Duration storeAhead = Duration.ZERO;
    private final InMemoryTaskStore store =
            new InMemoryTaskStore(() -> host.time().plus(storeAhead));

    private WorkerLoop worker(int concurrency, TaskType<String, String> type) {
        return worker(store, concurrency, type);
    }

    private WorkerLoop worker(TaskStore on, int concurrency, TaskType<String, String> type) {
        WorkerLoop loop = new WorkerLoop(
                on,
                host,
                new WorkerSettings("w", Set.of(QUEUE), concurrency, 2_000, LEASE, Duration.ofSeconds(1), 3, 1L << 30),
                Handlers.builder().add(type, (context, input) -> input).build(),
                Codec.standard());
        loop.start();
        host.pass(Duration.ofMillis(10));
        return loop;
    }

    private static TaskType<String, String> type() {
        return TaskType.of("t", String.class, String.class);
    }

    private void submit(int number) {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            batch.add(new NewTask(
                    TaskId.next(host.clock(), host.random()),
                    Identity.DEFAULT_TENANT,
                    QUEUE,
                    "t",
                    "\"x\"",
                    NewTask.Start.now(),
                    TaskOptions.NONE,
                    null));
        }
        store.submit(batch);
    }

    /** Claims due tasks for another worker, which is then killed: their leases expire. */
    private void vanish(int number) {
        store.claim(new ClaimRequest(
                host.random().nextLong(), false, Set.of(QUEUE), Set.of("t"), number, number, number, LEASE, "dead"));
        host.pass(LEASE.plusSeconds(1));
    }

    private long count(TaskState state) {
        return store.list(TaskQuery.all(1_000)).tasks().stream()
                .map(Task::state)
                .filter(state::equals)
                .count();
    }

    /** Ends all running handlers, for a number of rounds, and returns how many ran at once in each round. */
    private List<Integer> rounds(int number) {
        List<Integer> running = new ArrayList<>();
        for (int round = 0; round < number; round++) {
            List<Runnable> now = host.running();
            running.add(now.size());
            now.forEach(host::end);
            host.pass(Duration.ofMillis(20));
        }
        return running;
    }

    @Test
    void tasksOfADeadWorkerStartWithOneAndDoubleWithEachThatEnds() {
        submit(500);
        vanish(500);
        worker(64, type());
        List<Integer> atOnce = rounds(6);
        assertThat(atOnce.subList(0, 2)).containsExactly(1, 2);
        assertThat(atOnce.get(2)).isBetween(3, 8);
        assertThat(atOnce.getLast()).isEqualTo(64);
    }

    @Test
    void aTaskThatVanishedTwiceRunsAsTheOnlySuspect() {
        submit(40);
        vanish(40);
        vanish(10);
        worker(64, type());
        int alone = 0;
        for (int round = 0; round < 60; round++) {
            List<Task> running = store.list(TaskQuery.all(1_000)).tasks().stream()
                    .filter(task -> task.state() == TaskState.RUNNING)
                    .toList();
            if (running.stream().anyMatch(task -> task.progress().vanished() > 1)) {
                assertThat(running).hasSize(1);
                alone++;
            }
            rounds(1);
        }
        assertThat(alone).isEqualTo(10);
        assertThat(count(TaskState.COMPLETED)).isEqualTo(40);
    }

    @Test
    void aTaskThatVanishedTwiceDoesNotStartBeforeOtherSuspectsAreReturned() {
        submit(20);
        vanish(20);
        vanish(20);
        List<Long> held = new ArrayList<>();
        // The handler that starts now may kill the process, and then all tasks vanish that the process holds a lease
        // of.
        host.whenStarting(() -> held.add(store.list(TaskQuery.all(1_000)).tasks().stream()
                .filter(task -> task.state() == TaskState.RUNNING
                        && task.progress().dueAt().isAfter(host.time()))
                .count()));
        worker(64, type());
        rounds(60);
        assertThat(held).hasSize(20).containsOnly(1L);
        assertThat(count(TaskState.COMPLETED)).isEqualTo(20);
    }

    @Test
    void aResultThatTheStoreRejectsFailsOnlyItsTask() {
        submit(20);
        TaskId guilty = store.list(TaskQuery.all(1_000)).tasks().get(7).id();
        worker(
                new ForwardingTaskStore(store) {
                    @Override
                    public List<Settled> settle(List<? extends Settlement> batch) {
                        if (batch.stream()
                                .anyMatch(settlement -> settlement instanceof Settlement.Complete complete
                                        && complete.lease().taskId().equals(guilty))) {
                            throw new IllegalStateException("such a result cannot be stored");
                        }
                        return super.settle(batch);
                    }
                },
                32,
                type());
        rounds(3);
        host.pass(LEASE.plusSeconds(10));
        assertThat(count(TaskState.COMPLETED)).isEqualTo(19);
        Task failed = store.find(List.of(guilty)).get(guilty);
        assertThat(failed.state()).isEqualTo(TaskState.FAILED);
        assertThat(failed.progress().lastError())
                .contains("The result could not be stored", "such a result cannot be stored");
    }

    @Test
    void aStoreThatIsUnusableForLongerThanALeaseFailsNoTask() {
        submit(20);
        boolean[] refuses = {false};
        boolean[] lastClaim = {false};
        worker(
                new ForwardingTaskStore(store) {
                    @Override
                    public Claims claim(ClaimRequest request) {
                        // Otherwise the worker claims its own expired tasks again, and nothing is left to settle.
                        if (lastClaim[0]) {
                            throw new StoreUnusable("the disk is mounted read-only");
                        }
                        return super.claim(request);
                    }

                    @Override
                    public List<Settled> settle(List<? extends Settlement> batch) {
                        if (refuses[0]) {
                            throw new StoreUnusable("the disk is mounted read-only");
                        }
                        return super.settle(batch);
                    }
                },
                32,
                type());
        refuses[0] = true;
        lastClaim[0] = true;
        rounds(1);
        host.pass(LEASE.multipliedBy(3));
        assertThat(count(TaskState.COMPLETED)).isZero();
        refuses[0] = false;
        host.pass(LEASE);
        assertThat(count(TaskState.COMPLETED)).isEqualTo(20);
    }

    @Test
    void aTaskThatCannotStartWithinASecondIsReturnedWithoutAFailure() {
        submit(300);
        worker(8, type());
        // Short handlers, one after the other: the worker starts to hold many tasks ahead.
        for (int i = 0; i < 12; i++) {
            host.running().forEach(host::end);
            host.pass(Duration.ofMillis(2));
        }
        assertThat(count(TaskState.RUNNING)).as("held ahead").isGreaterThan(16);
        // Now the handlers are slow, and the worker returns the tasks that it cannot start.
        host.pass(Duration.ofSeconds(2));
        assertThat(count(TaskState.RUNNING)).isEqualTo(8);
        assertThat(store.list(TaskQuery.all(1_000)).tasks())
                .allSatisfy(task -> assertThat(task.progress().failures()).isZero());
    }

    @Test
    void slowHandlersThatEndTogetherAreNotMistakenForFastOnes() {
        submit(300);
        worker(64, type());
        for (int i = 0; i < 3; i++) {
            host.pass(Duration.ofSeconds(2));
            assertThat(host.running()).hasSize(64);
            host.running().forEach(host::end);
            host.pass(Duration.ofMillis(5));
            if (count(TaskState.PENDING) > 0) {
                assertThat(count(TaskState.RUNNING)).isLessThanOrEqualTo(64 + 4);
            }
        }
    }

    @Test
    void handlersThatIgnoreTheirInterruptFreeTheirSlotsUntilThereAreTooMany() {
        TaskType<String, String> stubborn = TaskType.builder("t", String.class, String.class)
                .timeout(Duration.ofSeconds(1))
                .retry(RetryPolicy.attempts(1))
                .build();
        submit(20);
        worker(2, stubborn);
        host.pass(Duration.ofMinutes(2));
        List<Runnable> runaways = host.running();
        assertThat(runaways)
                .as("four for each slot, and the handlers that ran at that time; then the worker stops claiming")
                .hasSizeBetween(8, 9);
        assertThat(count(TaskState.TIMED_OUT)).isEqualTo(runaways.size());
        assertThat(count(TaskState.PENDING)).isEqualTo(20 - runaways.size());
        runaways.subList(7, runaways.size()).forEach(host::end);
        host.pass(Duration.ofMillis(100));
        assertThat(count(TaskState.RUNNING))
                .as("some have ended, so the worker continues")
                .isEqualTo(2);
        assertThat(count(TaskState.TIMED_OUT)).isEqualTo(runaways.size());
    }

    @Test
    void aHandlerThatLostItsLeaseAndIgnoresItsInterruptFreesItsSlot() {
        submit(2);
        worker(1, type());
        Runnable first = host.running().getFirst();
        // The store's clock jumps, and another worker takes over the expired lease.
        storeAhead = Duration.ofMinutes(1);
        store.claim(new ClaimRequest(
                host.random().nextLong(), false, Set.of(QUEUE), Set.of("t"), 2, 2, 2, Duration.ofDays(1), "thief"));
        submit(1);
        host.pass(Duration.ofSeconds(60));
        assertThat(host.running())
                .as("another handler runs beside the runaway")
                .hasSize(2)
                .contains(first);
    }
}
