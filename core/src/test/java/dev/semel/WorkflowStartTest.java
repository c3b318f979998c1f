package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.StepOptions;
import dev.semel.engine.Worker;
import dev.semel.store.TaskQuery;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowCancelled;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Starting workflows: with a time limit, with a signal, and in the place of another one. */
class WorkflowStartTest {

    private static final TaskType<String, String> UPPER = TaskType.of("upper", String.class, String.class);
    private static final WorkflowType<String, String> FLOW = WorkflowType.of("flow", String.class, String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> cleaned = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private Worker worker(WorkflowHandler<String, String> code) {
        return world.semel
                .worker("default")
                .poll(Duration.ofMillis(20))
                .closeGrace(Duration.ofMillis(200))
                .workflow(FLOW, code)
                .handle(UPPER, (context, text) -> text.toUpperCase(Locale.ROOT))
                .start();
    }

    /** Waits for a step that nobody runs, and cleans up. */
    private Worker patientWorker() {
        return worker((flow, input) -> {
            try {
                return flow.run(UPPER, input, options -> options.queue("nobody"));
            } catch (WorkflowCancelled e) {
                cleaned.add(flow.run(UPPER, "clean-" + input) + " " + e.isTimedOut());
                throw e;
            }
        });
    }

    private void waits(TaskId id) {
        await().atMost(PATIENCE)
                .until(() -> world.task(id).progress().attempt() == 1
                        && world.task(id).state() != TaskState.RUNNING
                        && !world.semel
                                .tasks()
                                .list(TaskQuery.builder().parent(id).build())
                                .tasks()
                                .isEmpty());
    }

    @Test
    void aStepThatIsReplacedByAnotherOfTheSameTurnHasAnEnd() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> first = flow.start(
                    UPPER, "first", options -> options.idempotencyKey("shared").queue("nobody"));
            Step<String> second = flow.start(
                    UPPER,
                    "second",
                    options -> options.idempotencyKey("shared")
                            .reuse(ReusePolicy.never().whileOpen(ReusePolicy.WhileOpen.REPLACE)));
            try {
                return first.result();
            } catch (TaskUnsuccessful e) {
                return e.status() + " " + second.result();
            }
        })) {
            assertThat(world.semel.start(FLOW, "id", "in").result(PATIENCE)).isEqualTo(TaskState.CANCELLED + " SECOND");
        }
    }

    @Test
    void aTimeLimitReachesTheStepsAndThenTheCode() {
        try (Worker worker = patientWorker()) {
            TaskId id = world.semel
                    .submit(FLOW, "id", "in")
                    .timeLimit(Duration.ofDays(2))
                    .send()
                    .taskId();
            waits(id);
            world.pass(Duration.ofDays(2));
            world.awaitState(id, TaskState.TIMED_OUT);
            assertThat(cleaned).containsExactly("CLEAN-IN true");
            assertThat(world.task(id).progress().lastError()).contains("time limit");
            assertThat(world.semel
                            .tasks()
                            .list(TaskQuery.builder().parent(id).build())
                            .tasks())
                    .extracting(step -> step.state())
                    .containsExactly(TaskState.COMPLETED, TaskState.CANCELLED);
        }
    }

    @Test
    void aTypeMayHaveATimeLimit() {
        WorkflowType<String, String> limited = FLOW.withTimeLimit(Duration.ofHours(1));
        try (Worker worker = patientWorker()) {
            TaskId id = world.semel.start(limited, "id", "in").taskId();
            waits(id);
            world.pass(Duration.ofHours(1));
            world.awaitState(id, TaskState.TIMED_OUT);
        }
    }

    @Test
    void aWorkflowThatEndsInTimeIsNotToldOfItsLimit() {
        try (Worker worker = worker((flow, input) -> flow.run(UPPER, input))) {
            assertThat(world.semel
                            .submit(FLOW, "id", "in")
                            .timeLimit(Duration.ofHours(1))
                            .send()
                            .result(PATIENCE))
                    .isEqualTo("IN");
        }
    }

    @Test
    void aSignalStartsTheWorkflowThatGetsIt() {
        Workflows workflows = world.semel.workflows();
        Submission<String> first =
                workflows.signalWithStart(world.semel.submit(FLOW, "id", "in"), "letter", "a", "key-a");
        Submission<String> second =
                workflows.signalWithStart(world.semel.submit(FLOW, "id", "in"), "letter", "b", "key-b");
        Submission<String> repeated =
                workflows.signalWithStart(world.semel.submit(FLOW, "id", "in"), "letter", "b", "key-b");
        assertThat(first.created()).isTrue();
        assertThat(second.created()).isFalse();
        assertThat(repeated.taskId()).isEqualTo(first.taskId());
        try (Worker worker =
                worker((flow, input) -> flow.signal("letter", String.class) + flow.signal("letter", String.class))) {
            assertThat(first.result(PATIENCE)).isEqualTo("ab");
            assertThatThrownBy(() ->
                            workflows.signalWithStart(world.semel.submit(FLOW, "id", "in"), "letter", "c", "key-c"))
                    .isInstanceOf(TaskAlreadyFinished.class);
        }
    }

    @Test
    void aStepThatWasGivenUpToOthersCanBeStartedAgain() {
        world.semel.submit(UPPER, "x").idempotencyKey("shared").queue("later").send();
        try (Worker worker = worker((flow, input) -> {
            Consumer<StepOptions> shared =
                    options -> options.idempotencyKey("shared").queue("later");
            flow.abandon(flow.start(UPPER, "x", shared));
            flow.signal("go", String.class);
            return flow.run(UPPER, "x", shared);
        })) {
            Submission<String> started = world.semel.start(FLOW, "id", "in");
            world.semel.workflows().signal(FLOW, "id", "go", null);
            await().atMost(PATIENCE)
                    .until(() ->
                            world.semel.workflows().history(FLOW, "id").lines().size() == 3
                                    && world.task(started.taskId()).state() == TaskState.WAITING);
            try (Worker later = world.semel
                    .worker("later")
                    .poll(Duration.ofMillis(20))
                    .handle(UPPER, (context, text) -> text.toUpperCase(Locale.ROOT))
                    .start()) {
                assertThat(started.result(PATIENCE)).isEqualTo("X");
            }
        }
    }

    @Test
    void aReplacedWorkflowMayCleanUpBeforeTheNewOneStarts() {
        try (Worker worker = patientWorker()) {
            TaskId old = world.semel.start(FLOW, "id", "old").taskId();
            waits(old);
            TaskId next = world.semel
                    .submit(FLOW, "id", "new")
                    .reuse(ReusePolicy.allowFailedOnly().whileOpen(ReusePolicy.WhileOpen.REPLACE))
                    .send()
                    .taskId();
            world.awaitState(old, TaskState.CANCELLED);
            assertThat(cleaned).containsExactly("CLEAN-OLD false");
            waits(next);
        }
    }
}
