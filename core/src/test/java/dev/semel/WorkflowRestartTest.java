package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Workflows.Restarting;
import dev.semel.engine.Worker;
import dev.semel.store.Generation;
import dev.semel.task.InvalidInput;
import dev.semel.task.PermanentFailure;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows that are restarted from a step: what is read back, and what runs again. */
class WorkflowRestartTest {

    private static final TaskType<String, String> DO = TaskType.of("do", String.class, String.class);
    private static final TaskType<String, String> MORE = TaskType.of("more", String.class, String.class);
    private static final WorkflowType<String, String> FLOW = WorkflowType.of("flow", String.class, String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    @AfterEach
    void close() {
        world.close();
    }

    private String act(String what) {
        ran.add(what);
        if (failing.contains(what)) {
            throw new PermanentFailure("no " + what);
        }
        return what + " " + ran.size();
    }

    private Worker worker(WorkflowHandler<String, String> code) {
        return world.semel
                .worker("default")
                .poll(Duration.ofMillis(20))
                .closeGrace(Duration.ofMillis(200))
                .workflow(FLOW, code)
                .handle(DO, (context, text) -> act(text))
                .handle(MORE, (context, text) -> act(text))
                .start();
    }

    private TaskId start() {
        return world.semel.start(FLOW, "id", "in").taskId();
    }

    private String restarted(RestartPreview preview) {
        assertThat(world.semel.workflows().restart(preview)).isEqualTo(Restarting.RESTARTED);
        return world.semel.workflows().handle(FLOW, "id").result(PATIENCE);
    }

    private RestartPreview preview() {
        return world.semel.workflows().previewRestart(FLOW, "id");
    }

    private RestartPreview preview(int from) {
        return world.semel.workflows().previewRestart(FLOW, "id", from);
    }

    @Test
    void whatSucceededIsReadBackAndTheFailedStepRunsAgain() {
        failing.add("ship");
        try (Worker worker = worker((flow, input) -> {
            String paid = flow.run(DO, "pay");
            String local = flow.local("pack", String.class, token -> act("pack"));
            String shipped = flow.run(DO, "ship");
            return paid + ", " + local + ", " + shipped + ", " + flow.local("mail", String.class, token -> act("mail"));
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.FAILED);
            RestartPreview preview = preview();
            assertThat(preview.from()).isEqualTo(2);
            assertThat(preview.steps()).extracting(RestartPreview.Step::isKept).containsExactly(true, false);
            assertThat(preview.localSteps()).containsExactly(new RestartPreview.LocalStep("pack", true));
            failing.clear();
            assertThat(restarted(preview)).isEqualTo("pay 1, pack 2, ship 4, mail 5");
            assertThat(ran).containsExactly("pay", "pack", "ship", "ship", "mail");
            assertThat(world.semel.workflows().restart(preview)).isEqualTo(Restarting.RESTARTED);
            assertThat(ran).as("the same restart again changes nothing").hasSize(5);
        }
    }

    @Test
    void aRedriveOfADeadWorkflowRunsTheFailedStepAgain() {
        failing.add("ship");
        try (Worker worker = worker((flow, input) -> flow.run(DO, "pay") + ", " + flow.run(DO, "ship"))) {
            TaskId id = start();
            world.awaitState(id, TaskState.FAILED);
            assertThat(world.semel.operations().redrive(id)).isEqualTo(Operations.Redriving.REDRIVEN);
            await().atMost(PATIENCE).until(() -> ran.size() == 3);
            world.awaitState(id, TaskState.FAILED);
            failing.clear();
            assertThat(world.semel.operations().redrive(id)).isEqualTo(Operations.Redriving.REDRIVEN);
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("pay 1, ship 4");
            assertThat(ran).containsExactly("pay", "ship", "ship", "ship");
            assertThat(Generation.all(
                            world.semel.workflows().history(FLOW, "id").inbox()))
                    .extracting(Generation::number)
                    .containsExactly(2, 3);
        }
    }

    @Test
    void aCompletedWorkflowRunsAgainFromAnyLineAndItsLocalStepsBehindItTheirEffectsAnew() {
        try (Worker worker = worker((flow, input) -> {
            String first = flow.local("first", String.class, token -> act("first " + token.length()));
            String a = flow.run(DO, "a");
            String local = flow.local("local", String.class, token -> act("local"));
            String b = flow.run(DO, "b");
            return first + ", " + a + ", " + local + ", " + b + ", "
                    + flow.local("last", String.class, token -> act("last"));
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.COMPLETED);
            assertThat(restarted(preview(2))).isEqualTo("first 32 1, a 2, local 3, b 6, last 7");
            assertThat(restarted(preview(1))).isEqualTo("first 32 1, a 8, local 9, b 10, last 11");
            assertThat(restarted(preview(2))).isEqualTo("first 32 1, a 8, local 9, b 12, last 13");
            assertThat(restarted(preview(0))).isEqualTo("first 32 14, a 15, local 16, b 17, last 18");
            assertThatThrownBy(() -> preview(4))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("0 to 3");
            assertThat(world.task(id).progress().attempt()).isGreaterThan(5);
        }
    }

    @Test
    void signalsAreKeptAndACancellationIsNot() {
        try (Worker worker = worker((flow, input) -> {
            String go = flow.signal("go", String.class);
            flow.run(DO, "a");
            return go + flow.signal("end", String.class);
        })) {
            TaskId id = start();
            world.semel.workflows().signal(FLOW, "id", "go", "went");
            await().atMost(PATIENCE)
                    .until(() -> ran.size() == 1 && world.task(id).state() == TaskState.WAITING);
            world.semel.workflows().cancel(FLOW, "id");
            world.awaitState(id, TaskState.CANCELLED);
            assertThat(world.semel.workflows().restart(preview())).isEqualTo(Restarting.RESTARTED);
            await().atMost(PATIENCE).until(() -> world.task(id).state() == TaskState.WAITING);
            world.semel.workflows().cancel(FLOW, "id");
            world.awaitState(id, TaskState.CANCELLED);
            assertThat(world.semel.workflows().restart(preview())).isEqualTo(Restarting.RESTARTED);
            world.semel.workflows().signal(FLOW, "id", "end", " and ended");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("went and ended");
            assertThat(ran).containsExactly("a");
        }
    }

    @Test
    void whatWasUndoneIsDoneAgainAndACompensationThatFailedIsTriedAgain() {
        failing.add("ship");
        failing.add("undo pay");
        try (Worker worker = worker((flow, input) -> {
            String paid = flow.run(DO, "pay");
            flow.onFailure("pay", () -> flow.run(MORE, "undo pay"));
            return paid + ", " + flow.run(DO, "ship");
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.FAILED);
            assertThat(world.task(id).progress().lastError()).contains("Not undone: pay");
            failing.remove("undo pay");
            assertThat(preview().from()).as("the compensation that failed").isEqualTo(4);
            assertThat(world.semel.workflows().restart(preview())).isEqualTo(Restarting.RESTARTED);
            await().atMost(PATIENCE).until(() -> ran.size() == 4);
            world.awaitState(id, TaskState.FAILED);
            assertThat(world.task(id).progress().lastError()).doesNotContain("Not undone");
            assertThat(preview().from()).as("everything was undone").isZero();
            failing.clear();
            assertThat(restarted(preview())).isEqualTo("pay 5, ship 6");
            assertThat(ran).containsExactly("pay", "ship", "undo pay", "undo pay", "pay", "ship");
        }
    }

    @Test
    void anOpenStepThatIsNotKeptIsCancelledAndANewerTaskKeepsTheId() {
        try (Worker worker = worker((flow, input) -> {
            flow.start(DO, "slow", options -> options.delay(Duration.ofDays(1)));
            return flow.run(DO, "bad");
        })) {
            failing.add("bad");
            TaskId id = start();
            world.awaitState(id, TaskState.FAILED);
            TaskId slow = preview(1).steps().getFirst().task();
            assertThat(world.semel.workflows().restart(preview(1))).isEqualTo(Restarting.RESTARTED);
            assertThat(world.task(slow).state()).isEqualTo(TaskState.CANCELLED);
            await().atMost(PATIENCE).until(() -> ran.size() == 2);
            world.awaitState(id, TaskState.FAILED);
            RestartPreview old = preview();
            TaskId newer = start();
            assertThat(newer).isNotEqualTo(id);
            assertThat(world.semel.workflows().restart(old)).isEqualTo(Restarting.SUPERSEDED);
        }
    }

    @Test
    void aFailureThatIsKeptIsReadBackAndAnOpenStepWithAKeyIsTheSameAgain() {
        try (Worker worker = worker((flow, input) -> {
            flow.start(DO, "slow", options -> options.idempotencyKey("slow").delay(Duration.ofDays(1)));
            return flow.run(DO, "bad");
        })) {
            failing.add("bad");
            TaskId id = start();
            world.awaitState(id, TaskState.FAILED);
            TaskId slow = preview().steps().getFirst().task();
            int attempt = world.task(id).progress().attempt();
            assertThat(world.semel.workflows().restart(preview(3))).isEqualTo(Restarting.RESTARTED);
            await().atMost(PATIENCE).until(() -> world.task(id).progress().attempt() > attempt);
            world.awaitState(id, TaskState.FAILED);
            assertThat(ran).containsExactly("bad");
            assertThat(world.semel.workflows().restart(preview(1))).isEqualTo(Restarting.RESTARTED);
            await().atMost(PATIENCE).until(() -> ran.size() == 2);
            world.awaitState(id, TaskState.FAILED);
            assertThat(preview().steps().getFirst().task()).isEqualTo(slow);
            assertThat(world.task(slow).state()).isEqualTo(TaskState.PENDING);
        }
    }

    @Test
    void theTimeLimitOfARestartedWorkflowBeginsAnew() {
        try (Worker worker = worker((flow, input) -> flow.signal("never", String.class))) {
            TaskId id = world.semel
                    .submit(FLOW, "id", "in")
                    .timeLimit(Duration.ofHours(1))
                    .send()
                    .taskId();
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).progress().attempt() == 1
                            && world.task(id).state() == TaskState.PENDING);
            world.pass(Duration.ofHours(1));
            world.awaitState(id, TaskState.TIMED_OUT);
            assertThat(world.semel.workflows().restart(preview())).isEqualTo(Restarting.RESTARTED);
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).progress().attempt() == 3
                            && world.task(id).state() == TaskState.PENDING);
            assertThat(world.task(id).progress().dueAt())
                    .isEqualTo(world.semel
                            .workflows()
                            .history(FLOW, "id")
                            .inbox()
                            .getLast()
                            .at()
                            .plus(Duration.ofHours(1)));
        }
    }

    @Test
    void aRestartOfARerunRunsLocalStepsAgainAlthoughAnEarlierRunWasRestartedToo() {
        failing.add("ship");
        Worker unused = worker((flow, input) -> {
            String local = flow.local("charge", String.class, token -> act("charge"));
            return local + ", " + flow.run(DO, "ship");
        });
        TaskId first = start();
        world.awaitState(first, TaskState.FAILED);
        assertThat(world.semel.workflows().restart(preview(0))).isEqualTo(Restarting.RESTARTED);
        await().atMost(PATIENCE).until(() -> ran.stream().filter("ship"::equals).count() == 2);
        world.awaitState(first, TaskState.FAILED);
        TaskId second = start(); // a rerun: local steps of the lineage are read back, those of the first generation
        assertThat(second).isNotEqualTo(first);
        await().atMost(PATIENCE).until(() -> ran.stream().filter("ship"::equals).count() == 3);
        world.awaitState(second, TaskState.FAILED);
        assertThat(ran).filteredOn("charge"::equals).hasSize(2);
        failing.clear();
        assertThat(restarted(preview(0))).contains("charge");
        assertThat(ran).filteredOn("charge"::equals).hasSize(3);
    }
}
