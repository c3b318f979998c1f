package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueSettings;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of histories and steps: F1 to F4, F14. */
public abstract class AdvanceContract extends WorkflowStoreContract {

    /** For subclasses. */
    protected AdvanceContract() {}

    @Test
    @DisplayName("F1: an advance adds its lines in order, and starts its steps")
    void anAdvanceAddsItsLines() {
        Lease lease = running();
        NewLine.Step step = step(STEP);
        applied(advance(lease, 1, value("a"), step, value("b")));
        assertThat(history(lease.taskId()).lines())
                .containsExactly(
                        new HistoryLine(1, Kind.VALUE, "a", null, "\"v\"", clock.instant()),
                        new HistoryLine(2, Kind.STEP, Draft.TYPE, step.task().id(), null, clock.instant()),
                        new HistoryLine(3, Kind.VALUE, "b", null, "\"v\"", clock.instant()));
        assertThat(state(step.task().id())).isEqualTo(TaskState.PENDING);
        assertThat(inbox(lease.taskId())).isEmpty();
    }

    @Test
    @DisplayName("F1: only what is newer is read, and the store's time")
    void onlyWhatIsNewerIsRead() {
        Lease lease = running();
        applied(advance(lease, 1, value("a"), value("b"), value("c")));
        signal(lease.taskId());
        signal(lease.taskId());
        History newer = Objects.requireNonNull(store.histories(List.of(new History.Query(lease.taskId(), 2, 1)))
                .get(lease.taskId()));
        assertThat(newer.lines()).extracting(HistoryLine::name).containsExactly("c");
        assertThat(newer.inbox()).extracting(InboxEntry::number).containsExactly(2);
        assertThat(newer.now()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName("F1: a stale attempt adds nothing and starts nothing")
    void aZombieStartsNothing() {
        Lease zombie = running();
        leasesExpire();
        Lease lease = claimFlow();
        NewLine.Step step = step(STEP);
        changesNothing(() -> assertThat(apply(advance(zombie, 1, step))).isEqualTo(Settled.STALE));
        assertThat(store.find(List.of(step.task().id()))).isEmpty();
        assertThat(history(lease.taskId()).lines()).isEmpty();
        applied(new Settlement.Complete(lease, null));
        assertThat(apply(advance(lease, 1, step))).isEqualTo(Settled.STALE);
        assertThat(apply(advance(new Lease(ids.next(), 1, 1), 1, step))).isEqualTo(Settled.NOT_FOUND);
    }

    @Test
    @DisplayName("F2: an advance that is sent again while its attempt runs is applied once")
    void anAdvanceIsAppliedOnce() {
        Lease lease = running();
        Settlement.Advance first = advance(lease, 1, step(STEP), value("a"));
        applied(first);
        changesNothing(() -> applied(first));
        applied(advance(lease, 3, value("b")));
        changesNothing(() -> applied(first));
        assertThat(history(lease.taskId()).lines()).hasSize(3);
    }

    @Test
    @DisplayName("F2: lines that do not follow the stored ones are stale")
    void linesHaveNoGaps() {
        Lease lease = running();
        applied(advance(lease, 1, value("a")));
        NewLine.Step step = step(STEP);
        changesNothing(() -> assertThat(apply(advance(lease, 3, step))).isEqualTo(Settled.STALE));
        changesNothing(
                () -> assertThat(apply(advance(lease, 1, value("a"), step))).isEqualTo(Settled.STALE));
        assertThat(store.find(List.of(step.task().id()))).isEmpty();
    }

    @Test
    @DisplayName("F2: an advance in the batch that ends its attempt is done with it")
    void anAdvanceAndAWaitInOneBatch() {
        Lease lease = running();
        List<Settlement> turn = List.of(advance(lease, 1, step(STEP)), await(lease, 0, 1));
        assertThat(store.settle(turn)).containsExactly(Settled.APPLIED, Settled.APPLIED);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        changesNothing(() -> assertThat(store.settle(turn)).containsExactly(Settled.STALE, Settled.APPLIED));
    }

    @Test
    @DisplayName("F1, F2: the advances of a batch are answered each for itself, in the order of the batch")
    void aBatchOfAdvances() {
        Lease zombie = running();
        leasesExpire();
        Lease fresh = claimFlow();
        Lease repeated = running();
        Lease vanished = running();
        Lease ends = running();
        applied(advance(repeated, 1, value("a")));
        TaskId shared = create(STEP.key("shared"));
        NewLine.Step refused = step(STEP);
        NewLine.Step started = step(STEP);
        List<Settled> answers = store.settle(List.of(
                advance(zombie, 1, refused),
                new Settlement.Complete(ends, "\"done\""),
                advance(repeated, 1, value("a")),
                advance(vanished, 1, value("b"), started),
                advance(new Lease(ids.next(), 1, 1), 1, step(STEP))));
        assertThat(answers)
                .containsExactly(Settled.STALE, Settled.APPLIED, Settled.APPLIED, Settled.APPLIED, Settled.NOT_FOUND);
        List<Settled> more = store.settle(List.of(
                advance(repeated, 2, step(STEP)), advance(fresh, 1, step(STEP.key("shared"))), await(vanished, 0, 1)));
        assertThat(more).containsOnly(Settled.APPLIED);
        assertThat(store.find(List.of(refused.task().id()))).isEmpty();
        assertThat(history(vanished.taskId()).lines())
                .extracting(HistoryLine::task)
                .containsExactly(null, started.task().id());
        assertThat(history(repeated.taskId()).lines()).hasSize(2);
        assertThat(history(fresh.taskId()).lines())
                .extracting(HistoryLine::task)
                .containsExactly(shared);
        complete(started.task().id());
        assertThat(claimFlow().taskId()).isEqualTo(vanished.taskId());
    }

    @Test
    @DisplayName("F3: an advance with two steps of one key cannot be made")
    void twoStepsOfOneKey() {
        Lease lease = running();
        NewLine.Step first = step(STEP.key("one"));
        NewLine.Step second = step(STEP.key("one"));
        assertThatThrownBy(() -> advance(lease, 1, first, second))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most one step for each key");
        applied(advance(lease, 1, first));
        applied(advance(lease, 2, second));
        assertThat(history(lease.taskId()).lines())
                .extracting(HistoryLine::task)
                .containsOnly(first.task().id());
    }

    @Test
    @DisplayName("F3: a step whose key has an open task is that task")
    void aStepIsAnExistingTask() {
        TaskId existing = create(STEP.key("shared"));
        Lease lease = running();
        assertThat(start(lease, STEP.key("shared"))).isEqualTo(existing);
        assertThat(record(STEP.key("shared")).duplicates()).isEqualTo(1);
        applied(await(lease, 0, 1));
        complete(existing);
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(existing);
        applied(new Settlement.Complete(claimFlow(), null));
    }

    @Test
    @DisplayName("F3, F4: a step whose key has a task that has ended is an entry at once, with its result")
    void aStepThatHasEnded() {
        TaskId done = createIn(TaskState.COMPLETED, STEP.key("done"));
        Lease lease = running();
        start(lease, STEP.key("done"));
        assertThat(inbox(lease.taskId()))
                .containsExactly(new InboxEntry(
                        1, Draft.TYPE, done, TaskState.COMPLETED, null, "\"done\"", null, clock.instant()));
        applied(await(lease, 0, 1));
        assertThat(state(lease.taskId())).as("it has not seen it").isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("F3: a step that conflicts or is rejected fails, and its workflow goes on")
    void aStepThatIsRejected() {
        create(STEP.key("taken").input("{\"n\":2}"));
        create(STEP.key("open"));
        Lease lease = running();
        start(lease, STEP.key("taken"));
        start(lease, STEP.key("open").policy(ReusePolicy.never().whileOpen(ReusePolicy.WhileOpen.REJECT)));
        assertThat(inbox(lease.taskId()))
                .hasSize(2)
                .allMatch(entry -> entry.state() == TaskState.FAILED)
                .allMatch(entry -> Objects.requireNonNull(entry.error()).contains("was not started"));
        assertThat(history(lease.taskId()).lines()).hasSize(2);
    }

    @Test
    @DisplayName("F3: many steps are started by one advance, in order")
    void manySteps() {
        Lease lease = running();
        List<NewLine> lines = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            lines.add(step(i % 7 == 0 ? STEP.key("k" + i) : STEP));
            if (i % 100 == 0) {
                lines.add(value("at-" + i));
            }
        }
        applied(new Settlement.Advance(lease, 1, lines));
        assertThat(history(lease.taskId()).lines()).hasSize(lines.size());
        assertThat(history(lease.taskId()).lines().stream()
                        .filter(line -> line.kind() == Kind.STEP)
                        .map(HistoryLine::task))
                .isEqualTo(lines.stream()
                        .filter(NewLine.Step.class::isInstance)
                        .map(line -> ((NewLine.Step) line).task().id())
                        .toList());
        applied(await(lease, 0, 500));
        List<Settlement> ends = new ArrayList<>();
        claim(ClaimDraft.from(Draft.QUEUE))
                .tasks()
                .forEach(claimed -> ends.add(new Settlement.Complete(claimed.lease(), null)));
        assertThat(store.settle(ends)).hasSize(500).allMatch(Settled.APPLIED::equals);
        assertThat(inbox(lease.taskId())).hasSize(500);
        applied(new Settlement.Complete(claimFlow(), null));
    }

    @Test
    @DisplayName("F4: every way in which a step ends is one entry, in the step that ends it")
    void everyEndIsAnEntry() {
        for (TaskState state :
                List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.TIMED_OUT, TaskState.CANCELLED)) {
            Lease lease = running();
            TaskId step = start(lease, STEP.queue("q-" + state.word()));
            applied(await(lease, 0, 1));
            Lease its = claim(ClaimDraft.from("q-" + state.word()))
                    .tasks()
                    .getFirst()
                    .lease();
            Settlement.Ending end = switch (state) {
                case COMPLETED -> new Settlement.Complete(its, "{\"a\":1}");
                case FAILED -> new Settlement.Fail(its, false, "broken");
                case TIMED_OUT -> new Settlement.Fail(its, true, "slow");
                default -> new Settlement.Cancelled(its);
            };
            applied(end);
            changesNothing(() -> applied(end));
            InboxEntry entry = inbox(lease.taskId()).getFirst();
            assertThat(inbox(lease.taskId())).hasSize(1);
            assertThat(entry.step()).isEqualTo(step);
            assertThat(entry.state()).isEqualTo(state);
            assertThat(entry.document()).isEqualTo(state == TaskState.COMPLETED ? "{\"a\":1}" : null);
            assertThat(entry.error())
                    .isEqualTo(state == TaskState.FAILED ? "broken" : state == TaskState.TIMED_OUT ? "slow" : null);
            applied(new Settlement.Complete(claimFlow(), null));
        }
    }

    @Test
    @DisplayName(
            "F4: the cancellation of a pending step, of one that is asked and vanishes, and a given-up effect are entries")
    void endsWithoutAWorkersReport() {
        Lease lease = running();
        TaskId pending = start(lease, STEP.queue("a"));
        TaskId asked = start(lease, STEP.queue("b"));
        TaskId parked = start(lease, STEP.queue("c"));
        claim(ClaimDraft.from("b"));
        Lease third = claim(ClaimDraft.from("c")).tasks().getFirst().lease();
        applied(EffectStoreContract.intend(third));
        applied(new Settlement.Park(third, EffectStoreContract.charge(third), "unknown"));
        applied(new Operation.Cancel(pending));
        apply(new Operation.Cancel(asked));
        applied(EffectStoreContract.resolve(third, Resolution.Verdict.GIVE_UP));
        leasesExpire();
        store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 0));
        assertThat(inbox(lease.taskId()))
                .extracting(InboxEntry::step)
                .containsExactlyInAnyOrder(pending, asked, parked);
        assertThat(inbox(lease.taskId()))
                .extracting(InboxEntry::state)
                .containsExactlyInAnyOrder(TaskState.CANCELLED, TaskState.CANCELLED, TaskState.FAILED);
    }

    @Test
    @DisplayName("F4: a step that is retried, put back or parked is no entry")
    void onlyEndsAreEntries() {
        Lease lease = running();
        start(lease, STEP);
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "again"));
        applied(new Settlement.PutBack(claimOne(), Duration.ZERO));
        leasesExpire();
        Lease third = claimOne();
        assertThat(inbox(lease.taskId())).isEmpty();
        applied(new Settlement.Complete(third, "1"));
        assertThat(inbox(lease.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("F4: a step that many workflows wait for wakes each of them")
    void oneStepForMany() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Lease lease = running();
            leases.add(lease);
            start(lease, STEP.key("shared"));
            applied(await(lease, 0, 1));
        }
        applied(new Settlement.Complete(claimOne(), "7"));
        for (Lease lease : leases) {
            assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
            assertThat(inbox(lease.taskId())).extracting(InboxEntry::document).containsExactly("7");
        }
    }

    @Test
    @DisplayName("F4: the entry has the result also if the step's queue keeps nothing")
    void aStepThatIsNotKept() {
        set("bare", QueueSettings.builder().retention(Duration.ZERO));
        Lease lease = running();
        start(lease, STEP.queue("bare"));
        applied(new Settlement.Complete(
                claim(ClaimDraft.from("bare")).tasks().getFirst().lease(), "\"kept\""));
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::document).containsExactly("\"kept\"");
    }

    @Test
    @DisplayName("F4: the steps of a workflow that has ended go on, and their ends are entries that wake nobody")
    void anEndedWorkflowIsNotWoken() {
        Lease lease = running();
        TaskId step = start(lease, STEP);
        applied(new Settlement.Complete(lease, null));
        complete(step);
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(step);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.COMPLETED);
        noFlowIsDue();
    }

    @Test
    @DisplayName("F14: tasks can be listed by the workflow whose steps they are, together with other filters, in pages")
    void listedByParent() {
        TaskId shared = create(STEP.key("shared").queue("s"));
        Lease lease = running();
        start(lease, STEP.key("shared").queue("s"));
        List<TaskId> steps = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            steps.add(start(lease, STEP));
        }
        Lease other = running();
        TaskId foreign = start(other, STEP.key("shared").queue("s"));
        assertThat(foreign).isEqualTo(shared);
        complete(steps.get(1));
        TaskQuery query = TaskQuery.builder().parent(lease.taskId()).pageSize(4).build();
        Page first = store.list(query);
        Page second = store.list(query.after(Objects.requireNonNull(first.next())));
        assertThat(Stream.concat(first.tasks().stream(), second.tasks().stream())
                        .map(Task::id))
                .containsExactly(steps.get(4), steps.get(3), steps.get(2), steps.get(1), steps.get(0), shared);
        assertThat(second.next()).isNull();
        assertThat(store.list(TaskQuery.builder()
                                .parent(lease.taskId())
                                .states(TaskState.COMPLETED)
                                .build())
                        .tasks())
                .extracting(Task::id)
                .containsExactly(steps.get(1));
        assertThat(store.list(TaskQuery.builder().parent(other.taskId()).build())
                        .tasks())
                .extracting(Task::id)
                .containsExactly(shared);
        assertThat(store.list(TaskQuery.builder().parent(shared).build()).tasks())
                .isEmpty();
    }

    @Test
    @DisplayName("F4: a step with a mutex, a priority or a successor is an entry like any other")
    void stepsOfAllKinds() {
        Lease lease = running();
        start(lease, STEP.queue("m").mutex("one"));
        start(lease, STEP.queue("m").mutex("one"));
        start(lease, STEP.queue("m").priority(9).key("replaced"));
        for (int round = 0; round < 3; round++) {
            claim(ClaimDraft.from("m"))
                    .tasks()
                    .forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), "1")));
        }
        assertThat(inbox(lease.taskId())).hasSize(3);
    }
}
