package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Conflicted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Submitted.Rejected;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of submitting one task: S1 to S5, S9, S11 and S12. */
public abstract class SubmitContract extends StoreContract {

    private static final Draft KEYED = Draft.keyed("k");

    /** For subclasses. */
    protected SubmitContract() {}

    @Test
    @DisplayName("S1: of any number of submissions of one identity exactly one is created, and all others get its id")
    void oneIdentityIsOneTask() {
        TaskId first = create(KEYED);
        for (int i = 0; i < 10; i++) {
            Returned again = (Returned) submit(KEYED);
            assertThat(again.existing().taskId()).isEqualTo(first);
            assertThat(again.inputDiffers()).isFalse();
        }
        assertThat(everything().tasks().keySet()).containsExactly(first);
    }

    @Test
    @DisplayName("S1: what is returned is the existing task, with its run, state, times and result")
    void theExistingTaskIsReturnedWhole() {
        Instant created = clock.instant();
        TaskId id = create(KEYED);
        clock.advance(Duration.ofSeconds(5));
        ExistingTask open = ((Returned) submit(KEYED)).existing();
        assertThat(open)
                .isEqualTo(new ExistingTask(
                        id, Draft.TYPE, 1, TaskState.PENDING, KEYED.hash(), created, null, false, null, null));

        applied(new Settlement.Complete(claimOne(), "{\"paid\":true}"));
        Instant finished = clock.instant();
        clock.advance(Duration.ofSeconds(5));
        ExistingTask done = ((Returned) submit(KEYED)).existing();
        assertThat(done)
                .isEqualTo(new ExistingTask(
                        id,
                        Draft.TYPE,
                        1,
                        TaskState.COMPLETED,
                        KEYED.hash(),
                        created,
                        finished,
                        false,
                        null,
                        "{\"paid\":true}"));
    }

    @Test
    @DisplayName("S1: identities that differ in tenant, kind of scope, name of scope or key are apart")
    void differentIdentitiesAreApart() {
        List<Draft> drafts = List.of(
                KEYED,
                KEYED.tenant("other"),
                KEYED.type("other"),
                KEYED.key("K"),
                KEYED.key("k "),
                KEYED.key("k%"),
                KEYED.key("_"),
                KEYED.scope(Scope.queue()),
                KEYED.scope(Scope.queue()).queue("other"),
                KEYED.scope(Scope.tenant()),
                KEYED.scope(Scope.tenant()).tenant("other"),
                KEYED.scope(Scope.custom(Draft.TYPE)),
                KEYED.scope(Scope.custom(Draft.QUEUE)),
                KEYED.scope(Scope.custom("other")));
        List<TaskId> created = new ArrayList<>();
        drafts.forEach(draft -> created.add(create(draft)));
        for (int i = 0; i < drafts.size(); i++) {
            assertThat(((Returned) submit(drafts.get(i))).existing().taskId())
                    .as("%s", drafts.get(i).identity())
                    .isEqualTo(created.get(i));
        }
    }

    @Test
    @DisplayName("S2: an identity is held while its task is open, whatever its ttl")
    void anOpenTaskHoldsItsIdentity() {
        Draft brief = KEYED.ttl(MILLISECOND);
        TaskId id = create(brief.delay(Duration.ofDays(365)));
        clock.advance(Duration.ofDays(365));
        assertReturned(id, brief, TaskState.PENDING);
        assertThat(record(brief).windowPassed()).isTrue();

        Lease first = claimOne();
        clock.advance(Duration.ofDays(365));
        assertReturned(id, brief, TaskState.RUNNING);

        applied(new Settlement.Retry(first, Duration.ofDays(1), "again"));
        clock.advance(Duration.ofDays(1));
        assertReturned(id, brief, TaskState.PENDING);

        claimOne();
        leasesExpire();
        claimOne();
        assertReturned(id, brief, TaskState.RUNNING);
    }

    @Test
    @DisplayName("S2: an identity is held while its task waits, whatever its ttl")
    void aWaitingTaskHoldsItsIdentity() {
        createIn(TaskState.RUNNING, KEYED);
        TaskId waiting = create(KEYED.replacing().ttl(MILLISECOND));
        clock.advance(Duration.ofDays(365));
        assertReturned(waiting, KEYED, TaskState.WAITING);
    }

    @Test
    @DisplayName("S3: once its task has ended and its window has passed, an identity is free and is taken as run 1")
    void afterItsWindowAnIdentityIsFree() {
        for (TaskState end : List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.TIMED_OUT, TaskState.CANCELLED)) {
            Draft draft =
                    Draft.keyed("ended as " + end).ttl(Duration.ofHours(1)).policy(ReusePolicy.never());
            TaskId old = createIn(end, draft);
            TaskId rerun = create(draft.policy(ReusePolicy.afterFinish()));
            applied(new Settlement.Complete(claimOne(), null));
            Task oldTask = read(old);

            clock.advance(Duration.ofHours(1).minus(MILLISECOND));
            assertReturned(rerun, draft, TaskState.COMPLETED);
            clock.advance(MILLISECOND);
            assertThat(record(draft).windowPassed()).isTrue();
            TaskId taken = create(draft.input("{\"other\":true}"));

            assertThat(read(taken).run()).isEqualTo(1);
            assertThat(read(taken).lineage()).isEqualTo(taken);
            assertThat(record(draft).taskId()).isEqualTo(taken);
            assertThat(record(draft).run()).isEqualTo(1);
            assertThat(read(old)).isEqualTo(oldTask);
            applied(new Operation.Cancel(taken));
        }
    }

    @Test
    @DisplayName("S3: the window is that of the newest task, counted from its creation")
    void everyTaskHasAWindowOfItsOwn() {
        Draft hour = KEYED.ttl(Duration.ofHours(1));
        createIn(TaskState.FAILED, hour);
        assertThat(record(hour).expiresAt()).isEqualTo(clock.instant().plus(Duration.ofHours(1)));
        clock.advance(Duration.ofMinutes(30));
        TaskId rerun = create(KEYED.ttl(Duration.ofHours(2)));
        assertThat(record(hour).expiresAt()).isEqualTo(clock.instant().plus(Duration.ofHours(2)));
        applied(new Settlement.Complete(claimOne(), null));
        clock.advance(Duration.ofMinutes(119));
        assertReturned(rerun, hour, TaskState.COMPLETED);
        clock.advance(Duration.ofMinutes(1));
        create(hour);
    }

    @Test
    @DisplayName("S4: other input under a held identity is a conflict by default and changes nothing")
    void otherInputIsAConflict() {
        Draft other = KEYED.input("{\"n\":2}");
        TaskId id = create(KEYED);
        for (TaskState state : List.of(TaskState.PENDING, TaskState.RUNNING, TaskState.COMPLETED)) {
            changesNothing(() -> {
                Conflicted conflict = (Conflicted) submit(other);
                assertThat(conflict.existing().taskId()).isEqualTo(id);
                assertThat(conflict.existing().state()).isEqualTo(state);
                assertThat(conflict.existing().inputHash()).isEqualTo(KEYED.hash());
                assertThat(conflict.existing().input()).isEqualTo(KEYED.input());
            });
            if (state == TaskState.PENDING) {
                claimOne();
            } else if (state == TaskState.RUNNING) {
                applied(new Settlement.Complete(lease(id, 1), null));
            }
        }
    }

    @Test
    @DisplayName("S4: another type under a held identity is a conflict too")
    void anotherTypeIsAConflict() {
        Draft shared = KEYED.scope(Scope.custom("orders"));
        TaskId id = create(shared);
        changesNothing(() -> {
            Conflicted conflict = (Conflicted) submit(shared.type("other"));
            assertThat(conflict.existing().taskId()).isEqualTo(id);
            assertThat(conflict.existing().type()).isEqualTo(Draft.TYPE);
        });
    }

    @Test
    @DisplayName("S4: a policy that warns or ignores the difference returns the existing task")
    void otherInputCanBeLetPass() {
        Draft other = KEYED.input("{\"n\":2}");
        TaskId id = create(KEYED);
        countsOnly(2, KEYED, () -> {
            Returned warned = (Returned) submit(other.policy(KEYED.policy().onOtherInput(OtherInput.WARN)));
            assertThat(warned.existing().taskId()).isEqualTo(id);
            assertThat(warned.inputDiffers()).isTrue();
            assertThat(warned.existing().input())
                    .as("given with a conflict only")
                    .isNull();
            Returned ignored = (Returned) submit(other.policy(KEYED.policy().onOtherInput(OtherInput.IGNORE)));
            assertThat(ignored.existing().taskId()).isEqualTo(id);
            assertThat(ignored.inputDiffers()).isFalse();
            ReusePolicy rejecting = ReusePolicy.of(WhileOpen.REJECT, AfterEnd.REJECT, AfterEnd.REJECT);
            Rejected rejected = (Rejected) submit(other.policy(rejecting.onOtherInput(OtherInput.WARN)));
            assertThat(rejected.existing().taskId()).isEqualTo(id);
            assertThat(rejected.inputDiffers()).isTrue();
        });
    }

    @Test
    @DisplayName("S5: a submission of a task id that was accepted before is answered as created, in every state")
    void aRepeatedIdIsCreatedAgain() {
        for (Draft draft :
                List.of(Draft.plain(), KEYED, Draft.keyed("replacing").replacing())) {
            NewTask task = task(draft);
            Instant created = clock.instant();
            assertThat(submit(task)).isEqualTo(new Created(task.id(), 1, TaskState.PENDING, created));
            clock.advance(Duration.ofSeconds(1));
            assertRepeated(task, 1, TaskState.PENDING, created);
            Lease lease = claimOne();
            assertRepeated(task, 1, TaskState.RUNNING, created);
            applied(new Settlement.Complete(lease, null));
            assertRepeated(task, 1, TaskState.COMPLETED, created);
        }
    }

    @Test
    @DisplayName("S5: a repeated task id is recognised although its key has passed to another task")
    void aRepeatedIdIsRecognisedAfterItsKeyMovedOn() {
        NewTask first = task(KEYED);
        submit(first);
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        Instant created = clock.instant();
        clock.advance(Duration.ofSeconds(1));
        NewTask second = task(KEYED.replacing());
        assertThat(submit(second)).isEqualTo(new Created(second.id(), 2, TaskState.PENDING, clock.instant()));
        assertRepeated(first, 1, TaskState.FAILED, created);

        claimOne();
        NewTask third = task(KEYED.replacing());
        submit(third);
        assertRepeated(second, 2, TaskState.RUNNING, clock.instant());
        assertRepeated(third, 3, TaskState.WAITING, clock.instant());
        assertRepeated(first, 1, TaskState.FAILED, created);
    }

    @Test
    @DisplayName("S5: a repeated task id is recognised before its input is compared and after its window has passed")
    void aRepeatedIdIsRecognisedBeforeTheDecision() {
        NewTask first = task(KEYED.ttl(Duration.ofHours(1)).policy(ReusePolicy.afterFinish()));
        submit(first);
        Instant created = clock.instant();
        applied(new Settlement.Complete(claimOne(), null));
        assertRepeated(first, 1, TaskState.COMPLETED, created);
        clock.advance(Duration.ofHours(1));
        assertRepeated(first, 1, TaskState.COMPLETED, created);
        applied(new Operation.ReleaseKey(KEYED.identity(), first.id()));
        assertRepeated(first, 1, TaskState.COMPLETED, created);
        NewTask sameIdOtherInput = KEYED.input("{\"n\":2}").as(first.id());
        assertRepeated(sameIdOtherInput, 1, TaskState.COMPLETED, created);
        assertThat(store.record(KEYED.identity())).isEmpty();
    }

    @Test
    @DisplayName("S9: a rerun is a new task of the same identity and lineage with the next run; the old one stays")
    void aRerunContinuesTheLineage() {
        List<TaskId> runs = new ArrayList<>();
        for (TaskState end : List.of(TaskState.FAILED, TaskState.TIMED_OUT, TaskState.CANCELLED)) {
            runs.add(createIn(end, KEYED));
            clock.advance(Duration.ofSeconds(1));
        }
        Snapshot before = everything();
        TaskId last = create(KEYED);

        assertThat(read(last).run()).isEqualTo(4);
        assertThat(read(last).lineage()).isEqualTo(runs.getFirst());
        assertThat(read(last).identity()).isEqualTo(KEYED.identity());
        assertThat(read(last).progress().attempt()).isZero();
        for (int i = 0; i < runs.size(); i++) {
            Task old = read(runs.get(i));
            assertThat(old).isEqualTo(before.tasks().get(old.id()));
            assertThat(old.run()).isEqualTo(i + 1);
            assertThat(old.lineage()).isEqualTo(runs.getFirst());
        }
        KeyRecord record = record(KEYED);
        assertThat(record.taskId()).isEqualTo(last);
        assertThat(record.run()).isEqualTo(4);
        assertThat(record.lineage()).isEqualTo(runs.getFirst());
        assertThat(record.createdAt()).isEqualTo(clock.instant());
        List<TaskId> listed = store.list(TaskQuery.of(KEYED.identity(), 10)).tasks().stream()
                .map(Task::id)
                .toList();
        assertThat(listed).containsExactly(last, runs.get(2), runs.get(1), runs.get(0));
    }

    @Test
    @DisplayName("S9: a rerun after success begins a lineage of its own, and takes new input")
    void aRerunAfterSuccessIsNewWork() {
        createIn(TaskState.COMPLETED, KEYED);
        Draft other = KEYED.input("{\"n\":2}").policy(ReusePolicy.afterFinish());
        TaskId rerun = create(other);
        assertThat(read(rerun).run()).isEqualTo(2);
        assertThat(read(rerun).lineage()).isEqualTo(rerun);
        assertThat(record(KEYED).inputHash()).isEqualTo(other.hash());
    }

    @Test
    @DisplayName("S12: reruns and replacements belong to the series of the first task, until the key is free")
    void aSeriesLastsUntilTheKeyIsFree() {
        TaskId first = createIn(TaskState.FAILED, KEYED);
        TaskId rerun = createIn(TaskState.COMPLETED, KEYED);
        TaskId again = create(KEYED.policy(ReusePolicy.afterFinish()));
        TaskId replacing = create(KEYED.replacing());
        assertThat(List.of(first, rerun, again, replacing))
                .allSatisfy(id -> assertThat(read(id).series()).isEqualTo(first));
        assertThat(List.of(first, rerun, again, replacing))
                .extracting(id -> read(id).run())
                .containsExactly(1, 2, 3, 4);
        applied(new Settlement.Complete(claimOne(), null));
        store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 100));
        TaskId afterTombstone = create(KEYED.policy(ReusePolicy.afterFinish()));
        assertThat(read(afterTombstone).series()).isEqualTo(first);
        assertThat(read(afterTombstone).run()).isEqualTo(5);
        applied(new Settlement.Complete(claimOne(), null));
        clock.advance(Duration.ofDays(31));
        TaskId next = create(KEYED);
        assertThat(read(next).series()).isEqualTo(next);
        assertThat(read(next).run()).isEqualTo(1);
    }

    @Test
    @DisplayName("S12, M8: a redrive that takes its key back begins a series, so that no run is there twice")
    void aRedriveThatTakesItsKeyBackBeginsASeries() {
        TaskId first = createIn(TaskState.FAILED, KEYED);
        TaskId second = createIn(TaskState.FAILED, KEYED);
        clock.advance(Duration.ofDays(31));
        applied(new Operation.Redrive(first, 1));
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        TaskId third = create(KEYED);
        assertThat(read(second).run()).isEqualTo(2);
        assertThat(read(third).run()).isEqualTo(2);
        assertThat(read(second).series()).isEqualTo(first);
        assertThat(read(third).series()).isNotIn(first, third);
        assertThat(read(third).lineage()).isEqualTo(first);
    }

    @Test
    @DisplayName("S11: tasks without a key are never merged, and leave no record")
    void tasksWithoutAKeyAreNeverMerged() {
        store.submit(tasks(20, Draft.plain()));
        assertThat(everything().tasks()).hasSize(20).allSatisfy((id, task) -> {
            assertThat(task.identity()).isNull();
            assertThat(task.run()).isEqualTo(1);
            assertThat(task.lineage()).isEqualTo(id);
        });
        assertThat(everything().records()).isEmpty();
    }

    private void assertReturned(TaskId id, Draft draft, TaskState state) {
        countsOnly(1, draft, () -> {
            Submitted answer = submit(draft);
            assertThat(answer).isInstanceOf(Returned.class);
            assertThat(((Returned) answer).existing().taskId()).isEqualTo(id);
            assertThat(((Returned) answer).existing().state()).isEqualTo(state);
        });
    }

    private void assertRepeated(NewTask task, int run, TaskState state, Instant createdAt) {
        changesNothing(() -> assertThat(submit(task)).isEqualTo(new Created(task.id(), run, state, createdAt)));
    }
}
