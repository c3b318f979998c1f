package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Worker;
import dev.semel.store.Attempt;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.PermanentFailure;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowCancelled;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowNotFound;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkflowTest {

    private static final TaskType<String, String> UPPER = TaskType.of("upper", String.class, String.class);
    private static final TaskType<String, String> BAD = TaskType.of("bad", String.class, String.class);
    private static final TaskType<String, String> SLOW = TaskType.of("slow", String.class, String.class);
    private static final WorkflowType<String, String> FLOW = WorkflowType.of("flow", String.class, String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final CountDownLatch slow = new CountDownLatch(1);

    @AfterEach
    void close() {
        slow.countDown();
        world.close();
    }

    private Worker worker(WorkflowHandler<String, String> code) {
        return world.semel
                .worker("default")
                .poll(Duration.ofMillis(20))
                .closeGrace(Duration.ofMillis(200))
                .workflow(FLOW, code)
                .handle(UPPER, (context, text) -> {
                    ran.add(text);
                    return text.toUpperCase(Locale.ROOT);
                })
                .handle(BAD, (context, text) -> {
                    throw new PermanentFailure("no " + text);
                })
                .handle(SLOW, (context, text) -> {
                    slow.await();
                    return text;
                })
                .start();
    }

    private String run(WorkflowHandler<String, String> code) {
        try (Worker worker = worker(code)) {
            return world.semel.start(FLOW, "id", "in").result(PATIENCE);
        }
    }

    private TaskId start() {
        return world.semel.start(FLOW, "id", "in").taskId();
    }

    @Test
    void aStepAndTheWaitForItAreOneCall() {
        assertThat(run((flow, in) -> flow.run(UPPER, in))).isEqualTo("IN");
        assertThat(world.settled).contains(List.of("Advance", "Wait"));
    }

    @Test
    void aLostAnswerToAStepAndItsWaitChangesNothing() {
        try (Worker worker = worker((flow, in) -> {
            world.lose.set(3);
            return flow.run(UPPER, in) + flow.run(UPPER, "x");
        })) {
            assertThat(world.semel.start(FLOW, "id", "in").result(PATIENCE)).isEqualTo("INX");
        }
        assertThat(ran).containsExactly("in", "x");
    }

    @Test
    void anAttemptWhoseLinesWereRejectedAsFullIsPutBack() {
        world.full.set(1);
        AtomicInteger calls = new AtomicInteger();
        assertThat(run((flow, in) -> {
                    calls.incrementAndGet();
                    return flow.run(UPPER, in);
                }))
                .isEqualTo("IN");
        assertThat(ran).containsExactly("in");
        assertThat(calls).hasValue(3);
        assertThat(world.settled).contains(List.of("PutBack"));
    }

    @Test
    void stepsRunOnceAndGiveTheirResults() {
        AtomicInteger calls = new AtomicInteger();
        String result = run((flow, input) -> {
            calls.incrementAndGet();
            String first = flow.run(UPPER, input + "-a");
            return flow.run(UPPER, first + "-b");
        });
        assertThat(result).isEqualTo("IN-A-B");
        assertThat(ran).containsExactly("in-a", "IN-A-b");
        assertThat(calls.get()).isEqualTo(3);
        assertThat(world.semel.workflows().history(FLOW, "id").lines())
                .extracting(HistoryLine::kind)
                .containsExactly(Kind.STEP, Kind.STEP);
    }

    @Test
    void aWorkflowThatWaitsLeavesOneAttempt() {
        run((flow, input) -> flow.run(UPPER, flow.run(UPPER, flow.run(UPPER, input))));
        TaskId id = world.semel.workflows().taskId(FLOW, "id");
        assertThat(world.store.attempts(id)).extracting(Attempt::outcome).containsExactly(Attempt.Outcome.COMPLETED);
    }

    @Test
    void theIdIsTheKey() {
        try (Worker worker = worker((flow, input) -> flow.id() + flow.run(UPPER, input))) {
            Submission<String> first = world.semel.start(FLOW, "id", "in");
            assertThat(first.result(PATIENCE)).isEqualTo("idIN");
            Submission<String> second = world.semel.start(FLOW, "id", "in");
            assertThat(second.created()).isFalse();
            assertThat(second.taskId()).isEqualTo(first.taskId());
            assertThatThrownBy(() -> world.semel.start(FLOW, "id", "other")).isInstanceOf(IdempotencyConflict.class);
        }
    }

    @Test
    void allWaitsForAllAndWakesOnce() {
        AtomicInteger calls = new AtomicInteger();
        String result = run((flow, input) -> {
            calls.incrementAndGet();
            List<Step<String>> steps = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                steps.add(flow.start(UPPER, "s" + i));
            }
            flow.all(steps);
            return steps.getFirst().result() + steps.getLast().result();
        });
        assertThat(result).isEqualTo("S0S49");
        assertThat(calls.get()).isEqualTo(2);
    }

    @Test
    void anyGivesTheFirstThatEnded() {
        String result = run((flow, input) -> {
            Step<String> never = flow.start(SLOW, "slow");
            Step<String> quick = flow.start(UPPER, "quick");
            Step<?> first = flow.any(never, quick);
            flow.abandon(never);
            return (first.equals(quick) ? "quick:" : "slow:") + quick.result();
        });
        assertThat(result).isEqualTo("quick:QUICK");
    }

    @Test
    void aFailedStepFailsTheWorkflowAtOnceUnlessItIsCaught() {
        try (Worker worker = worker((flow, input) -> {
            flow.all(flow.start(SLOW, "x"), flow.start(BAD, "luck"));
            return "unreachable";
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.FAILED);
            assertThat(world.task(id).progress().lastError()).contains("no luck");
            assertThat(world.task(id).progress().failures()).isEqualTo(1);
        }
        assertThat(run((flow, input) -> {
                    try {
                        return flow.run(BAD, "luck");
                    } catch (TaskUnsuccessful e) {
                        return e.status().word() + ":" + flow.run(UPPER, "caught");
                    }
                }))
                .isEqualTo("failed:CAUGHT");
    }

    @Test
    void aCatchOfThrowableDoesNotStopAWait() {
        assertThat(run((flow, input) -> {
                    try {
                        return flow.run(UPPER, input);
                    } catch (Throwable e) {
                        return "swallowed";
                    }
                }))
                .isEqualTo("IN");
    }

    @Test
    void sleepWaitsAsARowUntilItsTime() {
        try (Worker worker = worker((flow, input) -> {
            flow.sleep(Duration.ofDays(30));
            return "awake";
        })) {
            TaskId id = start();
            Instant until = world.now.get().plus(Duration.ofDays(30));
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).state() == TaskState.PENDING
                            && until.equals(world.task(id).progress().dueAt()));
            world.pass(Duration.ofDays(30));
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("awake");
        }
    }

    @Test
    void signalsAreReceivedInOrderAlsoThoseThatCameBefore() {
        start();
        world.semel.workflows().signal(FLOW, "id", "letter", "a", "key-a");
        world.semel.workflows().signal(FLOW, "id", "letter", "ignored", "key-a");
        try (Worker worker = worker((flow, input) -> flow.signal("letter", String.class)
                + flow.signal("letter", String.class)
                + flow.signal("other", String.class))) {
            world.semel.workflows().signal(FLOW, "id", "other", "c");
            world.semel.workflows().signal(FLOW, "id", "letter", "b");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("abc");
            assertThatThrownBy(() -> world.semel.workflows().signal(FLOW, "id", "letter", "d"))
                    .isInstanceOf(TaskAlreadyFinished.class);
            assertThatThrownBy(() -> world.semel.workflows().signal(FLOW, "unknown", "letter", "d"))
                    .isInstanceOf(WorkflowNotFound.class);
        }
    }

    @Test
    void aSignalWithATimeLimit() {
        try (Worker worker = worker((flow, input) -> {
            Optional<String> first = flow.signal("go", String.class, Duration.ofDays(7));
            Optional<String> second = flow.signal("go", String.class, Duration.ofDays(7));
            return first.orElse("none") + "," + second.orElse("none");
        })) {
            TaskId id = start();
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).state() == TaskState.PENDING
                            && world.task(id).progress().attempt() == 1);
            world.pass(Duration.ofDays(7));
            await().atMost(PATIENCE)
                    .until(() -> world.semel.workflows().history(FLOW, "id").lines().stream()
                                    .filter(line -> line.kind() == Kind.TIMER)
                                    .count()
                            == 2);
            world.semel.workflows().signal(FLOW, "id", "go", "now");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("none,now");
        }
    }

    @Test
    void recordedValuesAreTheSameInEveryReplay() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        run((flow, input) -> {
            UUID id = flow.uuid();
            seen.add(flow.now() + " " + id + " " + flow.random() + " " + flow.record("n", Integer.class, seen::size));
            flow.run(UPPER, "a");
            flow.run(UPPER, "b");
            return id.toString();
        });
        assertThat(seen).hasSize(1);
    }

    @Test
    void aLocalStepRunsOnce() {
        AtomicInteger local = new AtomicInteger();
        String result = run((flow, input) -> {
            String first = flow.local("charge", String.class, token -> "receipt-" + local.incrementAndGet());
            flow.run(UPPER, "a");
            return first + flow.local("ship", String.class, token -> "-" + local.incrementAndGet());
        });
        assertThat(result).isEqualTo("receipt-1-2");
        assertThat(local.get()).isEqualTo(2);
    }

    @Test
    void publishedValuesCanBeReadWhileItRuns() {
        try (Worker worker = worker((flow, input) -> {
            flow.publish("stage", "first");
            flow.signal("go", String.class);
            flow.publish("stage", "second");
            return input;
        })) {
            start();
            await().atMost(PATIENCE)
                    .until(() -> world.semel
                            .workflows()
                            .published(FLOW, "id", "stage", String.class)
                            .equals(Optional.of("first")));
            world.semel.workflows().signal(FLOW, "id", "go", null);
            world.semel.workflows().handle(FLOW, "id").result(PATIENCE);
            assertThat(world.semel.workflows().published(FLOW, "id", "stage", String.class))
                    .contains("second");
        }
    }

    @Test
    void cancellationReachesTheStepsAndThenTheCode() {
        List<String> cleaned = new CopyOnWriteArrayList<>();
        try (Worker worker = worker((flow, input) -> {
            Step<String> step = flow.start(SLOW, "x", options -> options.queue("nobody"));
            try {
                return step.result();
            } catch (WorkflowCancelled e) {
                cleaned.add(flow.run(UPPER, "clean"));
                throw e;
            }
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.WAITING);
            world.semel.workflows().cancel(FLOW, "id");
            world.semel.workflows().cancel(FLOW, "id");
            world.awaitState(id, TaskState.CANCELLED);
            assertThat(cleaned).containsExactly("CLEAN");
            TaskId step = world.semel
                    .workflows()
                    .history(FLOW, "id")
                    .lines()
                    .getFirst()
                    .task();
            assertThat(world.task(Objects.requireNonNull(step)).state()).isEqualTo(TaskState.CANCELLED);
        }
    }

    @Test
    void aCancellationIsDeliveredAtTheSameWaitInEveryReplay() {
        List<String> turns = new CopyOnWriteArrayList<>();
        CountDownLatch waits = new CountDownLatch(1);
        try (Worker worker = worker((flow, input) -> {
            StringBuilder way = new StringBuilder();
            try {
                way.append(flow.signal("first", String.class)); // leaves no line
                waits.countDown();
                way.append(flow.signal("second", String.class));
            } catch (WorkflowCancelled e) {
                way.append("-cancelled-");
                flow.run(UPPER, "clean"); // so that the code is replayed from the beginning
            }
            turns.add(way.toString());
            return way.toString();
        })) {
            TaskId id = start();
            world.semel.workflows().signal(FLOW, "id", "first", "a");
            await().atMost(PATIENCE)
                    .until(() -> waits.getCount() == 0 && world.task(id).state() == TaskState.WAITING);
            world.semel.workflows().cancel(FLOW, "id");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("a-cancelled-");
            assertThat(turns).containsExactly("a-cancelled-");
        }
    }

    @Test
    void codeThatWaitsWhereItsHistoryGoesOnDoesNotFitIt() {
        AtomicInteger version = new AtomicInteger(1);
        try (Worker worker = worker((flow, input) -> {
            if (version.get() == 2) {
                flow.signal("new", String.class);
            }
            flow.run(UPPER, "a");
            return flow.signal("go", String.class);
        })) {
            TaskId id = start();
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).state() == TaskState.WAITING
                            && world.task(id).progress().attempt() == 2);
            version.set(2);
            world.semel.workflows().signal(FLOW, "id", "go", "x");
            await().atMost(PATIENCE).until(() -> world.task(id).progress().lastError() != null);
            assertThat(world.task(id).progress().lastError())
                    .contains("the history has step \"upper\"")
                    .contains("the code waits for something that has not happened");
        }
    }

    @Test
    void aSignalWithAKeyReachesOneRunOnly() {
        start();
        world.semel.workflows().signal(FLOW, "id", "letter", "a", "key-a");
        try (Worker worker = worker((flow, input) -> {
            throw new PermanentFailure("the first run fails");
        })) {
            world.awaitState(world.semel.workflows().taskId(FLOW, "id"), TaskState.FAILED);
        }
        TaskId again = start();
        world.semel.workflows().signal(FLOW, "id", "letter", "a", "key-a");
        world.semel.workflows().signal(FLOW, "id", "letter", "b", "key-b");
        try (Worker worker = worker((flow, input) -> flow.signal("letter", String.class))) {
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("b");
            assertThat(world.semel.workflows().taskId(FLOW, "id")).isEqualTo(again);
        }
    }

    @Test
    void terminateEndsAWorkflowWithoutItsCode() {
        AtomicInteger calls = new AtomicInteger();
        try (Worker worker = worker((flow, input) -> {
            calls.incrementAndGet();
            return flow.signal("never", String.class);
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.WAITING);
            assertThat(world.semel.workflows().terminate(FLOW, "id")).isEqualTo(Operations.Cancellation.CANCELLED);
            assertThat(world.task(id).state()).isEqualTo(TaskState.CANCELLED);
            assertThat(calls.get()).isEqualTo(1);
        }
    }

    @Test
    void codeThatNoLongerFitsStopsAndGoesOnAfterAFix() {
        TaskId id;
        try (Worker worker = worker((flow, input) -> {
            flow.run(UPPER, "a");
            return flow.signal("go", String.class);
        })) {
            id = start();
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).state() == TaskState.WAITING
                            && world.task(id).progress().attempt() == 2);
        }
        world.semel.workflows().signal(FLOW, "id", "go", "on");
        try (Worker worker = worker((flow, input) -> {
            flow.uuid();
            try {
                flow.run(UPPER, "a");
            } catch (RuntimeException e) {
                return "swallowed";
            }
            return flow.signal("go", String.class);
        })) {
            await().atMost(PATIENCE).until(() -> world.task(id).progress().lastError() != null);
            assertThat(world.task(id).progress().lastError())
                    .contains("line 1")
                    .contains("step \"upper\"")
                    .contains("value \"uuid\"");
            assertThat(world.task(id).progress().failures()).isZero();
            assertThat(world.task(id).state()).isEqualTo(TaskState.PENDING);
        }
        try (Worker worker = worker((flow, input) -> {
            flow.run(UPPER, "a");
            return flow.signal("go", String.class) + "!";
        })) {
            world.semel.workflows().resume(FLOW, "id");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("on!");
        }
        assertThat(ran).containsExactly("a");
    }

    @Test
    void codeThatEndsBeforeItsHistoryDoesNotFit() {
        TaskId id;
        try (Worker worker = worker((flow, input) -> flow.run(UPPER, "a") + flow.signal("go", String.class))) {
            id = start();
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).state() == TaskState.WAITING
                            && world.task(id).progress().attempt() == 2);
        }
        world.semel.workflows().resume(FLOW, "id");
        try (Worker worker = worker((flow, input) -> "early")) {
            await().atMost(PATIENCE).until(() -> world.task(id).progress().lastError() != null);
            assertThat(world.task(id).progress().lastError()).contains("the code has ended");
        }
    }

    @Test
    void severalWorkflowsWaitForOneKeyedStep() {
        try (Worker worker = worker(
                (flow, input) -> flow.run(UPPER, "shared", options -> options.idempotencyKey("one")) + flow.id())) {
            List<Submission<String>> started = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                started.add(world.semel.start(FLOW, "id-" + i, "in"));
            }
            for (int i = 0; i < 10; i++) {
                assertThat(started.get(i).result(PATIENCE)).isEqualTo("SHAREDid-" + i);
            }
            assertThat(ran).containsExactly("shared");
        }
    }

    @Test
    void twoStepsWithOneKeyAreOneTaskAndAllDoesNotHang() {
        assertThat(run((flow, input) -> {
                    Step<String> a = flow.start(UPPER, "k", options -> options.idempotencyKey("k"));
                    Step<String> b = flow.start(UPPER, "k", options -> options.idempotencyKey("k"));
                    flow.all(a, b);
                    return a.result() + b.result() + a.taskId().equals(b.taskId());
                }))
                .isEqualTo("KKtrue");
        assertThat(ran).containsExactly("k");
    }

    @Test
    void onlyTheWorkflowsOwnThreadMayUseItsFlow() {
        AtomicBoolean refused = new AtomicBoolean();
        run((flow, input) -> {
            Thread thread = Thread.ofVirtual().start(() -> {
                try {
                    flow.uuid();
                } catch (RuntimeException e) {
                    refused.set(true);
                }
            });
            thread.join();
            return "done";
        });
        assertThat(refused.get()).isTrue();
    }

    @Test
    void lostAnswersChangeNothing() {
        AtomicInteger lost = new AtomicInteger();
        try (Worker worker = worker((flow, input) -> {
            String text = input;
            for (int i = 0; i < 20; i++) {
                if (lost.incrementAndGet() % 3 == 0) {
                    world.lose.set(2);
                }
                text = flow.run(UPPER, text + i);
            }
            return text;
        })) {
            assertThat(world.semel.start(FLOW, "id", "x").result(Duration.ofSeconds(60)))
                    .startsWith("X01234567891011");
        }
        assertThat(ran).hasSize(20).doesNotHaveDuplicates();
        assertThat(world.semel.workflows().history(FLOW, "id").lines()).hasSize(20);
        assertThat(world.semel.workflows().history(FLOW, "id").inbox()).hasSize(20);
    }
}
