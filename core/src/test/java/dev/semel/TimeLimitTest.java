package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.engine.Worker;
import dev.semel.store.SweepRequest;
import dev.semel.store.TimeLimits;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimeLimitTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final TaskType<String, String> PLAIN = TaskType.of("plain", String.class, String.class);
    private static final TaskType<String, String> LIMITED = TaskType.builder("limited", String.class, String.class)
            .queue("nobody")
            .timeLimit(HOUR)
            .startBy(MINUTE)
            .build();
    private static final WorkflowType<String, String> FLOW = WorkflowType.of(LIMITED);

    private final World world = new World();

    @AfterEach
    void close() {
        world.close();
    }

    private void pass(Duration time) {
        world.pass(time);
        world.store.sweep(SweepRequest.ofVanished());
    }

    @Test
    void aSubmissionHasTheLimitsOfItsTypeUnlessItSetsOthers() {
        TaskId own = world.semel
                .submit(LIMITED, "x")
                .timeLimit(HOUR.multipliedBy(2))
                .send()
                .taskId();
        assertThat(world.task(own).options().limits()).isEqualTo(TimeLimits.of(HOUR.multipliedBy(2), MINUTE));
        TaskId ofType = world.semel.submit(LIMITED, "x").send().taskId();
        assertThat(world.task(ofType).options().limits()).isEqualTo(TimeLimits.of(HOUR, MINUTE));
        TaskId none = world.semel.submit(PLAIN, "x").send().taskId();
        assertThat(world.task(none).options().limits()).isNull();
        TaskId flow = world.semel.submit(FLOW, "id", "x").send().taskId();
        assertThat(world.task(flow).options().limits()).isEqualTo(TimeLimits.of(null, MINUTE));
        assertThat(world.task(flow).options().workflow()).isEqualTo(new WorkflowOptions(HOUR));
    }

    @Test
    void limitsThatContradictEachOtherAreRejected() {
        assertThatThrownBy(() -> world.semel
                        .submit(LIMITED, "x")
                        .startBy(HOUR.multipliedBy(2))
                        .send())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("time limit");
        assertThatThrownBy(() -> world.semel.submit(LIMITED, "x").delay(MINUTE).send())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("delay");
    }

    @Test
    void aTaskThatNobodyStartsIsTimedOutAndItsSubmitterGetsToKnowWhy() {
        Submission<String> submission = world.semel.submit(LIMITED, "x").send();
        pass(MINUTE);
        assertThat(world.task(submission.taskId()).state()).isEqualTo(TaskState.TIMED_OUT);
        assertThatThrownBy(() -> submission.result(PATIENCE))
                .isInstanceOf(TaskUnsuccessful.class)
                .hasMessageContaining("Not started by");
    }

    @Test
    void aStepThatNobodyStartsFailsInItsWorkflow() {
        WorkflowType<String, String> flow = WorkflowType.of("flow", String.class, String.class);
        try (Worker worker = world.semel
                .worker("default")
                .workflow(flow, (context, input) -> {
                    try {
                        return context.run(
                                PLAIN, input, options -> options.queue("nobody").startBy(MINUTE));
                    } catch (TaskUnsuccessful e) {
                        return e.getMessage();
                    }
                })
                .start()) {
            Submission<String> submission = world.semel.start(flow, "id", "x");
            world.awaitState(submission.taskId(), TaskState.WAITING);
            pass(MINUTE);
            assertThat(submission.result(PATIENCE)).contains("Not started by");
        }
    }
}
