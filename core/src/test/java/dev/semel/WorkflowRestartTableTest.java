package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.EffectOperations.Resolving;
import dev.semel.Operations.Redriving;
import dev.semel.Workflows.Restarting;
import dev.semel.engine.Worker;
import dev.semel.guard.Effect;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.Resolution;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.task.Identity;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import dev.semel.workflow.Flow;
import dev.semel.workflow.LocalCall;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The two tables of "Restarting" on the page of workflows, cell by cell. */
class WorkflowRestartTableTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final TaskType<String, String> DO = TaskType.of("do", String.class, String.class);
    private static final WorkflowType<String, String> FLOW =
            WorkflowType.of(TaskType.builder("flow", String.class, String.class)
                    .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO, DAY))
                    .build());
    private static final WorkflowType<String, String> EXCLUSIVE =
            WorkflowType.of(TaskType.builder("exclusive", String.class, String.class)
                    .mutex(input -> "one")
                    .build());

    private final World world = new World();
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final AtomicBoolean first = new AtomicBoolean(true);
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void close() {
        released.countDown();
        world.close();
    }

    private static void awaitThat(BooleanSupplier condition) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .atMost(PATIENCE)
                .until(condition::getAsBoolean);
    }

    private void work(WorkflowHandler<String, String> code) {
        Worker unused = world.semel
                .worker("default")
                .poll(Duration.ofMillis(5))
                .closeGrace(Duration.ofMillis(100))
                .workflow(FLOW, code)
                .workflow(EXCLUSIVE, code)
                .handle(DO, (context, text) -> {
                    ran.add(text);
                    if (text.equals("bad")) {
                        throw new PermanentFailure("no " + text);
                    }
                    return text + " " + ran.size();
                })
                .start();
    }

    // ---- the state of the workflow

    /** The rows of the first table. */
    enum Standing {
        NOT_BEGUN,
        RUNS,
        WAITS_FOR_STEP,
        WAITS_FOR_SIGNAL,
        WAITS_FOR_TIME,
        WAITS_FOR_PERSON,
        TO_BE_RETRIED,
        STOPPED,
        WAITS_FOR_MUTEX,
        WAITS_FOR_REPLACED,
        COMPLETED,
        FAILED,
        TIMED_OUT,
        CANCELLED,
        TERMINATED,
        NEWER_IS_OPEN,
        NEWER_IS_COMPLETED,
        COMPLETED_WITH_FREE_ID,
        FAILED_WITH_FREE_ID;

        WorkflowType<String, String> type() {
            return this == WAITS_FOR_MUTEX ? EXCLUSIVE : FLOW;
        }

        Restarting restart() {
            return switch (this) {
                case NOT_BEGUN, RUNS, WAITS_FOR_MUTEX, WAITS_FOR_REPLACED -> Restarting.RUNS;
                case NEWER_IS_OPEN, NEWER_IS_COMPLETED -> Restarting.SUPERSEDED;
                default -> Restarting.RESTARTED;
            };
        }

        Redriving redrive() {
            return switch (this) {
                case FAILED, TIMED_OUT, FAILED_WITH_FREE_ID -> Redriving.REDRIVEN;
                case NEWER_IS_OPEN, NEWER_IS_COMPLETED -> Redriving.SUPERSEDED;
                default -> Redriving.NOT_DEAD;
            };
        }

        /** Whether a start with the same id creates a task. */
        boolean startsAnew() {
            return switch (this) {
                case FAILED, TIMED_OUT, CANCELLED, TERMINATED, COMPLETED_WITH_FREE_ID, FAILED_WITH_FREE_ID -> true;
                default -> false;
            };
        }
    }

    /** What the code does: a step that completes, and then what brings it into its state. */
    private String code(Flow flow, Standing standing) throws Exception {
        String done = flow.run(DO, "done");
        if (!first.get()) {
            return done + flow.signal("end", String.class);
        }
        return switch (standing) {
            case NOT_BEGUN -> throw new AssertionError("has begun");
            case RUNS -> {
                ran.add("runs");
                released.await();
                yield done;
            }
            case WAITS_FOR_STEP -> flow.run(DO, "later", options -> options.delay(DAY));
            case WAITS_FOR_SIGNAL, TIMED_OUT, CANCELLED, TERMINATED -> flow.signal("never", String.class);
            case WAITS_FOR_TIME -> {
                flow.sleep(DAY);
                yield done;
            }
            case WAITS_FOR_PERSON ->
                unknown(flow.local("charge", String.class).parkIfUnknown()).result();
            case TO_BE_RETRIED -> throw new IOException("try again");
            case STOPPED -> {
                if (ran.contains("recorded")) {
                    flow.record("two", String.class, () -> "2");
                }
                flow.record("one", String.class, () -> "1");
                ran.add("recorded");
                yield flow.signal("never", String.class);
            }
            case WAITS_FOR_MUTEX, WAITS_FOR_REPLACED -> throw new AssertionError("has begun");
            case COMPLETED, COMPLETED_WITH_FREE_ID -> done;
            case FAILED, FAILED_WITH_FREE_ID, NEWER_IS_OPEN, NEWER_IS_COMPLETED -> flow.run(DO, "bad");
        };
    }

    private Step<String> unknown(LocalCall<String> call) throws IOException {
        Effect<String, IOException> effect = token -> {
            ran.add("charge " + token);
            if (first.get()) {
                throw new IOException("no answer");
            }
            return "receipt";
        };
        return call.start(effect);
    }

    private TaskId start(Standing standing) {
        SubmissionRequest<String, String> request = world.semel.submit(standing.type(), "id", "in");
        return (standing == Standing.TIMED_OUT ? request.timeLimit(Duration.ofHours(1)) : request)
                .send()
                .taskId();
    }

    /**
     * A workflow in a state.
     *
     * @param task its task
     * @param restart what a restart that keeps its first line would do, if it has one
     * @param newest the task that has its id
     */
    private record Reached(TaskId task, RestartPreview restart, TaskId newest) {}

    private Reached reach(Standing standing) {
        if (standing == Standing.WAITS_FOR_MUTEX || standing == Standing.WAITS_FOR_REPLACED) {
            return waitsForAnother(standing);
        }
        if (standing != Standing.NOT_BEGUN) {
            work((flow, input) -> code(flow, standing));
        }
        TaskId id = start(standing);
        switch (standing) {
            case NOT_BEGUN -> {}
            case RUNS -> awaitThat(() -> ran.contains("runs"));
            case WAITS_FOR_STEP, WAITS_FOR_TIME, WAITS_FOR_SIGNAL -> awaitWaiting(id);
            case WAITS_FOR_PERSON -> {
                awaitThat(() -> unknown(id).stream().anyMatch(effect -> effect.note() != null));
                awaitWaiting(id);
            }
            case TO_BE_RETRIED -> awaitLastRetry(id);
            case STOPPED -> {
                awaitThat(() -> ran.contains("recorded"));
                awaitWaiting(id);
                world.semel.workflows().resume(FLOW, "id");
                awaitThat(() ->
                        Objects.toString(world.task(id).progress().lastError()).contains("does not fit"));
                awaitThat(() -> world.task(id).state() != TaskState.RUNNING);
            }
            case COMPLETED, COMPLETED_WITH_FREE_ID -> world.awaitState(id, TaskState.COMPLETED);
            case FAILED, FAILED_WITH_FREE_ID, NEWER_IS_OPEN, NEWER_IS_COMPLETED ->
                world.awaitState(id, TaskState.FAILED);
            case TIMED_OUT -> {
                awaitWaiting(id);
                world.pass(Duration.ofHours(1));
                world.awaitState(id, TaskState.TIMED_OUT);
            }
            case CANCELLED -> {
                awaitWaiting(id);
                world.semel.workflows().cancel(FLOW, "id");
                world.awaitState(id, TaskState.CANCELLED);
            }
            case TERMINATED -> {
                awaitWaiting(id);
                world.semel.workflows().terminate(FLOW, "id");
                world.awaitState(id, TaskState.CANCELLED);
            }
            case WAITS_FOR_MUTEX, WAITS_FOR_REPLACED -> throw new AssertionError();
        }
        int lines = world.semel.workflows().history(FLOW, "id").lines().size();
        RestartPreview preview = world.semel.workflows().previewRestart(FLOW, "id", Math.min(2, lines + 1));
        return new Reached(id, preview, newest(standing, id));
    }

    /** Waits until the code has gone past its first step, and waits. */
    private void awaitWaiting(TaskId id) {
        awaitThat(() -> world.task(id).progress().attempt() > 1 && isWaiting(id));
    }

    private boolean isWaiting(TaskId id) {
        Task task = world.task(id);
        return switch (task.state()) {
            case WAITING -> true;
            case PENDING -> task.progress().dueAt().isAfter(world.now.get());
            default -> false;
        };
    }

    private void awaitLastRetry(TaskId id) {
        awaitThat(() ->
                world.task(id).progress().failures() == 3 && world.task(id).state() == TaskState.PENDING);
    }

    private Reached waitsForAnother(Standing standing) {
        work((flow, input) -> {
            try {
                ran.add("runs");
                released.await();
                return "";
            } catch (InterruptedException e) {
                throw new PermanentFailure("interrupted", e);
            }
        });
        TaskId other = world.semel
                .start(standing.type(), standing == Standing.WAITS_FOR_MUTEX ? "other" : "id", "in")
                .taskId();
        awaitThat(() -> ran.contains("runs"));
        TaskId id = world.semel
                .submit(standing.type(), "id", "new")
                .reuse(ReusePolicy.allowFailedOnly().whileOpen(ReusePolicy.WhileOpen.REPLACE))
                .send()
                .taskId();
        assertThat(id).isNotEqualTo(other);
        world.awaitState(id, TaskState.WAITING);
        return new Reached(id, world.semel.workflows().previewRestart(standing.type(), "id", 1), id);
    }

    private TaskId newest(Standing standing, TaskId id) {
        return switch (standing) {
            case COMPLETED_WITH_FREE_ID, FAILED_WITH_FREE_ID -> {
                Identity identity = Objects.requireNonNull(world.task(id).identity());
                assertThat(world.semel.operations().release(identity)).isEqualTo(Operations.Release.RELEASED);
                yield id;
            }
            case NEWER_IS_OPEN, NEWER_IS_COMPLETED -> {
                first.set(false); // the newer one waits for a signal
                TaskId newer = start(standing);
                assertThat(newer).isNotEqualTo(id);
                if (standing == Standing.NEWER_IS_COMPLETED) {
                    world.semel.workflows().signal(FLOW, "id", "end", "");
                    world.awaitState(newer, TaskState.COMPLETED);
                } else {
                    awaitWaiting(newer);
                }
                yield newer;
            }
            default -> id;
        };
    }

    private History history(TaskId id) {
        return Objects.requireNonNull(
                world.store.histories(List.of(History.Query.whole(id))).get(id));
    }

    /** What a refused operation must not change. */
    private List<Object> looks(TaskId id) {
        History history = history(id);
        return List.of(
                history.lines(), history.inbox(), world.task(id).progress().state());
    }

    /** The workflow runs again as the same task, keeps its first step, and those who wait get the new result. */
    private void assertRunsAgain(TaskId id, int from) {
        assertThat(Generation.all(history(id).inbox()))
                .extracting(Generation::from)
                .containsExactly(from);
        assertThat(world.semel.workflows().taskId(FLOW, "id")).isEqualTo(id);
        world.semel.workflows().signal(FLOW, "id", "end", "!");
        assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE)).isEqualTo("done 1!");
        assertThat(ran).filteredOn("done"::equals).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Standing.class)
    void aRestartIsDecidedByTheStateOfTheWorkflow(Standing standing) {
        Reached reached = reach(standing);
        List<Object> before = looks(reached.task());
        first.set(false);
        assertThat(world.semel.workflows().restart(reached.restart())).isEqualTo(standing.restart());
        if (standing.restart() == Restarting.RESTARTED) {
            assertRunsAgain(reached.task(), 2);
        } else {
            assertThat(looks(reached.task())).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(Standing.class)
    void aRedriveIsDecidedByTheStateOfTheWorkflow(Standing standing) {
        Reached reached = reach(standing);
        List<Object> before = looks(reached.task());
        first.set(false);
        assertThat(world.semel.operations().redrive(reached.task())).isEqualTo(standing.redrive());
        if (standing.redrive() == Redriving.REDRIVEN) {
            assertRunsAgain(reached.task(), 2); // the first step without success, or the line of the time limit
        } else {
            assertThat(looks(reached.task())).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(Standing.class)
    void aStartWithTheSameIdIsDecidedByTheStateOfTheWorkflow(Standing standing) {
        Reached reached = reach(standing);
        List<Object> before = looks(reached.task());
        first.set(false);
        boolean replaces = standing == Standing.WAITS_FOR_MUTEX || standing == Standing.WAITS_FOR_REPLACED;
        TaskId started = world.semel
                .start(standing.type(), "id", replaces ? "new" : "in")
                .taskId();
        if (standing.startsAnew()) {
            assertThat(started).isNotEqualTo(reached.newest());
            world.semel.workflows().signal(FLOW, "id", "end", "!");
            assertThat(world.semel.workflows().handle(FLOW, "id").result(PATIENCE))
                    .endsWith("!");
            assertThat(ran)
                    .as("a history of its own")
                    .filteredOn("done"::equals)
                    .hasSize(2);
        } else {
            assertThat(started).isEqualTo(reached.newest());
        }
        assertThat(looks(reached.task())).isEqualTo(before);
    }

    // ---- the state of the step

    /** The rows of the second table. */
    enum StepState {
        COMPLETED,
        FAILED,
        TIMED_OUT,
        CANCELLED,
        OPEN,
        OPEN_WITH_KEY,
        LOCAL_DONE,
        LOCAL_UNKNOWN,
        LOCAL_REFERRED;

        boolean isLocal() {
            return this == LOCAL_DONE || this == LOCAL_UNKNOWN || this == LOCAL_REFERRED;
        }

        boolean isOpen() {
            return this == OPEN || this == OPEN_WITH_KEY;
        }
    }

    /** Three lines, of which the second is the step; a local one has none and comes instead. Then it fails, in its first generation. */
    private String oneStep(Flow flow, StepState state) throws Exception {
        flow.record("before", String.class, () -> "");
        Step<String> step = switch (state) {
            case COMPLETED -> flow.start(DO, "good");
            case FAILED -> flow.start(DO, first.get() ? "bad" : "good");
            case TIMED_OUT ->
                flow.start(
                        DO,
                        "good",
                        options -> options.startBy(Duration.ofMinutes(1)).queue(queue()));
            case CANCELLED, OPEN -> flow.start(DO, "good", options -> options.queue(queue()));
            case OPEN_WITH_KEY ->
                flow.start(DO, "good", options -> options.queue("nobody").idempotencyKey("shared"));
            case LOCAL_DONE ->
                flow.local("charge", String.class).start(token -> {
                    ran.add("charge " + token);
                    return "receipt";
                });
            case LOCAL_UNKNOWN -> unknown(flow.local("charge", String.class));
            case LOCAL_REFERRED -> unknown(flow.local("charge", String.class).parkIfUnknown());
        };
        String end = "open";
        boolean awaited = !first.get() || !(state.isOpen() || state == StepState.LOCAL_REFERRED);
        if (awaited) {
            try {
                end = step.result();
            } catch (TaskUnsuccessful e) {
                end = e.status().word();
            }
        }
        flow.record("behind", String.class, () -> "");
        if (first.get()) {
            throw new PermanentFailure("the first generation");
        }
        return end;
    }

    private String queue() {
        return first.get() ? "nobody" : "default";
    }

    /** The first generation has failed, with the step in its state. */
    private TaskId failedWith(StepState state) {
        work((flow, input) -> oneStep(flow, state));
        TaskId id = start(Standing.FAILED);
        if (state == StepState.TIMED_OUT || state == StepState.CANCELLED) {
            world.awaitState(id, TaskState.WAITING);
            if (state == StepState.CANCELLED) {
                world.semel.operations().cancel(Objects.requireNonNull(step(id)));
            } else {
                world.pass(Duration.ofMinutes(1));
                world.store.sweep(SweepRequest.ofVanished());
            }
        }
        if (state == StepState.LOCAL_UNKNOWN) {
            awaitLastRetry(id);
            world.pass(DAY);
        }
        world.awaitState(id, TaskState.FAILED);
        return id;
    }

    private @Nullable TaskId step(TaskId id) {
        return history(id).lines().stream()
                .filter(line -> line.kind() == Kind.STEP)
                .map(HistoryLine::task)
                .findFirst()
                .orElse(null);
    }

    private TaskId restarted(StepState state, int from) {
        TaskId id = failedWith(state);
        first.set(false);
        RestartPreview preview = world.semel.workflows().previewRestart(FLOW, "id", from);
        assertThat(world.semel.workflows().restart(preview)).isEqualTo(Restarting.RESTARTED);
        return id;
    }

    private String result() {
        return world.semel.workflows().handle(FLOW, "id").result(PATIENCE);
    }

    private List<EffectRecord> unknown(TaskId id) {
        return world.semel.effects().of(id).stream()
                .filter(effect -> effect.state() == EffectState.UNKNOWN)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(StepState.class)
    void aStepBeforeTheLineIsKept(StepState state) {
        TaskId id = restarted(state, state.isLocal() ? 2 : 3);
        TaskId kept = step(id);
        switch (state) {
            case COMPLETED -> assertThat(result()).isEqualTo("good 1");
            case FAILED, TIMED_OUT, CANCELLED ->
                assertThat(result()).isEqualTo(state.name().toLowerCase(Locale.ROOT));
            case OPEN, OPEN_WITH_KEY -> {
                world.awaitState(id, TaskState.WAITING);
                try (Worker worker = world.semel
                        .worker("nobody")
                        .handle(DO, (context, text) -> "late")
                        .start()) {
                    assertThat(result()).isEqualTo("late");
                }
                assertThat(world.task(Objects.requireNonNull(kept)).state()).isEqualTo(TaskState.COMPLETED);
            }
            case LOCAL_DONE -> {
                assertThat(result()).isEqualTo("receipt");
                assertThat(ran).as("calls").hasSize(1);
            }
            case LOCAL_UNKNOWN -> {
                assertThat(result()).isEqualTo("receipt");
                assertThat(ran).hasSizeGreaterThan(1);
                assertThat(ran.stream().distinct()).as("tokens").hasSize(1);
                assertThat(unknown(id)).isEmpty();
            }
            case LOCAL_REFERRED -> {
                world.awaitState(id, TaskState.WAITING);
                Resolution done = new Resolution(Resolution.Verdict.DONE, "\"told\"", "ada", "seen");
                assertThat(world.semel.effects().resolve(unknown(id).getFirst(), done))
                        .isEqualTo(Resolving.RESOLVED);
                assertThat(result()).isEqualTo("told");
                assertThat(ran).as("calls").hasSize(1);
            }
        }
        assertThat(step(id)).isEqualTo(kept);
    }

    @ParameterizedTest
    @EnumSource(StepState.class)
    void aStepFromTheLineOnIsDoneAgain(StepState state) {
        TaskId id = failedWith(state);
        TaskId old = step(id);
        first.set(false);
        RestartPreview preview = world.semel.workflows().previewRestart(FLOW, "id", state.isLocal() ? 1 : 2);
        assertThat(world.semel.workflows().restart(preview)).isEqualTo(Restarting.RESTARTED);
        switch (state) {
            case COMPLETED, FAILED -> assertThat(result()).isEqualTo("good 2");
            case TIMED_OUT, CANCELLED -> assertThat(result()).isEqualTo("good 1");
            case OPEN -> {
                assertThat(result()).isEqualTo("good 1");
                assertThat(world.task(Objects.requireNonNull(old)).state()).isEqualTo(TaskState.CANCELLED);
            }
            case OPEN_WITH_KEY -> {
                world.awaitState(id, TaskState.WAITING);
                assertThat(step(id)).isEqualTo(old);
                assertThat(world.task(Objects.requireNonNull(old)).state()).isEqualTo(TaskState.PENDING);
            }
            case LOCAL_DONE, LOCAL_UNKNOWN, LOCAL_REFERRED -> {
                assertThat(result()).isEqualTo("receipt");
                assertThat(ran.getLast()).as("token").isNotEqualTo(ran.getFirst());
                assertThat(ran.stream().distinct()).as("tokens").hasSize(2);
                assertThat(unknown(id)).hasSize(state == StepState.LOCAL_DONE ? 0 : 1);
            }
        }
        if (!state.isLocal() && state != StepState.OPEN_WITH_KEY) {
            assertThat(step(id)).isNotEqualTo(old);
        }
    }
}
