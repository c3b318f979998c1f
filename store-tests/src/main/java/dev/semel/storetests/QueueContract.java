package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Conflicted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.Rejected;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.RateLimit;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of queues and their settings: Q1, Q2 and Q8 to Q10. */
public abstract class QueueContract extends StoreContract {

    private static final Draft KEYED = Draft.keyed("k");
    private static final SweepRequest ALL = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1_000);

    /** For subclasses. */
    protected QueueContract() {}

    // Q1

    @Test
    @DisplayName("Q1: every setting is returned unchanged, declared or set, through every handle")
    void everySettingIsKept() {
        TaskStore other = another();
        Map<String, QueueSetUp> expected = new HashMap<>();
        List<QueueSettings> each = eachSetting();
        for (int i = 0; i < each.size(); i++) {
            QueueSettings settings = each.get(i);
            applied(new Operation.DeclareQueue("declared-" + i, settings));
            applied(new Operation.SetQueue("set-" + i, settings));
            expected.put("declared-" + i, new QueueSetUp(settings, QueueSettings.NONE));
            expected.put("set-" + i, new QueueSetUp(QueueSettings.NONE, settings));
        }
        assertThat(store.queues()).isEqualTo(expected);
        assertThat(other.queues()).isEqualTo(expected);
    }

    @Test
    @DisplayName("Q1: the settings of queues that are read by name are those of the named ones alone")
    void settingsAreReadByName() {
        applied(new Operation.DeclareQueue(
                "declared", QueueSettings.builder().concurrency(1).build()));
        set("set", QueueSettings.builder().paused(true));
        set("other", QueueSettings.builder().paused(true));
        Map<String, QueueSetUp> all = store.queues();
        assertThat(all).containsOnlyKeys("declared", "set", "other");
        Map<String, QueueSetUp> named = new HashMap<>(all);
        named.remove("other");
        assertThat(store.queues(List.of("set", "unknown", "declared"))).isEqualTo(named);
        assertThat(store.queues(Set.of("unknown"))).isEmpty();
        assertThat(store.queues(List.of())).isEmpty();
        applied(new Operation.ResetQueue("set"));
        assertThat(store.queues(List.of("set")).getOrDefault("set", QueueSetUp.NONE))
                .isEqualTo(QueueSetUp.NONE);
    }

    @Test
    @DisplayName("Q1: every reuse policy is returned unchanged")
    void everyPolicyIsKept() {
        List<Operation> operations = new ArrayList<>();
        Map<String, ReusePolicy> expected = new HashMap<>();
        for (ReusePolicy policy : policies()) {
            String queue = "queue-" + operations.size();
            operations.add(new Operation.SetQueue(
                    queue, QueueSettings.builder().reuse(policy).build()));
            expected.put(queue, policy);
        }
        assertThat(store.operate(operations)).containsOnly(Operated.APPLIED);
        Map<String, ReusePolicy> kept = new HashMap<>();
        store.queues()
                .forEach((queue, setUp) -> kept.put(queue, setUp.effective().reuse()));
        assertThat(kept).isEqualTo(expected);
    }

    @Test
    @DisplayName("Q1: only queues with settings are listed; a task alone does not make settings")
    void nothingSaidNothingListed() {
        create(Draft.plain());
        assertThat(store.queues()).isEmpty();
    }

    @Test
    @DisplayName("Q1: what is set wins over what is declared, setting by setting, and stays when something else is set")
    void theSetWinsSettingBySetting() {
        QueueSettings declared = QueueSettings.builder()
                .rateLimit("5/min")
                .concurrency(3)
                .deadLetterQueue("dead")
                .build();
        applied(new Operation.DeclareQueue(Draft.QUEUE, declared));
        set(Draft.QUEUE, QueueSettings.builder().concurrency(7));
        set(Draft.QUEUE, QueueSettings.builder().retention(Duration.ofHours(1)));
        QueueSettings set = QueueSettings.builder()
                .concurrency(7)
                .retention(Duration.ofHours(1))
                .build();
        assertThat(store.queues()).containsExactly(Map.entry(Draft.QUEUE, new QueueSetUp(declared, set)));
        set(Draft.QUEUE, QueueSettings.builder().concurrency(8));
        assertThat(settings(Draft.QUEUE))
                .isEqualTo(QueueSettings.builder()
                        .rateLimit("5/min")
                        .concurrency(8)
                        .retention(Duration.ofHours(1))
                        .deadLetterQueue("dead")
                        .build());
    }

    @Test
    @DisplayName("Q1: a declaration replaces the one before, all of it, and leaves alone what is set")
    void aDeclarationReplacesTheOneBefore() {
        applied(new Operation.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().concurrency(3).paused(true).build()));
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/sec"));
        QueueSettings next = QueueSettings.builder().retention(Duration.ZERO).build();
        applied(new Operation.DeclareQueue(Draft.QUEUE, next));
        assertThat(store.queues().get(Draft.QUEUE))
                .isEqualTo(new QueueSetUp(
                        next, QueueSettings.builder().rateLimit("1/sec").build()));
        applied(new Operation.DeclareQueue(Draft.QUEUE, QueueSettings.NONE));
        assertThat(settings(Draft.QUEUE))
                .isEqualTo(QueueSettings.builder().rateLimit("1/sec").build());
    }

    @Test
    @DisplayName("Q1: a reset brings back what is declared, and forgets a pause")
    void aResetBringsBackTheDeclared() {
        QueueSettings declared = QueueSettings.builder().concurrency(1).build();
        applied(new Operation.DeclareQueue(Draft.QUEUE, declared));
        set(Draft.QUEUE, QueueSettings.builder().paused(true).concurrency(5));
        create(Draft.plain());
        create(Draft.plain());
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).isEmpty();
        applied(new Operation.ResetQueue(Draft.QUEUE));
        assertThat(store.queues().get(Draft.QUEUE)).isEqualTo(new QueueSetUp(declared, QueueSettings.NONE));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).hasSize(1);
        applied(new Operation.ResetQueue(Draft.QUEUE));
        applied(new Operation.ResetQueue("unheard-of"));
        assertThat(settings(Draft.QUEUE)).isEqualTo(declared);
    }

    @Test
    @DisplayName("Q1: a queue of which no setting is left is not listed, and is as if nothing had been said of it")
    void aQueueWithoutSettingsIsForgotten() {
        TaskStore other = another();
        applied(new Operation.DeclareQueue(
                "declared", QueueSettings.builder().concurrency(1).build()));
        set("declared", QueueSettings.builder().paused(true));
        set("set", QueueSettings.builder().paused(false));
        assertThat(other.queues()).containsOnlyKeys("declared", "set");
        applied(new Operation.ResetQueue("set"));
        applied(new Operation.ResetQueue("declared"));
        assertThat(store.queues()).containsOnlyKeys("declared");
        assertThat(other.queues()).containsOnlyKeys("declared");
        applied(new Operation.DeclareQueue("declared", QueueSettings.NONE));
        applied(new Operation.ResetQueue("unheard-of"));
        assertThat(store.queues()).isEmpty();
        assertThat(other.queues()).isEmpty();
        applied(new Operation.DeclareQueue(
                "declared", QueueSettings.builder().concurrency(2).build()));
        assertThat(other.queues())
                .containsExactly(Map.entry(
                        "declared",
                        new QueueSetUp(QueueSettings.builder().concurrency(2).build(), QueueSettings.NONE)));
    }

    @Test
    @DisplayName("Q1: a batch of operations on queues is the same as one after the other")
    void aBatchOfQueueOperationsIsInOrder() {
        List<Operation> batch = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            batch.add(new Operation.DeclareQueue(
                    "queue-" + i,
                    QueueSettings.builder().deadLetterQueue("queue-" + (i + 1)).build()));
        }
        batch.add(new Operation.DeclareQueue(
                "queue-300", QueueSettings.builder().deadLetterQueue("queue-0").build()));
        batch.add(new Operation.ResetQueue("queue-0"));
        batch.add(new Operation.DeclareQueue("queue-7", QueueSettings.NONE));
        batch.add(new Operation.DeclareQueue(
                "queue-300", QueueSettings.builder().deadLetterQueue("queue-0").build()));
        List<Operated> answers = store.operate(batch);
        assertThat(answers).hasSize(batch.size());
        assertThat(answers.get(300)).isEqualTo(Operated.CIRCLE);
        assertThat(answers.stream().filter(Operated.CIRCLE::equals)).hasSize(1);
        assertThat(store.queues()).hasSize(300).doesNotContainKey("queue-7");
        assertThat(settings("queue-300").deadLetterQueue()).isEqualTo("queue-0");
    }

    @Test
    @DisplayName("Q1: no limit that is set wins over a limit that is declared")
    void noLimitWinsOverALimit() {
        applied(new Operation.DeclareQueue(
                Draft.QUEUE,
                QueueSettings.builder().rateLimit("1/day").concurrency(1).build()));
        store.submit(tasks(5, Draft.plain()));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).hasSize(1);
        set(Draft.QUEUE, QueueSettings.builder().rateLimit(RateLimit.NONE).concurrency(0));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).hasSize(4);
    }

    @Test
    @DisplayName("Q1: an operation on a queue may be repeated, and changes no task")
    void operationsOnQueuesMayBeRepeated() {
        create(KEYED);
        List<Operation> operations = List.of(
                new Operation.DeclareQueue(
                        Draft.QUEUE, QueueSettings.builder().concurrency(2).build()),
                new Operation.SetQueue(
                        Draft.QUEUE, QueueSettings.builder().paused(true).build()));
        Snapshot before = everything();
        assertThat(store.operate(operations)).containsOnly(Operated.APPLIED);
        assertThat(everything().tasks()).isEqualTo(before.tasks());
        assertThat(everything().records()).isEqualTo(before.records());
        changesNothing(() -> assertThat(store.operate(operations)).containsOnly(Operated.APPLIED));
    }

    private static List<QueueSettings> eachSetting() {
        List<QueueSettings> each = new ArrayList<>();
        for (boolean paused : new boolean[] {true, false}) {
            each.add(QueueSettings.builder().paused(paused).build());
        }
        for (String limit : List.of("1/sec", "500/min", "7/hour", "1000000/day", "none")) {
            each.add(QueueSettings.builder().rateLimit(limit).build());
        }
        for (int concurrency : new int[] {0, 1, QueueSettings.MOST_CONCURRENCY}) {
            each.add(QueueSettings.builder().concurrency(concurrency).build());
        }
        for (Duration time : List.of(MILLISECOND, Duration.ofDays(7), Duration.ofDays(36_525))) {
            each.add(QueueSettings.builder().retention(time).build());
            each.add(QueueSettings.builder().idempotencyTtl(time).build());
        }
        each.add(QueueSettings.builder().retention(Duration.ZERO).build());
        each.add(QueueSettings.builder().reuse(ReusePolicy.never()).build());
        each.add(QueueSettings.builder().deadLetterQueue("dead-letters/1").build());
        each.add(QueueSettings.builder().deadLetterQueue("").build());
        each.add(QueueSettings.builder()
                .paused(false)
                .rateLimit("100/sec")
                .concurrency(5)
                .retention(Duration.ofHours(3))
                .idempotencyTtl(Duration.ofDays(2))
                .reuse(ReusePolicy.afterFinish().onOtherInput(OtherInput.WARN))
                .deadLetterQueue("dead")
                .build());
        return each;
    }

    /** Each rule of each state, with the presets for all others. */
    private static List<ReusePolicy> policies() {
        List<ReusePolicy> all =
                new ArrayList<>(List.of(ReusePolicy.allowFailedOnly(), ReusePolicy.never(), ReusePolicy.afterFinish()));
        WhileOpen open = WhileOpen.RETURN;
        AfterEnd end = AfterEnd.RETURN;
        OtherInput input = OtherInput.CONFLICT;
        for (WhileOpen one : WhileOpen.values()) {
            all.add(new ReusePolicy(one, open, open, end, end, end, end, input));
            all.add(new ReusePolicy(open, one, open, end, end, end, end, input));
            all.add(new ReusePolicy(open, open, one, end, end, end, end, input));
        }
        for (AfterEnd one : AfterEnd.values()) {
            all.add(new ReusePolicy(open, open, open, one, end, end, end, input));
            all.add(new ReusePolicy(open, open, open, end, one, end, end, input));
            all.add(new ReusePolicy(open, open, open, end, end, one, end, input));
            all.add(new ReusePolicy(open, open, open, end, end, end, one, input));
        }
        for (OtherInput one : OtherInput.values()) {
            all.add(new ReusePolicy(open, open, open, end, end, end, end, one));
        }
        return all;
    }

    // Q2

    @Test
    @DisplayName(
            "Q2, C9: a paused queue gives nothing and no next due time; resumed, it gives what it would have given")
    void aPausedQueueGivesNothing() {
        TaskId low = create(Draft.plain());
        TaskId high = create(Draft.plain().priority(5));
        create(Draft.plain().delay(Duration.ofHours(1)));
        set(Draft.QUEUE, QueueSettings.builder().paused(true));
        TaskId during = create(Draft.plain());
        for (TaskStore handle : List.of(store, another())) {
            Claims none = handle.claim(ClaimDraft.from(Draft.QUEUE).as(nextClaim()));
            assertThat(none).isEqualTo(new Claims(List.of(), null));
        }
        assertThat(List.of(state(low), state(high), state(during))).containsOnly(TaskState.PENDING);
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).containsExactly(high, low, during);
    }

    @Test
    @DisplayName("Q2: a pause that is declared holds too, until it is set otherwise")
    void aDeclaredPauseHolds() {
        create(Draft.plain());
        applied(new Operation.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().paused(true).build()));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).isEmpty();
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).hasSize(1);
    }

    @Test
    @DisplayName(
            "Q2: running tasks continue: they are extended, retried and completed; tasks that return to the queue are held")
    void runningTasksContinue() {
        create(Draft.plain());
        create(Draft.plain());
        create(Draft.plain());
        List<Lease> leases = claim(ClaimDraft.from(Draft.QUEUE)).tasks().stream()
                .map(claimed -> claimed.lease())
                .toList();
        set(Draft.QUEUE, QueueSettings.builder().paused(true));
        applied(new Settlement.Extend(leases.get(0), ClaimDraft.LEASE));
        applied(new Settlement.Complete(leases.get(0), "1"));
        applied(new Settlement.Retry(leases.get(1), Duration.ZERO, "again"));
        leasesExpire();
        assertThat(claim(ClaimDraft.from(Draft.QUEUE))).isEqualTo(new Claims(List.of(), null));
        applied(new Settlement.Extend(leases.get(2), ClaimDraft.LEASE));
        leasesExpire();
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE)))
                .containsExactlyInAnyOrder(leases.get(1).taskId(), leases.get(2).taskId());
    }

    @Test
    @DisplayName("Q2, L2: listeners are notified of every change of a queue's settings as of a due task")
    void listenersAreNotifiedOfChanges() {
        Ear ear = new Ear();
        store.listen(ear);
        set(Draft.QUEUE, QueueSettings.builder().paused(true));
        ear.awaitDue(Draft.QUEUE);
        create(Draft.plain());
        ear.forget();
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        ear.awaitDue(Draft.QUEUE);
        ear.forget();
        applied(new Operation.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().concurrency(3).build()));
        ear.awaitDue(Draft.QUEUE);
        ear.forget();
        applied(new Operation.ResetQueue(Draft.QUEUE));
        ear.awaitDue(Draft.QUEUE);
    }

    // Q8

    /** Sends duplicates of a draft in one batch; each must be answered with the task that holds the key. */
    private void duplicate(TaskStore handle, Draft draft, int count, TaskId holder) {
        assertThat(handle.submit(tasks(count, draft)))
                .hasSize(count)
                .allSatisfy(answer -> assertThat(answer)
                        .isInstanceOfSatisfying(
                                Returned.class,
                                returned ->
                                        assertThat(returned.existing().taskId()).isEqualTo(holder)));
    }

    @Test
    @DisplayName("Q8: duplicates are counted on the record, with the time of the newest")
    void duplicatesAreCounted() {
        TaskId id = create(KEYED);
        assertThat(record(KEYED).duplicates()).isZero();
        assertThat(record(KEYED).lastDuplicateAt()).isNull();
        duplicate(store, KEYED, 1, id);
        duplicate(store, KEYED, 2, id);
        Instant first = clock.instant();
        assertThat(record(KEYED).duplicates()).isEqualTo(3);
        assertThat(record(KEYED).lastDuplicateAt()).isEqualTo(first);
        clock.advance(Duration.ofMinutes(1));
        duplicate(store, KEYED, 1_000, id);
        for (int i = 0; i < 10; i++) {
            duplicate(store, KEYED, 1, id);
        }
        assertThat(record(KEYED).duplicates()).isEqualTo(1_013);
        assertThat(record(KEYED).lastDuplicateAt()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName(
            "Q8: duplicates of several keys in one batch are counted for each, those of a task of the same batch too")
    void duplicatesInABatchAreCounted() {
        Draft other = Draft.keyed("other");
        NewTask first = task(KEYED);
        store.submit(List.of(
                first,
                task(KEYED),
                task(other),
                task(Draft.plain()),
                task(KEYED),
                task(other),
                task(KEYED.input("{\"n\":2}")),
                first));
        assertThat(record(KEYED).duplicates()).isEqualTo(2);
        assertThat(record(other).duplicates()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "Q8: they are counted whatever happened to the task, and kept when its data is deleted and its window has passed")
    void duplicatesOfEndedTasksAreCounted() {
        TaskId id = createIn(TaskState.COMPLETED, KEYED);
        duplicate(store, KEYED, 1, id);
        store.sweep(ALL);
        duplicate(store, KEYED, 2, id);
        assertThat(record(KEYED).duplicates()).isEqualTo(3);
        clock.advance(KEYED.ttl());
        KeyRecord record = record(KEYED);
        assertThat(record.duplicates()).isEqualTo(3);
        assertThat(record.windowPassed()).isTrue();
        assertThat(record.dataGone()).isTrue();
        assertThat(record.state()).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName("Q8: a submission that is not answered with an existing task is not counted")
    void onlyDuplicatesAreCounted() {
        NewTask first = task(KEYED);
        submit(first);
        Draft rejecting = KEYED.policy(ReusePolicy.of(WhileOpen.REJECT, AfterEnd.REJECT, AfterEnd.REJECT));
        changesNothing(() -> {
            assertThat(submit(first)).as("the same task sent again").isInstanceOf(Created.class);
            assertThat(submit(KEYED.input("{\"n\":2}"))).isInstanceOf(Conflicted.class);
            assertThat(submit(rejecting)).isInstanceOf(Rejected.class);
            assertThat(store.submit(List.of(task(rejecting), first, task(KEYED.input("{\"n\":2}")))))
                    .hasSize(3);
        });
        assertThat(record(KEYED).duplicates()).isZero();
        assertThat(record(KEYED).lastDuplicateAt()).isNull();
    }

    @Test
    @DisplayName("Q8: a new holder of the key begins at zero, a redriven one does not")
    void aNewHolderBeginsAtZero() {
        TaskId dead = createIn(TaskState.FAILED, KEYED);
        duplicate(store, KEYED.policy(ReusePolicy.never()), 5, dead);
        Instant counted = clock.instant();
        assertThat(record(KEYED).duplicates()).isEqualTo(5);
        clock.advance(KEYED.ttl());
        applied(new Operation.Redrive(dead, 1));
        assertThat(record(KEYED).duplicates()).isEqualTo(5);
        assertThat(record(KEYED).lastDuplicateAt()).isEqualTo(counted);
        duplicate(store, KEYED, 1, dead);
        assertThat(record(KEYED).duplicates()).isEqualTo(6);
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        create(KEYED);
        assertThat(record(KEYED).duplicates()).isZero();
        assertThat(record(KEYED).lastDuplicateAt()).isNull();
        create(KEYED.replacing());
        assertThat(record(KEYED).duplicates()).isZero();
    }

    @Test
    @DisplayName("Q8: duplicates of a former holder that were not read are not counted for the new one")
    void nothingIsCountedForAFormerHolder() {
        TaskId old = createIn(TaskState.FAILED, KEYED);
        duplicate(store, KEYED.policy(ReusePolicy.never()), 1, old);
        duplicate(store, KEYED.policy(ReusePolicy.never()), 4, old);
        TaskId next = create(KEYED);
        assertThat(record(KEYED).duplicates()).isZero();
        duplicate(store, KEYED, 2, next);
        assertThat(record(KEYED).duplicates()).isEqualTo(2);
    }

    @Test
    @DisplayName("Q8: the counts of two handles add up, at the latest when each of them has read, swept or closed")
    void countsOfHandlesAddUp() {
        TaskStore other = another();
        TaskId id = create(KEYED);
        for (int i = 0; i < 3; i++) {
            duplicate(store, KEYED, 2, id);
            duplicate(other, KEYED, 1, id);
        }
        assertThat(other.record(KEYED.identity())).isPresent();
        assertThat(record(KEYED).duplicates()).isEqualTo(9);
        duplicate(other, KEYED, 1, id);
        duplicate(other, KEYED, 1, id);
        other.sweep(ALL);
        assertThat(record(KEYED).duplicates()).isEqualTo(11);
        try (TaskStore third = openAnother()) {
            duplicate(third, KEYED, 1, id);
            duplicate(third, KEYED, 1, id);
        }
        assertThat(record(KEYED).duplicates()).isEqualTo(13);
    }

    // Q9

    @Test
    @DisplayName(
            "Q9: a depth counts each task that is open or dead once, and has the time since when the oldest is due")
    void depthsCountEachOnce() {
        createIn(TaskState.COMPLETED, Draft.plain());
        createIn(TaskState.CANCELLED, Draft.plain());
        createIn(TaskState.FAILED, Draft.plain());
        createIn(TaskState.TIMED_OUT, Draft.plain());
        createIn(TaskState.FAILED, Draft.plain());
        claimAfter(Draft.plain());
        leasesExpire();
        Instant ranOut = clock.instant();
        clock.advance(Duration.ofSeconds(1));
        createAndClaimTyped("replaced", KEYED);
        create(KEYED.type("replaced").replacing());
        create(Draft.plain().delay(Duration.ofHours(1)));
        create(Draft.plain());
        create(Draft.plain().queue("other"));
        Instant now = clock.instant();

        assertThat(depths())
                .containsOnly(
                        Map.entry(Draft.QUEUE, new QueueDepth(2, 1, 1, 1, 3, ranOut)),
                        Map.entry("other", new QueueDepth(1, 0, 0, 0, 0, now)));
        clock.advance(Duration.ofHours(1));
        assertThat(depths().get(Draft.QUEUE)).isEqualTo(new QueueDepth(3, 0, 1, 1, 3, ranOut));
    }

    private void claimAfter(Draft draft) {
        create(draft);
        claimOne();
    }

    private void createAndClaimTyped(String type, Draft draft) {
        create(draft.type(type));
        assertThat(claim(ClaimDraft.from(Draft.QUEUE).ofTypes(type).lease(Duration.ofHours(2)))
                        .tasks())
                .hasSize(1);
    }

    @Test
    @DisplayName("Q9: a pause changes nothing about what is counted; what is swept is counted no more")
    void depthsOfPausedQueues() {
        assertThat(depths()).isEmpty();
        createIn(TaskState.FAILED, Draft.plain());
        TaskId id = create(Draft.plain());
        Instant since = clock.instant();
        set(Draft.QUEUE, QueueSettings.builder().paused(true));
        assertThat(depths()).containsOnly(Map.entry(Draft.QUEUE, new QueueDepth(1, 0, 0, 0, 1, since)));
        store.sweep(ALL);
        assertThat(depths()).containsOnly(Map.entry(Draft.QUEUE, new QueueDepth(1, 0, 0, 0, 0, since)));
        applied(new Operation.Cancel(id));
        assertThat(depths()).isEmpty();
    }

    /** The depths of queues that have any. */
    private Map<String, QueueDepth> depths() {
        Map<String, QueueDepth> depths = new HashMap<>(store.depths());
        depths.values().removeIf(new QueueDepth(0, 0, 0, 0, 0, null)::equals);
        return depths;
    }

    // Q10

    @Test
    @DisplayName("Q10: no setting of one queue changes what another one gives, also in one claim of both")
    void queuesDoNotChangeEachOther() {
        String set = "with-settings";
        for (QueueSettings.Builder settings : List.of(
                QueueSettings.builder().paused(true),
                QueueSettings.builder().rateLimit("1/day"),
                QueueSettings.builder().concurrency(1),
                QueueSettings.builder().retention(Duration.ZERO).deadLetterQueue("dead"))) {
            applied(new Operation.ResetQueue(set));
            set(set, settings);
            store.submit(tasks(20, Draft.plain().queue(set)));
            store.submit(tasks(20, Draft.plain()));
            Claims claims = claim(ClaimDraft.from(set, Draft.QUEUE));
            assertThat(claims.tasks().stream()
                            .filter(claimed -> claimed.task().queue().equals(Draft.QUEUE)))
                    .hasSize(20);
            claims.tasks().forEach(claimed -> applied(new Settlement.Complete(claimed.lease(), "1")));
            assertThat(claim(ClaimDraft.from(Draft.QUEUE))).isEqualTo(new Claims(List.of(), null));
        }
        TaskId failed = createIn(TaskState.FAILED, Draft.plain());
        assertThat(read(failed).input()).isNotNull();
        assertThat(everything().tasks().values())
                .noneMatch(task -> task.queue().equals("dead"))
                .noneMatch(task -> task.queue().equals(Draft.QUEUE) && task.dataGone());
    }
}
