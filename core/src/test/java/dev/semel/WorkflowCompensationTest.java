package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Worker;
import dev.semel.task.PermanentFailure;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows that undo what they did. */
class WorkflowCompensationTest {

    private static final TaskType<String, String> DO = TaskType.of("do", String.class, String.class);
    private static final TaskType<String, String> BAD = TaskType.of("bad", String.class, String.class);
    private static final WorkflowType<String, String> FLOW = WorkflowType.of("flow", String.class, String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> ran = new CopyOnWriteArrayList<>();

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
                .handle(DO, (context, text) -> {
                    ran.add(text);
                    return text;
                })
                .handle(BAD, (context, text) -> {
                    throw new PermanentFailure("no " + text);
                })
                .start();
    }

    private static void book(Flow flow, String what) {
        flow.run(DO, what);
        flow.onFailure(what, () -> flow.run(DO, "undo " + what));
    }

    @Test
    void whatWasDoneIsUndoneInReverseOrderWhenAStepFails() {
        try (Worker worker = worker((flow, input) -> {
            book(flow, "car");
            book(flow, "hotel");
            book(flow, "flight");
            return flow.run(BAD, "payment");
        })) {
            TaskId id = world.semel.start(FLOW, "id", "in").taskId();
            world.awaitState(id, TaskState.FAILED);
            assertThat(ran).containsExactly("car", "hotel", "flight", "undo flight", "undo hotel", "undo car");
            assertThat(world.task(id).progress().lastError()).contains("no payment");
        }
    }

    @Test
    void whatWasDoneIsUndoneWhenTheWorkflowIsCancelled() {
        try (Worker worker = worker((flow, input) -> {
            book(flow, "car");
            return flow.signal("never", String.class);
        })) {
            TaskId id = world.semel.start(FLOW, "id", "in").taskId();
            await().atMost(PATIENCE)
                    .until(() -> world.task(id).state() == TaskState.WAITING
                            && world.task(id).progress().attempt() == 2);
            world.semel.workflows().cancel(FLOW, "id");
            world.awaitState(id, TaskState.CANCELLED);
            assertThat(ran).containsExactly("car", "undo car");
        }
    }

    @Test
    void aCompensationThatFailsForGoodLeavesADeadLetterThatSaysWhatWasNotUndone() {
        try (Worker worker = worker((flow, input) -> {
            book(flow, "car");
            flow.onFailure("mail", () -> flow.run(BAD, "apology"));
            book(flow, "hotel");
            throw new PermanentFailure("out of money");
        })) {
            TaskId id = world.semel.start(FLOW, "id", "in").taskId();
            world.awaitState(id, TaskState.FAILED);
            assertThat(ran).containsExactly("car", "hotel", "undo hotel", "undo car");
            assertThat(world.task(id).progress().lastError())
                    .contains("out of money")
                    .contains("Not undone: mail (")
                    .contains("Undone: hotel, car.");
        }
    }

    @Test
    void aCompensationThatFailsIsTriedAgainAndSuccessUndoesNothing() {
        AtomicInteger tries = new AtomicInteger();
        try (Worker worker = worker((flow, input) -> {
            flow.run(DO, "car");
            flow.onFailure("car", () -> {
                if (tries.incrementAndGet() == 1) {
                    throw new IllegalStateException("not yet");
                }
                flow.run(DO, "undo car");
            });
            if (input.equals("good")) {
                return input;
            }
            throw new PermanentFailure("bad");
        })) {
            assertThat(world.semel.start(FLOW, "good", "good").result(PATIENCE)).isEqualTo("good");
            assertThat(ran).containsExactly("car");
            TaskId id = world.semel.start(FLOW, "id", "in").taskId();
            await().atMost(PATIENCE).until(() -> world.task(id).progress().failures() == 1);
            world.pass(Duration.ofHours(1));
            world.awaitState(id, TaskState.FAILED);
            assertThat(ran).containsExactly("car", "car", "undo car");
            assertThat(world.task(id).progress().lastError()).contains("bad").doesNotContain("not yet");
        }
    }
}
