package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Conflicted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Submitted.Rejected;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.task.Decision;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of the decision table, S8, cell by cell: through the store, compared with {@link Decision#decide}. */
public abstract class DecisionContract extends StoreContract {

    private static final Duration SHORT = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofDays(30);
    private static final Duration LEASE = Duration.ofDays(1);

    private enum Again {
        SAME,
        OTHER_INPUT,
        OTHER_TYPE
    }

    /** One cell: what is stored, and what is submitted. */
    private record Cell(TaskState state, ReusePolicy policy, Again again, boolean windowPassed) {

        Draft first(int number) {
            return Draft.keyed("cell " + number)
                    .scope(Scope.custom("cells"))
                    .queue("cells-" + state.word())
                    .ttl(windowPassed ? SHORT : LONG);
        }

        Draft second(int number) {
            Draft draft = first(number).ttl(Duration.ofHours(1)).policy(policy);
            return switch (again) {
                case SAME -> draft;
                case OTHER_INPUT -> draft.input("{\"n\":2}");
                case OTHER_TYPE -> draft.type("other");
            };
        }
    }

    /** For subclasses. */
    protected DecisionContract() {}

    @Test
    @DisplayName("S8: every cell of the decision table holds for every store")
    void everyCellOfTheDecisionTableHolds() {
        List<Cell> cells = cells(List.of(TaskState.values()));
        Map<Integer, TaskId> existing = setUp(cells);
        clock.advance(SHORT);
        for (int number = 0; number < cells.size(); number++) {
            assertCell(cells.get(number), number, id(existing, number), false);
        }
    }

    @Test
    @DisplayName("S8, W2: every cell holds for a task of which only the tombstone is left")
    void everyCellHoldsForTombstones() {
        List<Cell> cells =
                cells(List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED, TaskState.TIMED_OUT));
        Map<Integer, TaskId> existing = setUp(cells);
        assertThat(store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, SweepRequest.MAX_LIMIT))
                        .tasks())
                .isEqualTo(cells.size());
        clock.advance(SHORT);
        for (int number = 0; number < cells.size(); number++) {
            assertCell(cells.get(number), number, id(existing, number), true);
        }
    }

    private static List<Cell> cells(List<TaskState> states) {
        List<Cell> cells = new ArrayList<>();
        for (TaskState state : states) {
            for (Enum<?> rule : state.isOpen() ? WhileOpen.values() : AfterEnd.values()) {
                for (OtherInput other : OtherInput.values()) {
                    for (Again again : Again.values()) {
                        cells.add(new Cell(state, policy(state, rule, other), again, false));
                        cells.add(new Cell(state, policy(state, rule, other), again, true));
                    }
                }
            }
        }
        return cells;
    }

    /** A policy with this rule for this state, and with another rule for every other. */
    private static ReusePolicy policy(TaskState state, Enum<?> rule, OtherInput other) {
        return new ReusePolicy(
                open(TaskState.PENDING, state, rule),
                open(TaskState.RUNNING, state, rule),
                open(TaskState.WAITING, state, rule),
                ended(TaskState.COMPLETED, state, rule),
                ended(TaskState.FAILED, state, rule),
                ended(TaskState.CANCELLED, state, rule),
                ended(TaskState.TIMED_OUT, state, rule),
                other);
    }

    private static WhileOpen open(TaskState of, TaskState state, Enum<?> rule) {
        if (of == state) {
            return (WhileOpen) rule;
        }
        return rule == WhileOpen.REJECT ? WhileOpen.RETURN : WhileOpen.REJECT;
    }

    private static AfterEnd ended(TaskState of, TaskState state, Enum<?> rule) {
        if (of == state) {
            return (AfterEnd) rule;
        }
        return rule == AfterEnd.REJECT ? AfterEnd.RETURN : AfterEnd.REJECT;
    }

    /** Brings a task of each cell into the cell's state; in few calls, because there are hundreds. */
    private Map<Integer, TaskId> setUp(List<Cell> cells) {
        Map<Integer, TaskId> existing = new HashMap<>();
        List<NewTask> batch = new ArrayList<>();
        for (int number = 0; number < cells.size(); number++) {
            NewTask task = task(cells.get(number).first(number));
            existing.put(number, task.id());
            batch.add(task);
        }
        assertThat(store.submit(batch)).allMatch(Created.class::isInstance);
        List<Settlement> settlements = new ArrayList<>();
        for (TaskState state : TaskState.values()) {
            if (state != TaskState.PENDING) {
                for (Claimed claimed : claim(
                                ClaimDraft.from("cells-" + state.word()).lease(LEASE))
                        .tasks()) {
                    settlement(state, claimed.lease()).ifPresent(settlements::add);
                }
            }
        }
        assertThat(store.settle(settlements)).allMatch(Settled.APPLIED::equals);
        for (int number = 0; number < cells.size(); number++) {
            if (cells.get(number).state() == TaskState.WAITING) {
                existing.put(number, create(cells.get(number).first(number).replacing()));
            }
            assertThat(state(id(existing, number))).isEqualTo(cells.get(number).state());
        }
        return existing;
    }

    private static Optional<Settlement> settlement(TaskState state, Lease lease) {
        return switch (state) {
            case COMPLETED -> Optional.of(new Settlement.Complete(lease, "\"result\""));
            case FAILED -> Optional.of(new Settlement.Fail(lease, false, "broken"));
            case TIMED_OUT -> Optional.of(new Settlement.Fail(lease, true, "too slow"));
            case CANCELLED -> Optional.of(new Settlement.Cancelled(lease));
            case PENDING, RUNNING, WAITING -> Optional.empty();
        };
    }

    private void assertCell(Cell cell, int number, TaskId existing, boolean dataGone) {
        KeyRecord before = record(cell.first(number));
        assertThat(before.taskId()).isEqualTo(existing);
        assertThat(before.windowPassed()).as("%s", cell).isEqualTo(cell.windowPassed());
        Optional<Task> taskBefore =
                Optional.ofNullable(store.find(List.of(existing)).get(existing));
        assertThat(taskBefore.isEmpty()).isEqualTo(dataGone);

        NewTask again = task(cell.second(number));
        Decision decision = Decision.decide(
                new Decision.Existing(
                        before.type(), before.inputHash(), before.state(), before.run(), before.windowPassed()),
                new Decision.Request(again.type(), cell.second(number).hash()),
                cell.policy());
        Submitted answer = submit(again);

        switch (decision) {
            case Decision.Create() -> assertCreated(cell, number, again, answer, 1, again.id());
            case Decision.Rerun(int run, boolean same) ->
                assertCreated(cell, number, again, answer, run, same ? before.lineage() : again.id());
            case Decision.Replace(int run) -> assertCreated(cell, number, again, answer, run, again.id());
            case Decision.Return(boolean differs) ->
                assertThat(answer).as("%s", cell).isEqualTo(new Returned(shown(before, taskBefore, false), differs));
            case Decision.Reject(boolean differs) ->
                assertThat(answer).as("%s", cell).isEqualTo(new Rejected(shown(before, taskBefore, false), differs));
            case Decision.Conflict() ->
                assertThat(answer).as("%s", cell).isEqualTo(new Conflicted(shown(before, taskBefore, true)));
        }
        Optional<Task> taskAfter =
                Optional.ofNullable(store.find(List.of(existing)).get(existing));
        if (decision instanceof Decision.Replace) {
            assertReplaced(cell, taskAfter.orElseThrow());
        } else {
            assertThat(taskAfter).as("the old task stays as it was: %s", cell).isEqualTo(taskBefore);
        }
        if (!(answer instanceof Created)) {
            KeyRecord expected = answer instanceof Returned
                    ? Snapshot.counted(before, before.duplicates() + 1, clock.instant())
                    : before;
            assertThat(record(cell.first(number))).as("%s", cell).isEqualTo(expected);
            assertThat(store.find(List.of(again.id()))).as("%s", cell).isEmpty();
        }
    }

    private void assertCreated(Cell cell, int number, NewTask again, Submitted answer, int run, TaskId lineage) {
        boolean waits = cell.state() == TaskState.RUNNING || cell.state() == TaskState.WAITING;
        TaskState state = waits ? TaskState.WAITING : TaskState.PENDING;
        assertThat(answer).as("%s", cell).isEqualTo(new Created(again.id(), run, state, clock.instant()));
        Task task = read(again.id());
        assertThat(task.state()).as("%s", cell).isEqualTo(state);
        assertThat(task.run()).as("%s", cell).isEqualTo(run);
        assertThat(task.lineage()).as("%s", cell).isEqualTo(lineage);
        assertThat(record(cell.first(number)))
                .as("%s", cell)
                .isEqualTo(new KeyRecord(
                        cell.first(number).identity(),
                        again.id(),
                        again.type(),
                        cell.second(number).hash(),
                        run,
                        lineage,
                        clock.instant(),
                        clock.instant().plus(Duration.ofHours(1)),
                        false,
                        state,
                        null,
                        false,
                        0,
                        null));
    }

    private static void assertReplaced(Cell cell, Task old) {
        assertThat(old.progress().cancelRequested()).as("%s", cell).isTrue();
        assertThat(old.state())
                .as("%s", cell)
                .isEqualTo(cell.state() == TaskState.RUNNING ? TaskState.RUNNING : TaskState.CANCELLED);
    }

    private static ExistingTask shown(KeyRecord record, Optional<Task> task, boolean withInput) {
        return new ExistingTask(
                record.taskId(),
                record.type(),
                record.run(),
                record.state(),
                record.inputHash(),
                record.createdAt(),
                record.finishedAt(),
                task.isEmpty(),
                withInput ? task.map(Task::input).orElse(null) : null,
                task.map(found -> found.progress().result()).orElse(null));
    }

    private static TaskId id(Map<Integer, TaskId> existing, int number) {
        TaskId id = existing.get(number);
        if (id == null) {
            throw new AssertionError("Cell " + number + " has no task");
        }
        return id;
    }
}
