package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Conflicted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of sweeping: W1 to W5. */
public abstract class SweepContract extends StoreContract {

    private static final Draft KEYED = Draft.keyed("k");
    private static final SweepRequest WEEK =
            new SweepRequest(Duration.ofDays(7), Map.of("brief", Duration.ofDays(1)), Duration.ofDays(30), 1_000);
    private static final SweepRequest ALL =
            new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, SweepRequest.MAX_LIMIT);
    private static final Swept NOTHING = new Swept(0, 0, false);

    /** For subclasses. */
    protected SweepContract() {}

    @Test
    @DisplayName("W1: a sweep removes the data of tasks that ended longer ago than their retention")
    void dataIsKeptForItsRetention() {
        TaskId completed = createIn(TaskState.COMPLETED, Draft.plain());
        TaskId cancelled = createIn(TaskState.CANCELLED, Draft.plain());
        TaskId failed = createIn(TaskState.FAILED, Draft.plain());
        TaskId timedOut = createIn(TaskState.TIMED_OUT, Draft.plain());
        TaskId brief = create(Draft.plain().queue("brief"));
        applied(new Operation.Cancel(brief));
        TaskId deadBrief = create(Draft.plain().queue("brief"));
        Lease lease = claim(ClaimDraft.from("brief")).tasks().getFirst().lease();
        applied(new Settlement.Fail(lease, false, "broken"));

        assertKept(completed, cancelled, failed, timedOut, brief, deadBrief);
        clock.advance(Duration.ofDays(1).minus(MILLISECOND));
        assertThat(store.sweep(WEEK)).isEqualTo(NOTHING);
        clock.advance(MILLISECOND);
        assertThat(store.sweep(WEEK)).isEqualTo(new Swept(1, 0, false));
        assertKept(completed, cancelled, failed, timedOut, deadBrief);
        clock.advance(Duration.ofDays(6).minus(MILLISECOND));
        assertThat(store.sweep(WEEK)).isEqualTo(NOTHING);
        clock.advance(MILLISECOND);
        assertThat(store.sweep(WEEK)).isEqualTo(new Swept(2, 0, false));
        assertKept(failed, timedOut, deadBrief);
        clock.advance(Duration.ofDays(23));
        assertThat(store.sweep(WEEK)).isEqualTo(new Swept(3, 0, false));
        assertKept();
        assertThat(store.attempts(completed)).isEmpty();
        assertThat(store.sweep(WEEK)).isEqualTo(NOTHING);
    }

    @Test
    @DisplayName("W1: a sweep removes nothing that is open, however old")
    void theOpenIsNeverSwept() {
        TaskId running = createIn(TaskState.RUNNING, KEYED.ttl(MILLISECOND));
        TaskId waiting = create(KEYED.replacing().ttl(MILLISECOND));
        create(Draft.plain());
        TaskId retried = create(Draft.plain().queue("retried"));
        Lease lease = claim(ClaimDraft.from("retried")).tasks().getFirst().lease();
        applied(new Settlement.Retry(lease, Duration.ofDays(1), "again"));
        clock.advance(Duration.ofDays(1_000));
        apply(new Settlement.Extend(lease(running, 1), Duration.ofDays(1)));
        changesNothing(() -> assertThat(store.sweep(ALL)).isEqualTo(NOTHING));
        assertThat(state(waiting)).isEqualTo(TaskState.WAITING);
        assertThat(state(retried)).isEqualTo(TaskState.PENDING);
    }

    @Test
    @DisplayName("W1: a retention of zero removes the data at once")
    void aRetentionOfZeroRemovesAtOnce() {
        TaskId id = createIn(TaskState.COMPLETED, Draft.plain());
        assertThat(store.sweep(ALL)).isEqualTo(new Swept(1, 0, false));
        assertThat(store.find(List.of(id))).isEmpty();
        assertThat(apply(new Settlement.Complete(lease(id, 1), null))).isEqualTo(Settled.NOT_FOUND);
    }

    @Test
    @DisplayName("W2: a record outlives its task's data as a tombstone that answers with the remembered outcome")
    void aRecordOutlivesItsTask() {
        Instant created = clock.instant();
        NewTask task = task(KEYED);
        submit(task);
        clock.advance(Duration.ofSeconds(1));
        applied(new Settlement.Complete(claimOne(), "\"result\""));
        Instant finished = clock.instant();
        KeyRecord before = record(KEYED);
        store.sweep(ALL);
        clock.advance(Duration.ofDays(1));

        assertThat(record(KEYED))
                .isEqualTo(new KeyRecord(
                        KEYED.identity(),
                        task.id(),
                        Draft.TYPE,
                        KEYED.hash(),
                        1,
                        task.id(),
                        created,
                        before.expiresAt(),
                        false,
                        TaskState.COMPLETED,
                        finished,
                        true,
                        0,
                        null));
        ExistingTask tombstone = new ExistingTask(
                task.id(), Draft.TYPE, 1, TaskState.COMPLETED, KEYED.hash(), created, finished, true, null, null);
        assertThat(submit(KEYED)).isEqualTo(new Returned(tombstone, false));
        assertThat(submit(KEYED.input("{\"n\":2}"))).isEqualTo(new Conflicted(tombstone));
        assertThat(submit(task)).isEqualTo(new Created(task.id(), 1, TaskState.COMPLETED, created));
        assertThat(store.find(List.of(task.id()))).isEmpty();
    }

    @Test
    @DisplayName("W2: after a failure the lineage and the run continue from a tombstone")
    void aTombstoneIsRerun() {
        TaskId old = createIn(TaskState.FAILED, KEYED);
        store.sweep(ALL);
        TaskId rerun = create(KEYED);
        assertThat(read(rerun).run()).isEqualTo(2);
        assertThat(read(rerun).lineage()).isEqualTo(old);
        assertThat(record(KEYED).dataGone()).isFalse();
        assertThat(apply(new Operation.Redrive(old, 1))).isEqualTo(Operated.NOT_FOUND);
    }

    @Test
    @DisplayName("W2: sweeping the data of an old run leaves the record of the newer one alone")
    void sweepingAnOldRunLeavesTheRecord() {
        TaskId old = createIn(TaskState.COMPLETED, KEYED);
        TaskId newer = create(KEYED.replacing());
        KeyRecord before = record(KEYED);
        assertThat(store.sweep(ALL)).isEqualTo(new Swept(1, 0, false));
        assertThat(store.find(List.of(old, newer))).containsOnlyKeys(newer);
        assertThat(record(KEYED)).isEqualTo(before);
    }

    @Test
    @DisplayName("W3: a sweep removes records whose task has ended and whose window has passed, and no others")
    void recordsAreKeptForTheirWindow() {
        Draft hour = KEYED.ttl(Duration.ofHours(1));
        TaskId id = createIn(TaskState.COMPLETED, hour);
        Draft open = Draft.keyed("open").ttl(MILLISECOND);
        create(open);
        clock.advance(Duration.ofHours(1).minus(MILLISECOND));
        assertThat(store.sweep(WEEK)).isEqualTo(NOTHING);
        clock.advance(MILLISECOND);
        assertThat(store.sweep(WEEK)).isEqualTo(new Swept(0, 1, false));
        assertThat(store.record(hour.identity())).isEmpty();
        assertThat(read(id).identity()).as("the task itself is kept").isEqualTo(hour.identity());
        assertThat(store.record(open.identity())).isPresent();
        assertThat(read(create(hour)).run()).isEqualTo(1);
    }

    @Test
    @DisplayName("W3: a tombstone is removed when its window has passed")
    void tombstonesGo() {
        createIn(TaskState.COMPLETED, KEYED.ttl(Duration.ofHours(1)));
        assertThat(store.sweep(ALL)).isEqualTo(new Swept(1, 0, false));
        clock.advance(Duration.ofHours(1));
        assertThat(store.sweep(ALL)).isEqualTo(new Swept(0, 1, false));
        assertThat(store.record(KEYED.identity())).isEmpty();
        createIn(TaskState.COMPLETED, KEYED.ttl(Duration.ofHours(1)));
        clock.advance(Duration.ofHours(1));
        assertThat(store.sweep(ALL)).as("both at once").isEqualTo(new Swept(1, 1, false));
    }

    @Test
    @DisplayName("W3: a record stays while a replaced task of its identity still runs")
    void aRecordStaysWhileAReplacedTaskRuns() {
        TaskId running = createIn(TaskState.RUNNING, KEYED);
        TaskId waiting = create(KEYED.replacing().ttl(MILLISECOND));
        applied(new Operation.Cancel(waiting));
        clock.advance(Duration.ofSeconds(1));
        assertThat(store.sweep(ALL)).isEqualTo(new Swept(1, 0, false));
        assertThat(record(KEYED).taskId()).isEqualTo(waiting);
        assertThat(((Created) submit(KEYED)).state()).isEqualTo(TaskState.WAITING);
        applied(new Settlement.Complete(lease(running, 1), null));
        assertThat(claim(ClaimDraft.from(Draft.QUEUE)).tasks()).hasSize(1);
    }

    @Test
    @DisplayName("W4: a sweep removes at most as many as it may, and says whether there is more")
    void aSweepIsBounded() {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            batch.add(task(Draft.keyed("k" + i).ttl(Duration.ofHours(1))));
        }
        store.submit(batch);
        List<Settlement> settlements = new ArrayList<>();
        claim(ClaimDraft.from(Draft.QUEUE))
                .tasks()
                .forEach(task -> settlements.add(new Settlement.Complete(task.lease(), null)));
        store.settle(settlements);
        clock.advance(Duration.ofHours(1));

        SweepRequest ten = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 10);
        int tasks = 0;
        int records = 0;
        Swept swept = new Swept(0, 0, true);
        for (int calls = 0; calls < 10 && swept.more(); calls++) {
            swept = store.sweep(ten);
            assertThat(swept.tasks()).isBetween(0, 10);
            assertThat(swept.records()).isBetween(0, 10);
            assertThat(swept.more() || (tasks + swept.tasks() == 25 && records + swept.records() == 25))
                    .as("there is more after %s tasks and %s records", tasks, records)
                    .isTrue();
            tasks += swept.tasks();
            records += swept.records();
        }
        assertThat(tasks).isEqualTo(25);
        assertThat(records).isEqualTo(25);
        assertThat(store.sweep(ten)).isEqualTo(NOTHING);
        assertThat(everything().tasks()).isEmpty();
        batch.forEach(task -> assertThat(store.find(List.of(task.id()))).isEmpty());
    }

    @Test
    @DisplayName("W5: an erasure removes the data of one task that has ended, and of no other")
    void oneTaskIsErased() {
        for (TaskState end : List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED, TaskState.TIMED_OUT)) {
            TaskId other = createIn(end, Draft.plain());
            TaskId gone = createIn(end, Draft.plain());
            applied(new Operation.Erase(gone));
            assertThat(store.find(List.of(gone, other))).containsOnlyKeys(other);
            assertThat(store.attempts(List.of(gone)).getOrDefault(gone, List.of()))
                    .isEmpty();
            assertThat(apply(new Operation.Erase(gone))).isEqualTo(Operated.NOT_FOUND);
            assertThat(apply(new Operation.Redrive(gone, 1))).isEqualTo(Operated.NOT_FOUND);
        }
        assertThat(apply(new Operation.Erase(task(Draft.plain()).id()))).isEqualTo(Operated.NOT_FOUND);
    }

    @Test
    @DisplayName("W5: an erasure of an open task changes nothing")
    void anOpenTaskIsNotErased() {
        for (TaskState open : List.of(TaskState.RUNNING, TaskState.PENDING)) {
            TaskId id = createIn(open, Draft.plain());
            Task before = read(id);
            assertThat(apply(new Operation.Erase(id))).isEqualTo(Operated.HELD);
            assertThat(read(id)).isEqualTo(before);
        }
    }

    @Test
    @DisplayName("W5: the key of an erased task keeps its promise: the record answers with the remembered outcome")
    void theKeyOfAnErasedTaskAnswers() {
        TaskId gone = createIn(TaskState.COMPLETED, KEYED);
        KeyRecord before = record(KEYED);
        applied(new Operation.Erase(gone));
        KeyRecord after = record(KEYED);
        assertThat(after.dataGone()).isTrue();
        assertThat(after.taskId()).isEqualTo(gone);
        assertThat(after.state()).isEqualTo(TaskState.COMPLETED);
        assertThat(after.inputHash()).isEqualTo(before.inputHash());
        assertThat(after.finishedAt()).isEqualTo(before.finishedAt());
        assertThat(submit(KEYED))
                .isInstanceOfSatisfying(
                        Returned.class,
                        answer -> assertThat(answer.existing().taskId()).isEqualTo(gone));
        assertThat(store.find(List.of(gone))).isEmpty();
    }

    private void assertKept(TaskId... expected) {
        assertThat(everything().tasks().keySet()).containsExactlyInAnyOrder(expected);
    }
}
