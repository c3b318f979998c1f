package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted.Signalled;
import dev.semel.store.SweepRequest;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of workflows: F1 to F12. */
public abstract class WorkflowContract extends StoreContract {

    /** The task types of workflows begin with this. */
    static final String TYPE = "workflow";

    private static final String FLOWS = "flows";
    private static final Draft WORKFLOW = Draft.plain().queue(FLOWS).type(TYPE);
    private static final Draft STEP = Draft.plain();

    private static final SweepRequest WEEK = new SweepRequest(Duration.ofDays(7), Map.of(), Duration.ofDays(30), 1_000);

    private int starts;

    /** For subclasses. */
    protected WorkflowContract() {}

    // ---- drafts

    private Lease running() {
        create(WORKFLOW);
        return claimFlow();
    }

    private Lease claimFlow() {
        List<Claimed> claimed = claim(ClaimDraft.from(FLOWS)).tasks();
        assertThat(claimed).hasSize(1);
        return claimed.getFirst().lease();
    }

    private void noFlowIsDue() {
        assertThat(claim(ClaimDraft.from(FLOWS)).tasks()).isEmpty();
    }

    private NewLine.Step step(Draft draft) {
        return new NewLine.Step(task(draft));
    }

    private static NewLine.Note value(String name) {
        return new NewLine.Note(Kind.VALUE, name, "\"v\"");
    }

    private static Settlement.Advance advance(Lease lease, int first, NewLine... lines) {
        return new Settlement.Advance(lease, first, Arrays.asList(lines));
    }

    private static Settlement.Wait await(Lease lease, int seen, int more) {
        return new Settlement.Wait(lease, seen, more, null, null);
    }

    private History history(TaskId workflow) {
        return Objects.requireNonNull(
                store.histories(List.of(History.Query.whole(workflow))).get(workflow));
    }

    private List<InboxEntry> inbox(TaskId workflow) {
        return history(workflow).inbox();
    }

    /** Starts a step as the next line of a workflow. */
    private TaskId start(Lease lease, Draft draft) {
        NewLine.Step step = step(draft);
        int first = history(lease.taskId()).lines().size() + 1;
        applied(advance(lease, first, step));
        return Objects.requireNonNull(history(lease.taskId()).lines().getLast().task());
    }

    private Signalled signal(TaskId workflow, String key, String name, @Nullable String document) {
        return (Signalled) store.submit(List.of(new SubmitRequest.Signal(workflow, key, name, document)))
                .getFirst();
    }

    private Signalled signal(TaskId workflow) {
        return signal(workflow, "key-" + starts++, "go", null);
    }

    private void complete(TaskId step) {
        for (Claimed claimed : claim(ClaimDraft.from(Draft.QUEUE)).tasks()) {
            applied(
                    claimed.task().id().equals(step)
                            ? new Settlement.Complete(claimed.lease(), "\"done\"")
                            : new Settlement.PutBack(claimed.lease(), Duration.ZERO));
        }
    }

    // ---- F1, F2, F3: advancing

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

    // ---- F4: ends

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
    @DisplayName("F4: a workflow that has ended gets no more entries, and its steps go on")
    void anEndedWorkflowGetsNothing() {
        Lease lease = running();
        TaskId step = start(lease, STEP);
        applied(new Settlement.Complete(lease, null));
        complete(step);
        assertThat(inbox(lease.taskId())).isEmpty();
        assertThat(state(lease.taskId())).isEqualTo(TaskState.COMPLETED);
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

    // ---- F5 to F8: waiting

    @Test
    @DisplayName("F5: entries are numbered in the order of acceptance")
    void entriesAreNumbered() {
        Lease lease = running();
        TaskId first = start(lease, STEP.queue("a"));
        signal(lease.taskId(), "s", "x", "1");
        applied(new Settlement.Complete(
                claim(ClaimDraft.from("a")).tasks().getFirst().lease(), null));
        signal(lease.taskId(), "t", "y", "2");
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::number).containsExactly(1, 2, 3);
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::name).containsExactly("x", Draft.TYPE, "y");
        assertThat(inbox(lease.taskId()).get(1).step()).isEqualTo(first);
    }

    @Test
    @DisplayName("F6: a workflow that waits has no lease, slot or mutex, and no claim finds it")
    void waitingCostsNothing() {
        set(FLOWS, QueueSettings.builder().concurrency(1));
        TaskId first = create(WORKFLOW.mutex("m"));
        Lease lease = claimFlow();
        applied(await(lease, 0, 1));
        assertThat(state(first)).isEqualTo(TaskState.WAITING);
        create(WORKFLOW.mutex("m"));
        Lease second = claimFlow();
        leasesExpire();
        applied(new Settlement.Extend(second, ClaimDraft.LEASE));
        noFlowIsDue();
        applied(new Settlement.Complete(second, null));
        noFlowIsDue();
        assertThat(state(first)).isEqualTo(TaskState.WAITING);
    }

    @Test
    @DisplayName("F6: an entry before the wait is not missed")
    void anEntryBeforeTheWait() {
        Lease lease = running();
        signal(lease.taskId());
        applied(await(lease, 0, 1));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        Lease next = claimFlow();
        applied(await(next, 1, 1));
        assertThat(state(lease.taskId())).as("it has seen that entry").isEqualTo(TaskState.WAITING);
        signal(lease.taskId());
        assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName("F6: a workflow that waits until a time is due then, and not before")
    void aTimer() {
        Lease lease = running();
        Instant time = clock.instant().plus(Duration.ofDays(30));
        applied(new Settlement.Wait(lease, 0, 1, time, null));
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(time);
        clock.advance(Duration.ofDays(30).minusMillis(1));
        noFlowIsDue();
        clock.advance(Duration.ofMillis(1));
        Lease next = claimFlow();
        assertThat(next.attempt()).isEqualTo(2);
        applied(new Settlement.Wait(next, 0, 1, clock.instant().minusSeconds(5), null));
        assertThat(read(lease.taskId()).progress().dueAt()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName("F6, F7: a workflow that waits until a time can be woken before")
    void aTimerIsOvertaken() {
        Lease lease = running();
        applied(new Settlement.Wait(lease, 0, 1, clock.instant().plus(Duration.ofDays(30)), null));
        signal(lease.taskId());
        Lease next = claimFlow();
        applied(new Settlement.Retry(next, Duration.ofHours(1), "broken"));
        signal(lease.taskId());
        assertThat(read(lease.taskId()).progress().dueAt())
                .as("a retry is not hurried")
                .isEqualTo(clock.instant().plus(Duration.ofHours(1)));
    }

    @Test
    @DisplayName("F7: a wait for several steps is woken by the last of them")
    void allOfThem() {
        Lease lease = running();
        for (int i = 0; i < 3; i++) {
            start(lease, STEP);
        }
        applied(await(lease, 0, 3));
        List<Claimed> claimed = claim(ClaimDraft.from(Draft.QUEUE)).tasks();
        applied(new Settlement.Complete(claimed.get(0).lease(), null));
        applied(new Settlement.Complete(claimed.get(1).lease(), null));
        assertThat(state(lease.taskId())).isEqualTo(TaskState.WAITING);
        noFlowIsDue();
        applied(new Settlement.Complete(claimed.get(2).lease(), null));
        assertThat(claimFlow().attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("F7: a failed step and a signal wake at once, however many are awaited")
    void urgentEntries() {
        for (boolean failed : List.of(true, false)) {
            Lease lease = running();
            TaskId one = start(lease, STEP.queue("u"));
            start(lease, STEP.queue("u"));
            applied(await(lease, 0, 2));
            if (failed) {
                for (Claimed claimed : claim(ClaimDraft.from("u")).tasks()) {
                    if (claimed.task().id().equals(one)) {
                        applied(new Settlement.Fail(claimed.lease(), false, "broken"));
                    }
                }
            } else {
                signal(lease.taskId());
            }
            Lease next = claimFlow();
            applied(new Settlement.Wait(next, 0, 2, null, null));
            assertThat(state(lease.taskId()))
                    .as("it has not seen the urgent one")
                    .isEqualTo(TaskState.PENDING);
            applied(new Settlement.Complete(claimFlow(), null));
            leasesExpire();
            claim(ClaimDraft.from("u"))
                    .tasks()
                    .forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), null)));
        }
    }

    @Test
    @DisplayName("F8: a wait costs no failure, leaves no attempt, and is applied once")
    void aWaitLeavesNoAttempt() {
        Lease lease = running();
        applied(new Settlement.Retry(lease, Duration.ZERO, "first"));
        Lease second = claimFlow();
        Settlement.Wait wait = await(second, 0, 1);
        applied(wait);
        changesNothing(() -> applied(wait));
        assertThat(store.attempts(lease.taskId()))
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.RETRIED);
        assertThat(read(lease.taskId()).progress().failures()).isEqualTo(1);
        assertThat(apply(new Settlement.Complete(second, null))).isEqualTo(Settled.STALE);
        signal(lease.taskId());
        Lease third = claimFlow();
        assertThat(third.attempt()).isEqualTo(3);
        changesNothing(() -> applied(wait));
        assertThat(apply(await(lease, 0, 1))).as("that one was retried").isEqualTo(Settled.STALE);
        leasesExpire();
        Lease fourth = claimFlow();
        assertThat(apply(await(third, 1, 1))).as("that one vanished").isEqualTo(Settled.STALE);
        applied(new Settlement.Complete(fourth, null));
    }

    @Test
    @DisplayName("F8: a wait with an error is kept, and its error is the task's last one")
    void aWaitHasAnError() {
        Lease lease = running();
        Settlement.Wait wait = new Settlement.Wait(lease, 0, 1, clock.instant().plusSeconds(60), "does not fit");
        applied(wait);
        changesNothing(() -> applied(wait));
        assertThat(read(lease.taskId()).progress().lastError()).isEqualTo("does not fit");
        assertThat(read(lease.taskId()).progress().failures()).isZero();
        assertThat(store.attempts(lease.taskId())).extracting(Attempt::outcome).containsExactly(Attempt.Outcome.WAITED);
        assertThat(store.attempts(lease.taskId()).getFirst().error()).isEqualTo("does not fit");
    }

    @Test
    @DisplayName("F8: an advance sets failures and vanished attempts to zero")
    void progressCounts() {
        Lease lease = running();
        applied(new Settlement.Retry(lease, Duration.ZERO, "first"));
        claimFlow();
        leasesExpire();
        Lease third = claimFlow();
        assertThat(read(lease.taskId()).progress().vanished()).isEqualTo(1);
        applied(advance(third, 1, value("a")));
        assertThat(read(lease.taskId()).progress().vanished()).isZero();
        assertThat(read(lease.taskId()).progress().failures()).isZero();
        leasesExpire();
        claimFlow();
        assertThat(read(lease.taskId()).progress().vanished()).isEqualTo(1);
    }

    // ---- F9: signals

    @Test
    @DisplayName("F9: a signal is accepted once for each key, also after a lost answer and after the end")
    void aSignalIsAcceptedOnce() {
        TaskId workflow = create(WORKFLOW);
        assertThat(signal(workflow, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
        changesNothing(
                () -> assertThat(signal(workflow, "k", "approved", "false")).isEqualTo(Signalled.ACCEPTED));
        assertThat(inbox(workflow))
                .containsExactly(new InboxEntry(1, "approved", null, null, "k", "true", null, clock.instant()));
        applied(new Settlement.Complete(claimFlow(), null));
        changesNothing(() -> {
            assertThat(signal(workflow, "k", "approved", "true")).isEqualTo(Signalled.ACCEPTED);
            assertThat(signal(workflow, "other", "approved", "true")).isEqualTo(Signalled.ENDED);
            assertThat(signal(ids.next(), "k", "approved", "true")).isEqualTo(Signalled.NOT_FOUND);
        });
    }

    @Test
    @DisplayName("F9: a batch of signals is accepted in its order")
    void signalsInOrder() {
        TaskId workflow = create(WORKFLOW);
        List<SubmitRequest> batch = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            batch.add(new SubmitRequest.Signal(workflow, "k" + i, "n", Integer.toString(i)));
        }
        assertThat(store.submit(batch)).allMatch(Signalled.ACCEPTED::equals);
        assertThat(inbox(workflow))
                .extracting(InboxEntry::document)
                .isEqualTo(batch.stream()
                        .map(one -> ((SubmitRequest.Signal) one).document())
                        .toList());
    }

    @Test
    @DisplayName("F9: of many threads that send and wake, no entry is lost and no number is given twice")
    void manySenders() {
        Lease lease = running();
        applied(await(lease, 0, 1));
        try (Crowd crowd = new Crowd(8)) {
            crowd.together(n -> {
                for (int i = 0; i < 25; i++) {
                    assertThat(signal(lease.taskId(), n + "-" + i, "n", null)).isEqualTo(Signalled.ACCEPTED);
                }
                return n;
            });
        }
        assertThat(inbox(lease.taskId()))
                .extracting(InboxEntry::number)
                .isEqualTo(IntStream.rangeClosed(1, 200).boxed().toList());
        assertThat(claimFlow().attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("F6: a wake and a wait that meet never leave a workflow waiting that has something to read")
    void wakesAndWaitsMeet() {
        for (int round = 0; round < 20; round++) {
            Lease lease = running();
            TaskId step = start(lease, STEP);
            Lease its = claimOne();
            assertThat(its.taskId()).isEqualTo(step);
            try (Crowd crowd = new Crowd(2)) {
                crowd.together(n -> apply(n == 0 ? await(lease, 0, 1) : new Settlement.Complete(its, null)))
                        .forEach(answer -> assertThat(answer).isEqualTo(Settled.APPLIED));
            }
            assertThat(state(lease.taskId())).isEqualTo(TaskState.PENDING);
            applied(new Settlement.Complete(claimFlow(), null));
        }
    }

    // ---- F10, F11: abandoning and ending

    @Test
    @DisplayName("F10: a step that is given up is cancelled if the workflow created it and no other one watches it")
    void givenUp() {
        Lease lease = running();
        TaskId pending = start(lease, STEP.queue("p"));
        TaskId running = start(lease, STEP);
        Lease its = claimOne();
        applied(advance(lease, 3, new NewLine.Abandon(Draft.TYPE, pending), new NewLine.Abandon(Draft.TYPE, running)));
        assertThat(state(pending)).isEqualTo(TaskState.CANCELLED);
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(pending);
        assertThat(read(running).progress().cancelRequested()).isTrue();
        applied(new Settlement.Cancelled(its));
        assertThat(inbox(lease.taskId())).extracting(InboxEntry::step).containsExactly(pending, running);
        assertThat(history(lease.taskId()).lines().getLast())
                .isEqualTo(new HistoryLine(4, Kind.ABANDONED, Draft.TYPE, running, null, clock.instant()));
    }

    @Test
    @DisplayName("F10: a step that others want, or that the workflow did not create, goes on, and an entry says so")
    void leftToOthers() {
        TaskId stranger = create(STEP.queue("s").key("stranger"));
        Lease lease = running();
        start(lease, STEP.queue("s").key("stranger"));
        TaskId shared = start(lease, STEP.queue("s").key("shared"));
        create(WORKFLOW);
        Lease other = claimFlow();
        start(other, STEP.queue("s").key("shared"));
        applied(advance(lease, 3, new NewLine.Abandon(Draft.TYPE, stranger), new NewLine.Abandon(Draft.TYPE, shared)));
        assertThat(state(stranger)).isEqualTo(TaskState.PENDING);
        assertThat(state(shared)).isEqualTo(TaskState.PENDING);
        assertThat(inbox(lease.taskId())).hasSize(2).allMatch(entry -> entry.state() == TaskState.CANCELLED);
        claim(ClaimDraft.from("s")).tasks().forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), "1")));
        assertThat(inbox(lease.taskId())).hasSize(2);
        assertThat(inbox(other.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("F10: a step that has ended is given up in vain")
    void givenUpTooLate() {
        Lease lease = running();
        TaskId step = start(lease, STEP);
        complete(step);
        applied(advance(lease, 2, new NewLine.Abandon(Draft.TYPE, step)));
        assertThat(state(step)).isEqualTo(TaskState.COMPLETED);
        assertThat(inbox(lease.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("F11: a workflow that waits or sleeps is ended at once by a cancellation of its task")
    void terminated() {
        for (Instant until : Arrays.asList(null, clock.instant().plusSeconds(100))) {
            Lease lease = running();
            start(lease, STEP);
            applied(new Settlement.Wait(lease, 0, 1, until, null));
            applied(new Operation.Cancel(lease.taskId()));
            assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
            assertThat(signal(lease.taskId())).isEqualTo(Signalled.ENDED);
        }
    }

    @Test
    @DisplayName("F11: a workflow that was asked to cancel while it ran is cancelled by its wait")
    void terminatedWhileRunning() {
        Lease lease = running();
        apply(new Operation.Cancel(lease.taskId()));
        Settlement.Wait wait = await(lease, 0, 1);
        applied(wait);
        assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
        changesNothing(() -> applied(wait));
    }

    // ---- F12: keeping

    @Test
    @DisplayName("F12: a history is kept as long as its task, and deleted with it")
    void keptWithItsTask() {
        Lease lease = running();
        start(lease, STEP.queue("later"));
        signal(lease.taskId());
        applied(new Settlement.Complete(lease, "1"));
        clock.advance(Duration.ofDays(6));
        store.sweep(WEEK);
        assertThat(history(lease.taskId()).lines()).hasSize(1);
        clock.advance(Duration.ofDays(2));
        store.sweep(WEEK);
        assertThat(store.find(List.of(lease.taskId()))).isEmpty();
        assertThat(history(lease.taskId()).lines()).isEmpty();
        assertThat(inbox(lease.taskId())).isEmpty();
        claim(ClaimDraft.from("later"))
                .tasks()
                .forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), null)));
    }

    @Test
    @DisplayName("F12: where a queue keeps nothing, a history is deleted with the end of its workflow")
    void notKept() {
        set(FLOWS, QueueSettings.builder().retention(Duration.ZERO));
        Lease lease = running();
        start(lease, STEP);
        applied(await(lease, 0, 1));
        applied(new Settlement.Complete(claimOne(), "1"));
        applied(new Settlement.Complete(claimFlow(), "2"));
        assertThat(history(lease.taskId()).lines()).isEmpty();
        assertThat(inbox(lease.taskId())).isEmpty();
    }

    @Test
    @DisplayName("F12: documents and names are returned as they were stored, by every handle")
    void returnedAsStored() {
        Lease lease = running();
        String document = "{\"text\":\"ä\\u0000\\\"\",\"list\":[1,2.50,null]}";
        applied(advance(lease, 1, new NewLine.Note(Kind.PUBLISHED, "stage", document)));
        signal(lease.taskId(), "schlüssel ✓", "$cancel", document);
        History read = Objects.requireNonNull(another()
                .histories(List.of(History.Query.whole(lease.taskId())))
                .get(lease.taskId()));
        assertThat(read.lines().getFirst().document()).isEqualTo(document);
        assertThat(read.inbox().getFirst().document()).isEqualTo(document);
        assertThat(read.inbox().getFirst().key()).isEqualTo("schlüssel ✓");
        assertThat(read.inbox().getFirst().name()).isEqualTo("$cancel");
    }
}
