package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Worker;
import dev.semel.store.Task;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows that run while their code is changed. */
class WorkflowVersionTest {

    private static final TaskType<String, String> UPPER = TaskType.of("upper", String.class, String.class);
    private static final WorkflowType<String, String> FLOW = WorkflowType.of("flow", String.class, String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();

    @AfterEach
    void close() {
        world.close();
    }

    private static String old(Flow flow) {
        String first = flow.run(UPPER, "a");
        return first + flow.signal("go", String.class) + flow.run(UPPER, "b");
    }

    private static String changed(Flow flow) {
        String checked = flow.version("check", 1) >= 1 ? flow.run(UPPER, "checked-") : "";
        String first = flow.run(UPPER, "a");
        String signal = flow.signal("go", String.class);
        String audit = flow.version("audit", 1) >= 1 ? flow.run(UPPER, "-audited-") : "";
        return checked + first + signal + audit + flow.run(UPPER, "b") + flow.version("check", 1);
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

    private void waitsForItsSignal(TaskId id, int lines) {
        await().atMost(PATIENCE)
                .until(() -> world.task(id).state() == TaskState.WAITING
                        && world.semel.workflows().history(FLOW, "id").inbox().size() == lines);
    }

    @Test
    void aWorkflowThatRunsThroughADeploymentKeepsTheWayThatItTook() {
        TaskId id = world.semel.start(FLOW, "id", "in").taskId();
        try (Worker worker = worker((flow, input) -> old(flow))) {
            waitsForItsSignal(id, 1);
        }
        try (Worker worker = worker((flow, input) -> changed(flow))) {
            world.semel.workflows().signal(FLOW, "id", "go", "!");
            // Past the first part, so without the check; not past the second, so with the audit.
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("A!-AUDITED-B0");
        }
    }

    @Test
    void oldAndNewProgramsRunSideBySide() {
        List<String> ids =
                IntStream.range(0, 20).mapToObj(number -> "id-" + number).toList();
        try (Worker changed = worker((flow, input) -> changed(flow))) {
            try (Worker old = worker((flow, input) -> old(flow))) {
                ids.forEach(id -> world.semel.start(FLOW, id, "in"));
                ids.forEach(id -> world.semel.workflows().signal(FLOW, id, "go", "!"));
                await().atMost(PATIENCE)
                        .until(() -> ids.stream()
                                .noneMatch(id -> world.semel
                                        .workflows()
                                        .history(FLOW, id)
                                        .lines()
                                        .isEmpty()));
            }
            for (String id : ids) {
                // Old code alone; old code, with the new taking over after the second part or before it; new code.
                assertThat(resumed(id)).isIn("A!B", "A!B0", "A!-AUDITED-B0", "CHECKED-A!-AUDITED-B1");
            }
        }
    }

    /** The result of a workflow that may have met code that does not fit, and would be tried again only later. */
    private String resumed(String id) {
        try {
            world.semel.workflows().resume(FLOW, id);
        } catch (TaskAlreadyFinished e) {
            // It met only code that fits.
        }
        return world.semel.workflows().handle(FLOW, id).result(PATIENCE);
    }

    @Test
    void aNewWorkflowGetsTheNewestVersions() {
        try (Worker worker = worker((flow, input) -> changed(flow))) {
            Submission<String> started = world.semel.start(FLOW, "id", "in");
            world.semel.workflows().signal(FLOW, "id", "go", "!");
            assertThat(started.result(PATIENCE)).isEqualTo("CHECKED-A!-AUDITED-B1");
        }
    }

    @Test
    void anOldProgramDoesNotContinueWhatANewerOneHasBegun() {
        TaskId id = world.semel.start(FLOW, "id", "in").taskId();
        try (Worker worker = worker((flow, input) -> flow.version("check", 2) + flow.signal("go", String.class))) {
            waitsForItsSignal(id, 0);
        }
        try (Worker worker = worker((flow, input) -> flow.version("check", 1) + flow.signal("go", String.class))) {
            world.semel.workflows().signal(FLOW, "id", "go", "!");
            await().atMost(PATIENCE).until(() -> world.task(id).progress().lastError() != null);
            assertThat(world.task(id).progress().lastError()).contains("knows version 1 of \"check\" and not 2");
        }
        try (Worker worker = worker((flow, input) -> flow.version("check", 2) + flow.signal("go", String.class))) {
            world.semel.workflows().resume(FLOW, "id");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isEqualTo("2!");
        }
    }

    @Test
    void whatMayNeedOldCodeIsListed() {
        TaskId past = world.semel.start(FLOW, "id", "in").taskId();
        try (Worker worker = worker((flow, input) -> old(flow))) {
            waitsForItsSignal(past, 1);
        }
        try (Worker worker = worker((flow, input) -> changed(flow))) {
            TaskId marked = world.semel.start(FLOW, "marked", "in").taskId();
            await().atMost(PATIENCE)
                    .until(() -> world.task(marked).state() == TaskState.WAITING
                            && world.semel
                                            .workflows()
                                            .history(FLOW, "marked")
                                            .inbox()
                                            .size()
                                    == 2);
            assertThat(outdated("check", 1)).containsExactly(past);
            assertThat(outdated("check", 2)).containsExactly(marked, past);
            assertThat(outdated("audit", 1)).as("neither has come to it yet").containsExactly(marked, past);
            world.semel.workflows().signal(FLOW, "id", "go", "!");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .isNotNull();
            assertThat(outdated("check", 1)).as("what has ended needs no code").isEmpty();
        }
    }

    @Test
    void outdatedWorkflowsAreListedUpToALimit() {
        for (int i = 0; i < 25; i++) {
            assertThat(world.semel.start(FLOW, "id-" + i, "in").created()).isTrue();
        }
        assertThat(world.semel.workflows().outdated(FLOW, "check", 1, 23)).hasSize(23);
        assertThat(world.semel.workflows().outdated(FLOW, "check", 1, 100)).hasSize(25);
        assertThatThrownBy(() -> world.semel.workflows().outdated(FLOW, "check", 0, 1))
                .isInstanceOf(InvalidInput.class);
    }

    private List<TaskId> outdated(String part, int version) {
        return world.semel.workflows().outdated(FLOW, part, version, 10).stream()
                .map(Task::id)
                .toList();
    }

    @Test
    void aVersionIsAtLeastOne() {
        try (Worker worker = worker((flow, input) -> {
            assertThatThrownBy(() -> flow.version("check", 0)).hasMessageContaining("at least 1");
            return "checked";
        })) {
            assertThat(world.semel.start(FLOW, "id", "in").result(PATIENCE)).isEqualTo("checked");
        }
    }
}
