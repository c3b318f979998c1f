package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Workflows.Restarting;
import dev.semel.engine.Worker;
import dev.semel.store.NewLine;
import dev.semel.task.ResultNotReady;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.workflow.AskRejected;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowNotFound;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Questions to running workflows, each of which is decided once. */
class WorkflowAskTest {

    private static final WorkflowType<Integer, Integer> FLOW = WorkflowType.of("flow", Integer.class, Integer.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> ran = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private Worker worker(WorkflowHandler<Integer, Integer> code) {
        return world.semel
                .worker("default")
                .poll(Duration.ofMillis(20))
                .closeGrace(Duration.ofMillis(200))
                .workflow(FLOW, code)
                .start();
    }

    /** A workflow that adds what it is asked to add, until it is told to end. */
    private Worker adding() {
        return worker((flow, first) -> {
            AtomicInteger total = new AtomicInteger(first);
            flow.onAsk("add", Integer.class, number -> {
                if (number < 0) {
                    throw new IllegalArgumentException("negative " + number);
                }
                return total.addAndGet(number);
            });
            flow.signal("end", String.class);
            return total.get();
        });
    }

    private TaskId start() {
        return world.semel.start(FLOW, "id", 100).taskId();
    }

    private Optional<Integer> ask(int number, String key) {
        return world.semel.workflows().ask(FLOW, "id", "add", number, Integer.class, key, PATIENCE);
    }

    private int end() {
        world.semel.workflows().signal(FLOW, "id", "end", "", "end");
        return world.semel.workflows().handle(FLOW, "id").result(PATIENCE);
    }

    @Test
    void aQuestionIsAnsweredAndChangesTheStateOfTheCodeOnce() {
        Worker unused = adding();
        TaskId unusedId = start();
        assertThat(ask(1, "a")).contains(101);
        assertThat(ask(10, "b")).contains(111);
        assertThat(ask(1, "a")).contains(101);
        assertThat(ask(5, "c")).contains(116);
        assertThat(end()).isEqualTo(116);
    }

    @Test
    void questionsThatWereAskedBeforeTheWorkflowRanAreAnsweredInOrder() {
        TaskId unusedId = start();
        for (int i = 0; i < 3; i++) {
            int number = i;
            assertThatThrownBy(() -> world.semel
                            .workflows()
                            .ask(FLOW, "id", "add", number, Integer.class, "k" + number, Duration.ZERO))
                    .isInstanceOf(ResultNotReady.class);
        }
        Worker unused = adding();
        assertThat(ask(2, "k2")).contains(103);
        assertThat(ask(0, "k0")).contains(100);
    }

    @Test
    void aRejectedQuestionIsRejectedAgain() {
        Worker unused = adding();
        TaskId unusedId = start();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> ask(-1, "a"))
                    .isInstanceOf(AskRejected.class)
                    .hasMessageContaining("negative -1");
        }
        assertThat(end()).isEqualTo(100);
    }

    @Test
    void anAnswerOutlivesTheWorkflowAndANewQuestionIsRefused() {
        Worker unused = adding();
        TaskId unusedId = start();
        assertThat(ask(1, "a")).contains(101);
        assertThat(end()).isEqualTo(101);
        assertThat(ask(1, "a")).contains(101);
        assertThatThrownBy(() -> ask(1, "b")).isInstanceOf(TaskAlreadyFinished.class);
        assertThatThrownBy(() -> world.semel.workflows().ask(FLOW, "other", "add", 1, Integer.class, "a", PATIENCE))
                .isInstanceOf(WorkflowNotFound.class);
    }

    @Test
    void aQuestionThatNothingAnswersEndsWithTheWorkflow() {
        Worker unused = worker((flow, first) -> {
            flow.signal("end", String.class);
            return first;
        });
        TaskId unusedId = start();
        assertThatThrownBy(() ->
                        world.semel.workflows().ask(FLOW, "id", "add", 1, Integer.class, "a", Duration.ofMillis(50)))
                .isInstanceOf(ResultNotReady.class);
        assertThat(end()).isEqualTo(100);
        assertThatThrownBy(() -> ask(1, "a"))
                .isInstanceOf(TaskAlreadyFinished.class)
                .hasMessageContaining("without answering");
    }

    @Test
    void aRestartDoesNotChangeAnAnswerThatWasGiven() {
        Worker unused = adding();
        TaskId id = start();
        assertThat(ask(1, "a")).contains(101);
        world.awaitState(id, TaskState.WAITING);
        assertThat(world.semel.workflows().restart(world.semel.workflows().previewRestart(FLOW, "id", 0)))
                .isEqualTo(Restarting.RESTARTED);
        assertThat(ask(10, "b")).contains(111);
        assertThat(ask(1, "a")).contains(101);
        assertThat(world.semel.workflows().history(FLOW, "id").inbox())
                .filteredOn(entry -> entry.name().equals(NewLine.Answer.NAME))
                .hasSize(2);
        assertThat(end()).isEqualTo(111);
    }

    @Test
    void answersAndOpenQuestionsSurviveAContinuation() {
        Worker unused = worker((flow, first) -> {
            AtomicInteger total = new AtomicInteger(first);
            flow.onAsk("add", Integer.class, number -> total.addAndGet(number));
            flow.signal("next", String.class);
            return first == 100 ? flow.continueAsNew(total.get()) : total.get();
        });
        TaskId unusedId = start();
        assertThat(ask(1, "a")).contains(101);
        world.semel.workflows().signal(FLOW, "id", "next", "");
        assertThat(ask(10, "b")).contains(111);
        assertThat(ask(1, "a")).contains(101);
        world.semel.workflows().signal(FLOW, "id", "next", "");
        assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE)).isEqualTo(111);
    }

    @Test
    void whatAnswersDoesNotUseTheFlow() {
        Worker unused = worker((flow, first) -> {
            flow.onAsk("add", Integer.class, number -> flow.now().toString());
            flow.signal("end", String.class);
            return first;
        });
        TaskId unusedId = start();
        assertThatThrownBy(() -> ask(1, "a")).isInstanceOf(AskRejected.class).hasMessageContaining("flow");
        assertThat(end()).isEqualTo(100);
    }

    @Test
    void aReplayAnswersAtTheSameWaits() {
        Worker first = adding();
        TaskId id = start();
        for (int i = 0; i < 5; i++) {
            assertThat(ask(1, "k" + i)).contains(101 + i);
        }
        first.close();
        Worker another = worker((flow, start) -> {
            AtomicInteger total = new AtomicInteger(start);
            flow.onAsk("add", Integer.class, number -> {
                ran.add("" + number);
                return total.addAndGet(number);
            });
            flow.signal("end", String.class);
            return total.get();
        });
        assertThat(end()).isEqualTo(105);
        assertThat(ran).isNotEmpty();
        await().atMost(PATIENCE).until(() -> world.task(id).state() == TaskState.COMPLETED);
        another.close();
    }

    @Test
    void aSignalThatComesAfterItsTimeoutIsNotReceivedInAReplayBecauseAQuestionWasAnsweredMeanwhile() {
        Worker unused = worker((flow, first) -> {
            flow.onAsk("add", Integer.class, number -> number + 1);
            boolean approved =
                    flow.signal("approve", Boolean.class, Duration.ofHours(1)).orElse(false);
            ran.add("approved " + approved);
            flow.signal("end", String.class);
            return approved ? 1 : 0;
        });
        TaskId id = start();
        assertThat(ask(1, "a")).contains(2);
        world.pass(Duration.ofHours(2));
        await().atMost(PATIENCE).until(() -> ran.contains("approved false"));
        world.awaitState(id, TaskState.WAITING);
        world.semel.workflows().signal(FLOW, "id", "approve", true, "late");
        assertThat(end()).isZero();
        assertThat(ran).doesNotContain("approved true");
    }
}
