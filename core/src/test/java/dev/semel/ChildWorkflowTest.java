package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Operations.Redriving;
import dev.semel.engine.Worker;
import dev.semel.task.PermanentFailure;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.ChildPolicy;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowCancelled;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Child workflows: results, and what happens to a child when its parent ends. */
class ChildWorkflowTest {

    private static final WorkflowType<String, String> PARENT = WorkflowType.of("parent", String.class, String.class);
    private static final WorkflowType<String, String> CHILD = WorkflowType.of("child", String.class, String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> ran = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    /** A child that waits for a signal, and cleans up when it is cancelled. */
    private Worker worker(WorkflowHandler<String, String> parent) {
        return world.semel
                .worker("default")
                .poll(Duration.ofMillis(20))
                .closeGrace(Duration.ofMillis(200))
                .workflow(PARENT, parent)
                .workflow(CHILD, (flow, input) -> {
                    try {
                        return input + " " + flow.signal("go", String.class);
                    } catch (WorkflowCancelled e) {
                        ran.add("cleaned up");
                        throw e;
                    }
                })
                .start();
    }

    private TaskId start() {
        return world.semel.start(PARENT, "p", "in").taskId();
    }

    private String result() {
        return world.semel.workflows().handle(PARENT, "p").result(PATIENCE);
    }

    private TaskState child() {
        return world.semel.workflows().handle(CHILD, "c").state();
    }

    private void awaitChild() {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> child() == TaskState.WAITING);
    }

    private void go() {
        world.semel.workflows().signal(CHILD, "c", "go", "on");
    }

    @Test
    void aChildIsAWorkflowOfItsOwnWhoseResultIsThatOfAStep() {
        Worker unused = worker((flow, input) -> flow.run(CHILD, "c", "hello") + "!");
        TaskId parent = start();
        awaitChild();
        go();
        assertThat(result()).isEqualTo("hello on!");
        assertThat(child()).isEqualTo(TaskState.COMPLETED);
        assertThat(world.semel.workflows().handle(PARENT, "p").taskId()).isEqualTo(parent);
    }

    @Test
    void aFailedChildIsAFailedStep() {
        Worker unused = worker((flow, input) -> {
            try {
                return flow.run(CHILD, "c", "hello");
            } catch (TaskUnsuccessful e) {
                return "caught " + e.status().word();
            }
        });
        TaskId unusedParent = start();
        awaitChild();
        world.semel.workflows().cancel(CHILD, "c");
        assertThat(result()).isEqualTo("caught cancelled");
        assertThat(ran).containsExactly("cleaned up");
    }

    @Test
    void anOpenChildIsCancelledAndCleansUpBeforeTheParentCompletes() {
        Worker unused = worker((flow, input) -> {
            TaskId unusedChild = flow.start(CHILD, "c", "hello").taskId();
            flow.signal("end", String.class);
            return "done";
        });
        TaskId unusedParent = start();
        awaitChild();
        world.semel.workflows().signal(PARENT, "p", "end", "");
        assertThat(result()).isEqualTo("done");
        assertThat(child()).isEqualTo(TaskState.CANCELLED);
        assertThat(ran).containsExactly("cleaned up");
    }

    @Test
    void anAbandonedChildGoesOnByItself() {
        Worker unused = worker((flow, input) -> {
            TaskId unusedChild =
                    flow.start(CHILD, "c", "hello", ChildPolicy.ABANDON).taskId();
            flow.signal("end", String.class);
            return "done";
        });
        TaskId unusedParent = start();
        awaitChild();
        world.semel.workflows().signal(PARENT, "p", "end", "");
        assertThat(result()).isEqualTo("done");
        assertThat(child()).isEqualTo(TaskState.WAITING);
        go();
        assertThat(world.semel.workflows().handle(CHILD, "c").result(PATIENCE)).isEqualTo("hello on");
    }

    @Test
    void theParentWaitsForAChildThatItIsToWaitFor() {
        Worker unused = worker((flow, input) -> {
            TaskId unusedChild =
                    flow.start(CHILD, "c", "hello", ChildPolicy.WAIT).taskId();
            return "done";
        });
        TaskId parent = start();
        awaitChild();
        world.awaitState(parent, TaskState.WAITING);
        go();
        assertThat(result()).isEqualTo("done");
        assertThat(child()).isEqualTo(TaskState.COMPLETED);
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ChildPolicy.class)
    void whatHappensToAChildWhenTheParentIsCancelled(ChildPolicy policy) {
        Worker unused =
                worker((flow, input) -> flow.start(CHILD, "c", "hello", policy).result());
        TaskId parent = start();
        awaitChild();
        world.semel.workflows().cancel(PARENT, "p");
        if (policy == ChildPolicy.WAIT) {
            await().atMost(PATIENCE)
                    .until(() -> world.semel.workflows().history(PARENT, "p").lines().stream()
                            .anyMatch(line -> line.kind().word().equals("cancelled")));
            assertThat(world.task(parent).state().isOpen()).isTrue();
            go();
        }
        world.awaitState(parent, TaskState.CANCELLED);
        assertThat(child())
                .isEqualTo(
                        switch (policy) {
                            case CANCEL -> TaskState.CANCELLED;
                            case ABANDON -> TaskState.WAITING;
                            case WAIT -> TaskState.COMPLETED;
                        });
    }

    @Test
    void childrenEndBeforeAFailedParentUndoesWhatItDid() {
        Worker unused = worker((flow, input) -> {
            flow.onFailure("thing", () -> ran.add("undone"));
            TaskId unusedChild = flow.start(CHILD, "c", "hello").taskId();
            flow.signal("end", String.class);
            throw new PermanentFailure("no");
        });
        TaskId unusedParent = start();
        awaitChild();
        world.semel.workflows().signal(PARENT, "p", "end", "");
        assertThatThrownBy(this::result).hasMessageContaining("no");
        assertThat(ran).containsExactly("cleaned up", "undone");
    }

    @Test
    void aChildThatTheParentDidNotStartGoesOn() {
        Worker unused = worker((flow, input) -> {
            TaskId unusedChild = flow.start(CHILD, "c", "hello").taskId();
            flow.signal("end", String.class);
            return "done";
        });
        TaskId stranger = world.semel.start(CHILD, "c", "hello").taskId();
        awaitChild();
        TaskId unusedParent = start();
        world.semel.workflows().signal(PARENT, "p", "end", "");
        assertThat(result()).isEqualTo("done");
        assertThat(world.task(stranger).state()).isEqualTo(TaskState.WAITING);
    }

    @Test
    void aParentThatContinuesAsNewCancelsItsChildrenOrWaitsForThem() {
        Worker unused = worker((flow, input) -> {
            if (input.equals("in")) {
                TaskId unusedChild = flow.start(CHILD, "c", "hello").taskId();
                flow.signal("end", String.class);
                return flow.continueAsNew("again");
            }
            return input;
        });
        TaskId unusedParent = start();
        awaitChild();
        world.semel.workflows().signal(PARENT, "p", "end", "");
        assertThat(result()).isEqualTo("again");
        assertThat(child()).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    void aChildThatIsStartedJustBeforeTheParentContinuesAsNewAndIsLeftAloneRuns() {
        Worker unused = worker((flow, input) -> {
            if (input.equals("in")) {
                Step<String> unusedChild = flow.start(CHILD, "c", "hello", ChildPolicy.ABANDON);
                return flow.continueAsNew("again");
            }
            return input;
        });
        TaskId unusedParent = start();
        assertThat(result()).isEqualTo("again");
        awaitChild();
    }

    @Test
    void aRedriveOfAParentRunsAgainTheChildThatItsEndHasCancelled() {
        AtomicBoolean fails = new AtomicBoolean(true);
        Worker unused = worker((flow, input) -> {
            Step<String> child = flow.start(CHILD, "c", "hello");
            String go = flow.signal("end", String.class);
            if (fails.get()) {
                throw new PermanentFailure("no");
            }
            return child.result() + go;
        });
        TaskId parent = start();
        awaitChild();
        world.semel.workflows().signal(PARENT, "p", "end", "!");
        assertThatThrownBy(this::result).hasMessageContaining("no");
        assertThat(child()).isEqualTo(TaskState.CANCELLED);
        fails.set(false);
        assertThat(world.semel.operations().redrive(parent)).isEqualTo(Redriving.REDRIVEN);
        awaitChild();
        world.semel.workflows().signal(CHILD, "c", "go", "there");
        assertThat(result()).isEqualTo("hello there!");
    }
}
