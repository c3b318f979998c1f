package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.RawJson;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import dev.semel.task.SemelException;
import dev.semel.task.TaskAlreadyCompleted;
import dev.semel.task.TaskAlreadyExists;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests every cell of the decision table through the public API, alone and in a batch. The expectations are written
 * from the specification, and the prediction of {@code explain} must match the outcome.
 */
class DecisionThroughTheApiTest {

    private static final TaskType<RawJson, RawJson> CHARGE = TaskType.of("charge", RawJson.class, RawJson.class);
    private static final TaskType<RawJson, RawJson> REFUND = TaskType.of("refund", RawJson.class, RawJson.class);
    private static final RawJson FIRST = new RawJson("{\"order\":1,\"amount\":5}");
    private static final RawJson SECOND = new RawJson("{\"order\":1,\"amount\":6}");

    private static final List<WhileOpen> OPEN = List.of(WhileOpen.RETURN, WhileOpen.REJECT, WhileOpen.REPLACE);
    private static final List<AfterEnd> ENDED = List.of(AfterEnd.RETURN, AfterEnd.REJECT, AfterEnd.RERUN);

    enum Difference {
        NONE,
        INPUT,
        TYPE
    }

    enum Way {
        ALONE,
        IN_A_BATCH
    }

    /** A cell: the existing task, its rule, the new submission, and the rule for different input. */
    record Cell(TaskState state, int rule, Difference difference, OtherInput otherInput, Way way) {

        WhileOpen open() {
            return OPEN.get(rule);
        }

        AfterEnd end() {
            return ENDED.get(rule);
        }

        /**
         * Returns a policy in which only the state of the cell has the rule of the cell; all other states have another
         * rule.
         */
        ReusePolicy policy() {
            WhileOpen otherOpen = OPEN.get((rule + 1) % 3);
            AfterEnd otherEnd = ENDED.get((rule + 1) % 3);
            return new ReusePolicy(
                    state == TaskState.PENDING ? open() : otherOpen,
                    state == TaskState.RUNNING ? open() : otherOpen,
                    state == TaskState.WAITING ? open() : otherOpen,
                    state == TaskState.COMPLETED ? end() : otherEnd,
                    state == TaskState.FAILED ? end() : otherEnd,
                    state == TaskState.CANCELLED ? end() : otherEnd,
                    state == TaskState.TIMED_OUT ? end() : otherEnd,
                    otherInput);
        }

        /** The table of the specification. */
        Explanation.Outcome expected() {
            if (state.isOpen() && open() == WhileOpen.REPLACE) {
                return Explanation.Outcome.REPLACE;
            }
            if (state == TaskState.COMPLETED && end() == AfterEnd.RERUN) {
                return Explanation.Outcome.RERUN;
            }
            boolean rejects = state.isOpen() ? open() == WhileOpen.REJECT : end() == AfterEnd.REJECT;
            boolean returns = state.isOpen() ? open() == WhileOpen.RETURN : end() == AfterEnd.RETURN;
            if (difference != Difference.NONE && otherInput == OtherInput.CONFLICT) {
                return Explanation.Outcome.CONFLICT;
            }
            if (rejects) {
                return Explanation.Outcome.REJECT;
            }
            if (difference != Difference.NONE && otherInput == OtherInput.WARN) {
                return Explanation.Outcome.WARN;
            }
            return returns ? Explanation.Outcome.RETURN : Explanation.Outcome.RERUN;
        }
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (TaskState state : TaskState.values()) {
            for (int rule = 0; rule < 3; rule++) {
                for (Difference difference : Difference.values()) {
                    for (OtherInput otherInput : OtherInput.values()) {
                        for (Way way : Way.values()) {
                            cells.add(new Cell(state, rule, difference, otherInput, way));
                        }
                    }
                }
            }
        }
        return cells.stream();
    }

    private final World world = new World();

    @AfterEach
    void close() {
        world.close();
    }

    @ParameterizedTest
    @MethodSource("cells")
    void everyCellHolds(Cell cell) {
        TaskId existing = existing(cell.state());
        Task before = world.task(existing);
        KeyRecord record = record(before);
        SubmissionRequest<RawJson, RawJson> request = world.semel
                .submit(
                        cell.difference() == Difference.TYPE ? REFUND : CHARGE,
                        cell.difference() == Difference.INPUT ? SECOND : FIRST)
                .idempotencyKey("k")
                .scope(Scope.tenant())
                .reuse(cell.policy());

        Explanation explained = world.semel.explain(request);
        assertThat(explained.outcome()).isEqualTo(cell.expected());
        assertThat(world.task(existing)).isEqualTo(before);

        SubmitOutcome<RawJson> outcome = sent(cell.way(), request);
        switch (cell.expected()) {
            case CREATE, REPEAT -> throw new AssertionError("There is a task already");
            case RETURN, WARN -> {
                Submission<RawJson> answer = outcome.submission();
                assertThat(answer.created()).isFalse();
                assertThat(answer.taskId()).isEqualTo(existing);
                assertThat(answer.deduplicatedFrom()).contains(before.createdAt());
                assertThat(answer.state()).isEqualTo(cell.state());
                assertThat(answer.inputDiffers()).isEqualTo(cell.expected() == Explanation.Outcome.WARN);
                unchanged(before, counted(record));
            }
            case RERUN, REPLACE -> created(cell, before, outcome.submission());
            case REJECT -> {
                rejected(before, error(outcome));
                unchanged(before, record);
            }
            case CONFLICT -> {
                IdempotencyConflict conflict = (IdempotencyConflict) error(outcome);
                assertThat(conflict.existingTaskId()).isEqualTo(existing);
                assertThat(conflict.status()).isEqualTo(cell.state());
                assertThat(conflict.existingHash()).isEqualTo(record.inputHash());
                assertThat(conflict.differingPaths())
                        .isEqualTo(cell.difference() == Difference.INPUT ? List.of("/amount") : List.of());
                assertThat(explained.difference()).isNotNull();
                assertThat(explained.difference().paths()).isEqualTo(conflict.differingPaths());
                unchanged(before, record);
            }
        }
    }

    private void created(Cell cell, Task before, Submission<RawJson> answer) {
        assertThat(answer.created()).isTrue();
        assertThat(answer.taskId()).isNotEqualTo(before.id());
        assertThat(answer.run()).isEqualTo(before.run() + 1);
        Task made = world.task(answer.taskId());
        boolean continues = cell.expected() == Explanation.Outcome.RERUN && cell.state() != TaskState.COMPLETED;
        assertThat(made.lineage()).isEqualTo(continues ? before.lineage() : made.id());
        // A waiting task waits for a running one; the task that replaces it waits for the same running task.
        boolean waits = cell.state() == TaskState.RUNNING || cell.state() == TaskState.WAITING;
        assertThat(made.state()).isEqualTo(waits ? TaskState.WAITING : TaskState.PENDING);
        assertThat(record(made).taskId()).isEqualTo(made.id());
        Task after = world.task(before.id());
        if (!cell.state().isOpen()) {
            assertThat(after).isEqualTo(before);
        } else {
            assertThat(after.progress().cancelRequested()).isTrue();
            assertThat(after.state())
                    .isEqualTo(cell.state() == TaskState.RUNNING ? TaskState.RUNNING : TaskState.CANCELLED);
        }
        assertThat(world.semel.operations().key(record(made).identity()).tasks())
                .extracting(Task::id)
                .contains(before.id(), made.id());
    }

    private static void rejected(Task before, SemelException error) {
        switch (before.state()) {
            case PENDING, RUNNING, WAITING -> {
                TaskAlreadyExists exists = (TaskAlreadyExists) error;
                assertThat(exists.existingTaskId()).isEqualTo(before.id());
                assertThat(exists.status()).isEqualTo(before.state());
            }
            case COMPLETED -> {
                TaskAlreadyCompleted completed = (TaskAlreadyCompleted) error;
                assertThat(completed.existingTaskId()).isEqualTo(before.id());
                assertThat(completed.completedAt()).isEqualTo(before.progress().finishedAt());
                assertThat(completed.result()).contains("{\"paid\":true}");
            }
            case FAILED, CANCELLED, TIMED_OUT -> {
                TaskAlreadyFinished finished = (TaskAlreadyFinished) error;
                assertThat(finished.existingTaskId()).isEqualTo(before.id());
                assertThat(finished.status()).isEqualTo(before.state());
                assertThat(finished.finishedAt()).isEqualTo(before.progress().finishedAt());
            }
        }
    }

    private void unchanged(Task before, KeyRecord record) {
        assertThat(world.task(before.id())).isEqualTo(before);
        assertThat(record(before)).isEqualTo(record);
    }

    /** The record with one more duplicate. */
    private KeyRecord counted(KeyRecord record) {
        return new KeyRecord(
                record.identity(),
                record.taskId(),
                record.type(),
                record.inputHash(),
                record.run(),
                record.lineage(),
                record.createdAt(),
                record.expiresAt(),
                record.windowPassed(),
                record.state(),
                record.finishedAt(),
                record.dataGone(),
                record.duplicates() + 1,
                world.now.get());
    }

    private SubmitOutcome<RawJson> sent(Way way, SubmissionRequest<RawJson, RawJson> request) {
        if (way == Way.ALONE) {
            try {
                return new SubmitOutcome.Accepted<>(request.send());
            } catch (SemelException e) {
                return new SubmitOutcome.Refused<>(e);
            }
        }
        // Between two unrelated submissions, which are not affected.
        List<SubmitOutcome<RawJson>> outcomes = world.semel.submitAll(List.of(
                world.semel.submit(CHARGE, FIRST).idempotencyKey("before"),
                request,
                world.semel.submit(CHARGE, FIRST).idempotencyKey("after")));
        assertThat(outcomes.get(0).submission().created()).isTrue();
        assertThat(outcomes.get(2).submission().created()).isTrue();
        return outcomes.get(1);
    }

    private static SemelException error(SubmitOutcome<RawJson> outcome) {
        return ((SubmitOutcome.Refused<RawJson>) outcome).error();
    }

    private KeyRecord record(Task task) {
        return world.store.record(Objects.requireNonNull(task.identity())).orElseThrow();
    }

    private TaskId existing(TaskState state) {
        TaskId id = world.semel
                .submit(CHARGE, FIRST)
                .idempotencyKey("k")
                .scope(Scope.tenant())
                .send()
                .taskId();
        switch (state) {
            case PENDING -> {}
            case RUNNING -> claim();
            case WAITING -> {
                claim();
                id = world.semel
                        .submit(CHARGE, FIRST)
                        .idempotencyKey("k")
                        .scope(Scope.tenant())
                        .reuse(ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RETURN, AfterEnd.RETURN))
                        .send()
                        .taskId();
            }
            case COMPLETED -> settle(new Settlement.Complete(claim().lease(), "{\"paid\":true}"));
            case FAILED -> settle(new Settlement.Fail(claim().lease(), false, "broken"));
            case TIMED_OUT -> settle(new Settlement.Fail(claim().lease(), true, "too slow"));
            case CANCELLED -> world.store.operate(List.of(new Operation.Cancel(id)));
        }
        assertThat(world.task(id).state()).isEqualTo(state);
        assertThat(world.store.list(TaskQuery.all(10)).tasks()).hasSize(state == TaskState.WAITING ? 2 : 1);
        return id;
    }

    private Claimed claim() {
        return world.store
                .claim(new ClaimRequest(1, false, Set.of("default"), null, 1, 0, Duration.ofMinutes(1), "worker"))
                .tasks()
                .getFirst();
    }

    private void settle(Settlement settlement) {
        world.store.settle(List.of(settlement));
    }
}
