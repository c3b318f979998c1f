package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.EffectOperations.Resolving;
import dev.semel.engine.Probe;
import dev.semel.engine.Worker;
import dev.semel.guard.Effect;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.task.InvalidInput;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.Flow;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowCancelled;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Local steps whose outcome a person has to resolve, and what the rest of the workflow does meanwhile. */
class WorkflowLocalStepTest {

    private static final TaskType<String, String> UPPER = TaskType.of("upper", String.class, String.class);
    private static final WorkflowType<String, String> FLOW =
            WorkflowType.of(TaskType.builder("flow", String.class, String.class)
                    .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO, Duration.ZERO))
                    .build());
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final World world = new World();
    private final List<String> calls = new CopyOnWriteArrayList<>();

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

    /** A charge whose first call leaves no outcome. */
    private String charge(String token) throws IOException {
        calls.add(token);
        if (calls.size() == 1) {
            throw new IOException("no answer");
        }
        return "receipt " + calls.size();
    }

    private Step<String> startCharge(Flow flow) throws IOException {
        Effect<String, IOException> charge = this::charge;
        return flow.local("charge", String.class).parkIfUnknown().start(charge);
    }

    private TaskId start() {
        return world.semel.start(FLOW, "id", "in").taskId();
    }

    private String result() {
        return world.semel.workflows().handle(FLOW, "id").result(PATIENCE);
    }

    private EffectRecord awaitUnknown(TaskId id) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(PATIENCE)
                .until(() -> world.task(id).state() != TaskState.RUNNING
                        && world.semel.effects().of(id).stream()
                                .anyMatch(effect -> effect.state() == EffectState.UNKNOWN && effect.note() != null));
        return world.semel.effects().of(id).getFirst();
    }

    private void resolve(TaskId id, Verdict verdict, @Nullable String result) {
        Resolution said = new Resolution(verdict, result, "ada", "seen in the bank's list");
        await().pollInterval(Duration.ofMillis(5))
                .atMost(PATIENCE)
                .until(() -> world.semel.effects().resolve(awaitUnknown(id), said) == Resolving.RESOLVED);
    }

    private void awaitStage(String stage) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(PATIENCE)
                .until(() -> world.semel
                        .workflows()
                        .published(FLOW, "id", "stage", String.class)
                        .filter(stage::equals)
                        .isPresent());
    }

    @Test
    void otherBranchesGoOnWhileAPersonIsAsked() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> charge = startCharge(flow);
            String upper = flow.run(UPPER, input);
            flow.publish("stage", "step");
            String go = flow.signal("go", String.class);
            flow.publish("stage", "signal");
            flow.sleep(Duration.ofHours(1));
            flow.publish("stage", "timer");
            return upper + go + charge.result();
        })) {
            TaskId id = start();
            awaitStage("step");
            world.semel.workflows().signal(FLOW, "id", "go", "!");
            awaitStage("signal");
            world.pass(Duration.ofHours(1));
            awaitStage("timer");
            world.awaitState(id, TaskState.WAITING);
            resolve(id, Verdict.DONE, "\"told\"");
            assertThat(result()).isEqualTo("IN!told");
        }
        assertThat(calls).hasSize(1);
    }

    @Test
    void aLocalStepThatIsAwaitedAtOnceWaitsForThePerson() {
        try (Worker worker = worker((flow, input) -> {
            Effect<String, IOException> charge = this::charge;
            return flow.local("charge", String.class).parkIfUnknown().run(charge) + flow.run(UPPER, "x");
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.WAITING);
            assertThat(awaitUnknown(id).note()).contains("Waits for a person", "\"charge\"");
            resolve(id, Verdict.DONE, "\"told\"");
            assertThat(result()).isEqualTo("toldX");
        }
    }

    @Test
    void aStepThatIsNotDoneRunsAgain() {
        try (Worker worker = worker((flow, input) -> startCharge(flow).result())) {
            TaskId id = start();
            resolve(id, Verdict.NOT_DONE, null);
            assertThat(result()).isEqualTo("receipt 2");
        }
        assertThat(calls).hasSize(2).containsOnly(calls.getFirst());
    }

    @Test
    void aStepThatIsGivenUpFailsOnlyTheBranchThatWaitsForIt() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> charge = startCharge(flow);
            try {
                return charge.result();
            } catch (TaskUnsuccessful e) {
                return flow.run(UPPER, "invoice: " + e.getMessage());
            }
        })) {
            TaskId id = start();
            resolve(id, Verdict.GIVE_UP, null);
            assertThat(result()).contains("INVOICE", "LOCAL STEP \"CHARGE\"", "ADA", "BANK'S LIST");
        }
        assertThat(calls).hasSize(1);
    }

    @Test
    void aWorkflowThatFailedBecauseAStepWasGivenUpAsksAgainWhenItIsRedriven() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> charge = startCharge(flow);
            Step<String> upper = flow.start(UPPER, input);
            flow.all(charge, upper);
            return charge.result() + upper.result();
        })) {
            TaskId id = start();
            resolve(id, Verdict.GIVE_UP, null);
            assertThat(world.awaitState(id, TaskState.FAILED).progress().lastError())
                    .contains("ada");
            for (int i = 0; i < 2; i++) {
                world.semel.operations().redrive(id);
                world.awaitState(id, TaskState.WAITING);
                resolve(id, Verdict.GIVE_UP, null);
                world.awaitState(id, TaskState.FAILED);
            }
            world.semel.operations().redrive(id);
            world.awaitState(id, TaskState.WAITING);
            resolve(id, Verdict.DONE, "\"told\"");
            assertThat(result()).isEqualTo("toldIN");
        }
        assertThat(calls).as("never run without a person's word").hasSize(1);
    }

    @Test
    void anyTakesWhatEndedFirstInEveryReplay() {
        List<String> firsts = new CopyOnWriteArrayList<>();
        try (Worker worker = worker((flow, input) -> {
            Step<String> charge = startCharge(flow);
            Step<String> upper = flow.start(UPPER, input);
            Step<?> first = flow.any(charge, upper);
            firsts.add(first.toString());
            flow.publish("stage", "first");
            String told = charge.result();
            return told + flow.run(UPPER, "x");
        })) {
            TaskId id = start();
            awaitStage("first");
            resolve(id, Verdict.DONE, "\"told\"");
            assertThat(result()).isEqualTo("toldX");
        }
        assertThat(firsts)
                .hasSizeGreaterThan(2)
                .containsOnly(firsts.getFirst())
                .first()
                .asString()
                .contains("upper");
    }

    @Test
    void aStepThatIsDoneAtOnceEndedBeforeEverythingElse() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> upper = flow.start(UPPER, input);
            String other = upper.result();
            Step<String> local = flow.startLocal("note", String.class, token -> "noted");
            return other + flow.any(upper, local) + flow.any(List.of(local)).result();
        })) {
            start();
            assertThat(result()).isEqualTo("INStep[local note]noted");
        }
    }

    @Test
    void theCancellationIsDeliveredWhileAPersonIsAsked() {
        AtomicInteger cleaned = new AtomicInteger();
        try (Worker worker = worker((flow, input) -> {
            try {
                return startCharge(flow).result();
            } catch (WorkflowCancelled e) {
                flow.run(UPPER, "clean");
                cleaned.incrementAndGet();
                throw e;
            }
        })) {
            TaskId id = start();
            awaitUnknown(id);
            world.semel.workflows().cancel(FLOW, "id");
            world.awaitState(id, TaskState.CANCELLED);
            assertThat(cleaned.get()).isEqualTo(1);
            assertThat(world.semel.effects().of(id).getFirst().state()).isEqualTo(EffectState.UNKNOWN);
        }
    }

    @Test
    void theTimeLimitPassesWhileAPersonIsAsked() {
        try (Worker worker = worker((flow, input) -> startCharge(flow).result())) {
            TaskId id = world.semel
                    .submit(FLOW, "id", "in")
                    .timeLimit(Duration.ofHours(1))
                    .send()
                    .taskId();
            awaitUnknown(id);
            world.pass(Duration.ofHours(1));
            world.awaitState(id, TaskState.TIMED_OUT);
        }
    }

    @Test
    void anOutcomeThatIsLeftToAPersonIsNotProbedAgain() {
        AtomicInteger probes = new AtomicInteger();
        try (Worker worker = worker((flow, input) -> {
            Effect<String, IOException> charge = this::charge;
            Step<String> step = flow.local("charge", String.class)
                    .probeIfUnknown(token -> {
                        probes.incrementAndGet();
                        return Probe.Answer.unknown("the list is not complete");
                    })
                    .start(charge);
            flow.run(UPPER, "a");
            flow.run(UPPER, "b");
            return step.result();
        })) {
            TaskId id = start();
            world.awaitState(id, TaskState.WAITING);
            resolve(id, Verdict.DONE, "\"told\"");
            assertThat(result()).isEqualTo("told");
        }
        assertThat(probes.get()).isEqualTo(1);
    }

    @Test
    void aRestartWhileAPersonIsAskedKeepsTheQuestion() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> charge = startCharge(flow);
            String upper = flow.run(UPPER, input);
            return charge.result() + upper;
        })) {
            TaskId id = start();
            awaitUnknown(id);
            world.awaitState(id, TaskState.WAITING);
            assertThat(world.store.operate(List.of(new Operation.Restart(id, 1, 1))))
                    .containsExactly(dev.semel.store.Operated.APPLIED);
            world.awaitState(id, TaskState.WAITING);
            resolve(id, Verdict.DONE, "\"told\"");
            assertThat(result()).isEqualTo("toldIN");
        }
        assertThat(calls).hasSize(1);
    }

    @Test
    void aWorkflowThatContinuesAsNewLeavesItsQuestionToThePersonAndAsksAnew() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> charge = startCharge(flow);
            if (input.equals("in")) {
                return flow.continueAsNew("again"); // nobody waits for the charge
            }
            String end = flow.signal("end", String.class);
            return charge.result() + end;
        })) {
            TaskId id = start();
            await().atMost(PATIENCE)
                    .until(() -> calls.size() == 2 && world.task(id).state() == TaskState.WAITING);
            assertThat(calls).as("tokens").doesNotHaveDuplicates();
            EffectRecord old = awaitUnknown(id);
            assertThat(old.id().token()).isEqualTo(calls.getFirst());
            resolve(id, Verdict.DONE, "\"told\"");
            assertThat(world.semel.effects().of(id))
                    .extracting(EffectRecord::state)
                    .containsOnly(EffectState.DONE);
            world.semel.workflows().signal(FLOW, "id", "end", "!");
            assertThat(result())
                    .as("what was resolved belongs to the first generation")
                    .isEqualTo("receipt 2!");
        }
        assertThat(calls).hasSize(2);
    }

    @Test
    void aLocalStepHasNoTask() {
        try (Worker worker = worker((flow, input) -> {
            Step<String> note = flow.startLocal("note", String.class, token -> "noted");
            assertThatThrownBy(note::taskId)
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("Local step \"note\"");
            flow.abandon(note);
            return Objects.requireNonNull(note.result());
        })) {
            start();
            assertThat(result()).isEqualTo("noted");
        }
    }
}
