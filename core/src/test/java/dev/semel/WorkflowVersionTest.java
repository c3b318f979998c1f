package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Worker;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.Locale;
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
    void aVersionIsAtLeastOne() {
        try (Worker worker = worker((flow, input) -> {
            assertThatThrownBy(() -> flow.version("check", 0)).hasMessageContaining("at least 1");
            return "checked";
        })) {
            assertThat(world.semel.start(FLOW, "id", "in").result(PATIENCE)).isEqualTo("checked");
        }
    }
}
