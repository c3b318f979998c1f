package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Workflows.Restarting;
import dev.semel.engine.Worker;
import dev.semel.store.Generation;
import dev.semel.store.InboxEntry;
import dev.semel.task.PermanentFailure;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.WorkflowCancelled;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows that continue as new: what the next generation gets, and what nobody notices. */
class WorkflowContinueTest {

    private static final TaskType<Integer, Integer> DO = TaskType.of("do", Integer.class, Integer.class);
    private static final TaskType<Integer, Integer> HANG = TaskType.of("hang", Integer.class, Integer.class);
    private static final WorkflowType<Integer, String> FLOW = WorkflowType.of("flow", Integer.class, String.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final CountDownLatch hanging = new CountDownLatch(1);

    @AfterEach
    void close() {
        world.close();
    }

    private Worker worker(WorkflowHandler<Integer, String> code) {
        return world.semel
                .worker("default")
                .poll(Duration.ofMillis(20))
                .closeGrace(Duration.ofMillis(200))
                .workflow(FLOW, code)
                .handle(DO, (context, number) -> {
                    ran.add("do " + number);
                    return number + 1;
                })
                .handle(HANG, (context, number) -> {
                    hanging.countDown();
                    new CountDownLatch(1).await();
                    return number;
                })
                .start();
    }

    private Submission<String> start() {
        return world.semel.start(FLOW, "id", 0);
    }

    private String result() {
        return world.semel.workflows().handle(FLOW, "id").result(PATIENCE);
    }

    @Test
    void manyGenerationsHaveOneIdOneResultAndAShortHistory() {
        Worker unused = worker((flow, number) -> {
            int next = flow.run(DO, number);
            return next < 30 ? flow.continueAsNew(next) : "done " + next;
        });
        Submission<String> first = start();
        assertThat(first.result(PATIENCE)).isEqualTo("done 30");
        assertThat(result()).isEqualTo("done 30");
        assertThat(ran).hasSize(30).doesNotHaveDuplicates();
        assertThat(world.semel.start(FLOW, "id", 0).taskId()).isEqualTo(first.taskId());
        assertThat(world.semel.workflows().history(FLOW, "id").lines()).hasSize(1);
        assertThat(world.semel.workflows().history(FLOW, "id").inbox()).hasSize(2);
    }

    @Test
    void signalsThatWereNotReceivedAreReceivedByTheNextGenerationInOrderAndOthersAreNot() {
        TaskId id = start().taskId();
        for (int i = 0; i < 7; i++) {
            world.semel.workflows().signal(FLOW, "id", i % 2 == 0 ? "even" : "odd", i, "key" + i);
        }
        Worker unused = worker((flow, generation) -> {
            ran.add(generation + " " + flow.signal("even", Integer.class));
            if (generation < 3) {
                return flow.continueAsNew(generation + 1);
            }
            return "" + flow.signal("odd", Integer.class) + flow.signal("odd", Integer.class)
                    + flow.signal("odd", Integer.class);
        });
        assertThat(result()).isEqualTo("135");
        assertThat(ran.stream().distinct()).containsExactly("0 0", "1 2", "2 4", "3 6");
        assertThat(world.semel.workflows().handle(FLOW, "id").taskId()).isEqualTo(id);
    }

    @Test
    void aSignalThatIsRepeatedAfterItWasReceivedByAnEarlierGenerationIsNotReceivedAgain() {
        TaskId unusedId = start().taskId();
        world.semel.workflows().signal(FLOW, "id", "go", 1, "key");
        Worker unused = worker((flow, generation) -> {
            int got = flow.signal("go", Integer.class);
            return generation == 0 ? flow.continueAsNew(1) : "got " + got;
        });
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Generation.all(
                                world.semel.workflows().history(FLOW, "id").inbox()))
                        .hasSize(1));
        world.semel.workflows().signal(FLOW, "id", "go", 1, "key");
        world.semel.workflows().signal(FLOW, "id", "go", 2, "another");
        assertThat(result()).isEqualTo("got 2");
    }

    @Test
    void stepsThatAreOpenAreGivenUpBeforeTheNextGenerationBegins() {
        Worker unused = worker((flow, generation) -> {
            if (generation == 1) {
                return "second";
            }
            var hung = flow.start(HANG, 1);
            var done = flow.start(DO, 1);
            done.result();
            ran.add("hung " + hung.taskId());
            return flow.continueAsNew(1);
        });
        TaskId unusedId = start().taskId();
        assertThat(result()).isEqualTo("second");
        TaskId hung = TaskId.parse(ran.stream()
                .filter(text -> text.startsWith("hung "))
                .findFirst()
                .orElseThrow()
                .substring(5));
        assertThat(world.semel.tasks().find(hung).orElseThrow().state()).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    void aCancellationThatWasNotDeliveredIsDeliveredToTheNextGeneration() {
        CompletableFuture<String> go = new CompletableFuture<>();
        Worker unused = worker((flow, generation) -> {
            if (generation == 0) {
                go.join();
                return flow.continueAsNew(1);
            }
            try {
                return flow.signal("never", String.class);
            } catch (WorkflowCancelled e) {
                ran.add("cancelled in " + generation);
                throw e;
            }
        });
        TaskId unusedId = start().taskId();
        world.semel.workflows().cancel(FLOW, "id");
        go.complete("");
        assertThatThrownBy(this::result).isInstanceOf(TaskUnsuccessful.class);
        assertThat(ran).containsExactly("cancelled in 1");
    }

    @Test
    void aRestartRunsTheNewestGenerationWithItsInput() {
        List<Integer> failures = new CopyOnWriteArrayList<>(List.of(2));
        Worker unused = worker((flow, generation) -> {
            flow.run(DO, generation);
            if (failures.contains(generation)) {
                throw new PermanentFailure("no " + generation);
            }
            return generation < 3 ? flow.continueAsNew(generation + 1) : "done";
        });
        TaskId unusedId = start().taskId();
        assertThatThrownBy(this::result).hasMessageContaining("no 2");
        failures.clear();
        assertThat(world.semel.workflows().restart(world.semel.workflows().previewRestart(FLOW, "id")))
                .isEqualTo(Restarting.RESTARTED);
        assertThat(result()).isEqualTo("done");
        assertThat(ran).containsExactly("do 0", "do 1", "do 2", "do 3");
    }

    @Test
    void localStepsRunAgainInEachGenerationWithAnotherToken() {
        List<String> tokens = new CopyOnWriteArrayList<>();
        Worker unused = worker((flow, generation) -> {
            flow.local("call", Integer.class, token -> {
                tokens.add(token);
                return 1;
            });
            return generation < 2 ? flow.continueAsNew(generation + 1) : "done";
        });
        TaskId unusedId = start().taskId();
        assertThat(result()).isEqualTo("done");
        assertThat(tokens).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void theTimeLimitCountsFromTheStartOfTheWorkflow() {
        Worker unused = worker((flow, generation) -> {
            try {
                int unusedSignal = flow.signal("go", Integer.class);
                return flow.continueAsNew(generation + 1);
            } catch (WorkflowCancelled e) {
                ran.add(e.isTimedOut() ? "timed out in " + generation : "cancelled");
                throw e;
            }
        });
        TaskId id = world.semel
                .submit(FLOW, "id", 0)
                .timeLimit(Duration.ofMinutes(10))
                .send()
                .taskId();
        world.pass(Duration.ofMinutes(6));
        world.semel.workflows().signal(FLOW, "id", "go", 1);
        await().atMost(PATIENCE).until(() -> world.task(id).progress().attempt() > 1);
        world.pass(Duration.ofMinutes(5));
        assertThatThrownBy(this::result).isInstanceOf(TaskUnsuccessful.class);
        assertThat(ran).containsExactly("timed out in 1");
        assertThat(world.semel.workflows().handle(FLOW, "id").state()).isEqualTo(TaskState.TIMED_OUT);
    }

    @Test
    void aWorkerThatKnowsAnEarlierGenerationReadsTheNewOne() {
        WorkflowHandler<Integer, String> code = (flow, generation) -> {
            int signal = flow.signal("go", Integer.class);
            ran.add(generation + " got " + signal);
            return signal == 9 ? "done in " + generation : flow.continueAsNew(generation + 1);
        };
        Worker unused = worker(code);
        Worker another = worker(code);
        TaskId unusedId = start().taskId();
        for (int i = 0; i < 10; i++) {
            world.semel.workflows().signal(FLOW, "id", "go", i, "key" + i);
        }
        assertThat(result()).isEqualTo("done in 9");
        assertThat(world.semel.workflows().history(FLOW, "id").inbox())
                .extracting(InboxEntry::key)
                .contains("key0", "key9");
        another.close();
    }

    @Test
    void anInputThatDoesNotFitIsRefusedWhereItIsGiven() {
        Worker unused = worker((flow, generation) -> {
            try {
                return flow.continueAsNew("no number");
            } catch (RuntimeException e) {
                return "refused";
            }
        });
        TaskId unusedId = start().taskId();
        assertThat(result()).isEqualTo("refused");
    }
}
