package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Attempt;
import dev.semel.store.Claims;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreInvariantsTest {

    private final ManualClock clock = new ManualClock();
    private final TaskStore store = new InMemoryTaskStore(clock);
    private final RisingIds ids = new RisingIds(clock);

    /** A task that was retried, one that runs replaced, and its successor that waits. */
    @BeforeEach
    void fill() {
        store.submit(List.of(Draft.keyed("k").as(ids.next())));
        Lease first = store.claim(ClaimDraft.from(Draft.QUEUE).as(1))
                .tasks()
                .getFirst()
                .lease();
        store.settle(List.of(new Settlement.Retry(first, Duration.ZERO, "again")));
        store.claim(ClaimDraft.from(Draft.QUEUE).as(2));
        store.submit(List.of(
                Draft.keyed("k").replacing().as(ids.next()), Draft.plain().as(ids.next())));
    }

    @Test
    void aSoundStorePassesAndIsDrained() {
        assertThatCode(() -> StoreInvariants.check(store)).doesNotThrowAnyException();
        assertThatCode(() -> StoreInvariants.drain(store, clock)).doesNotThrowAnyException();
        assertThatCode(() -> StoreInvariants.check(store)).doesNotThrowAnyException();
    }

    @Test
    void aTaskThatNoClaimReachesIsFound() {
        TaskStore broken = answering("claim", answer -> new Claims(List.of(), null));
        assertThatThrownBy(() -> StoreInvariants.drain(broken, clock))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no claim could reach it");
    }

    @Test
    void anOpenTaskWithoutARecordIsFound() {
        TaskStore broken = answering("records", answer -> Map.of());
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("has no record");
    }

    @Test
    void aLostAttemptIsFound() {
        TaskStore broken = answering("attempts", answer -> Map.of());
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("newest attempt");
    }

    @Test
    void attemptsThatDoNotRiseAreFound() {
        TaskStore broken = withAttempts(List::reversed);
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("strictly rise");
    }

    @Test
    void anAttemptThatNeverEndedIsFound() {
        TaskStore broken = withAttempts(attempts -> attempts.stream()
                .map(a -> new Attempt(a.number(), a.worker(), a.startedAt(), null, null, null))
                .toList());
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("only the newest runs");
    }

    /** The store with the attempts of each task changed. */
    private TaskStore withAttempts(UnaryOperator<List<Attempt>> change) {
        return answering("attempts", answer -> {
            Map<Object, List<Attempt>> changed = new HashMap<>();
            ((Map<?, ?>) answer)
                    .forEach((id, attempts) -> changed.put(
                            id,
                            change.apply(((List<?>) attempts)
                                    .stream().map(Attempt.class::cast).toList())));
            return changed;
        });
    }

    @Test
    void aListingOutOfOrderIsFound() {
        TaskStore broken =
                answering("list", answer -> new Page(((Page) answer).tasks().reversed(), ((Page) answer).next()));
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("not smaller");
    }

    @Test
    void twoActiveTasksOfOneIdentityAreFound() {
        TaskStore broken = answering(
                "list",
                answer -> new Page(
                        ((Page) answer)
                                .tasks().stream().map(StoreInvariantsTest::let).toList(),
                        ((Page) answer).next()));
        assertThatThrownBy(() -> StoreInvariants.check(broken)).isInstanceOf(AssertionError.class);
    }

    @Test
    void twoRunningTasksOfOneMutexAreFound() {
        store.submit(List.of(
                Draft.plain().mutex("m1").as(ids.next()),
                Draft.plain().mutex("m2").as(ids.next())));
        store.claim(ClaimDraft.from(Draft.QUEUE).as(3));
        assertThatCode(() -> StoreInvariants.check(store)).doesNotThrowAnyException();
        TaskStore broken = answering(
                "list",
                answer -> new Page(
                        ((Page) answer)
                                .tasks().stream()
                                        .map(StoreInvariantsTest::bound)
                                        .toList(),
                        ((Page) answer).next()));
        assertThatThrownBy(() -> StoreInvariants.check(broken)).hasMessageContaining("at most one of Mutex");
    }

    @Test
    void pausesAndLimitsAreLiftedToDrain() {
        QueueSettings held = QueueSettings.builder()
                .paused(true)
                .rateLimit("1/day")
                .concurrency(1)
                .build();
        store.operate(List.of(new Operation.DeclareQueue(Draft.QUEUE, held)));
        store.submit(List.of(
                Draft.plain().mutex("m").as(ids.next()),
                Draft.plain().mutex("m").as(ids.next())));
        assertThatCode(() -> StoreInvariants.drain(store, clock)).doesNotThrowAnyException();
    }

    /** The same task, pending if it waited. */
    private static Task let(Task task) {
        Task.Progress p = task.progress();
        TaskState state = p.state() == TaskState.WAITING ? TaskState.PENDING : p.state();
        TaskId id = task.id();
        return new Task(
                id,
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                task.options(),
                task.identity(),
                task.run(),
                task.series(),
                task.lineage(),
                task.createdAt(),
                new Task.Progress(state, p.attempt(), 0, 0, p.dueAt(), p.cancelRequested(), null, null, null));
    }

    /** The same task, with the mutex that all have. */
    private static Task bound(Task task) {
        return new Task(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                new TaskOptions(0, null, null, "m"),
                task.identity(),
                task.run(),
                task.series(),
                task.lineage(),
                task.createdAt(),
                task.progress());
    }

    /** The store with one operation whose answers are made wrong. */
    private TaskStore answering(String operation, UnaryOperator<Object> wrong) {
        return (TaskStore) Proxy.newProxyInstance(
                TaskStore.class.getClassLoader(), new Class<?>[] {TaskStore.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(store, arguments);
                    return method.getName().equals(operation) ? wrong.apply(answer) : answer;
                });
    }
}
