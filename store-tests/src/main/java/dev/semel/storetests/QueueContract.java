package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.Claims;
import dev.semel.store.KeyRecord;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
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
    @DisplayName("Q1: every setting comes back as it was, declared or set, through every handle")
    void everySettingIsKept() {
        TaskStore other = another();
        Map<String, QueueSetUp> expected = new HashMap<>();
        List<QueueSettings> each = eachSetting();
        for (int i = 0; i < each.size(); i++) {
            QueueSettings settings = each.get(i);
            applied(new Transition.DeclareQueue("declared-" + i, settings));
            applied(new Transition.SetQueue("set-" + i, settings));
            expected.put("declared-" + i, new QueueSetUp(settings, QueueSettings.NONE));
            expected.put("set-" + i, new QueueSetUp(QueueSettings.NONE, settings));
        }
        assertThat(store.queues()).isEqualTo(expected);
        assertThat(other.queues()).isEqualTo(expected);
    }

    @Test
    @DisplayName("Q1: every reuse policy comes back as it was")
    void everyPolicyIsKept() {
        List<Transition> moves = new ArrayList<>();
        Map<String, ReusePolicy> expected = new HashMap<>();
        for (ReusePolicy policy : policies()) {
            String queue = "queue-" + moves.size();
            moves.add(new Transition.SetQueue(
                    queue, QueueSettings.builder().reuse(policy).build()));
            expected.put(queue, policy);
        }
        assertThat(store.apply(moves)).containsOnly(Applied.APPLIED);
        Map<String, ReusePolicy> kept = new HashMap<>();
        store.queues()
                .forEach((queue, setUp) -> kept.put(queue, setUp.effective().reuse()));
        assertThat(kept).isEqualTo(expected);
    }

    @Test
    @DisplayName("Q1: only queues of which anything was said are listed; a task alone does not make settings")
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
        applied(new Transition.DeclareQueue(Draft.QUEUE, declared));
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
        applied(new Transition.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().concurrency(3).paused(true).build()));
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/sec"));
        QueueSettings next = QueueSettings.builder().retention(Duration.ZERO).build();
        applied(new Transition.DeclareQueue(Draft.QUEUE, next));
        assertThat(store.queues().get(Draft.QUEUE))
                .isEqualTo(new QueueSetUp(
                        next, QueueSettings.builder().rateLimit("1/sec").build()));
        applied(new Transition.DeclareQueue(Draft.QUEUE, QueueSettings.NONE));
        assertThat(settings(Draft.QUEUE))
                .isEqualTo(QueueSettings.builder().rateLimit("1/sec").build());
    }

    @Test
    @DisplayName("Q1: a reset brings back what is declared, and forgets a pause")
    void aResetBringsBackTheDeclared() {
        QueueSettings declared = QueueSettings.builder().concurrency(1).build();
        applied(new Transition.DeclareQueue(Draft.QUEUE, declared));
        set(Draft.QUEUE, QueueSettings.builder().paused(true).concurrency(5));
        create(Draft.plain());
        create(Draft.plain());
        assertThat(claimIds(Wish.from(Draft.QUEUE))).isEmpty();
        applied(new Transition.ResetQueue(Draft.QUEUE));
        assertThat(store.queues().get(Draft.QUEUE)).isEqualTo(new QueueSetUp(declared, QueueSettings.NONE));
        assertThat(claimIds(Wish.from(Draft.QUEUE))).hasSize(1);
        applied(new Transition.ResetQueue(Draft.QUEUE));
        applied(new Transition.ResetQueue("unheard-of"));
        assertThat(settings(Draft.QUEUE)).isEqualTo(declared);
    }

    @Test
    @DisplayName("Q1: no limit that is set wins over a limit that is declared")
    void noLimitWinsOverALimit() {
        applied(new Transition.DeclareQueue(
                Draft.QUEUE,
                QueueSettings.builder().rateLimit("1/day").concurrency(1).build()));
        store.submit(tasks(5, Draft.plain()));
        assertThat(claimIds(Wish.from(Draft.QUEUE))).hasSize(1);
        set(Draft.QUEUE, QueueSettings.builder().rateLimit(RateLimit.NONE).concurrency(0));
        assertThat(claimIds(Wish.from(Draft.QUEUE))).hasSize(4);
    }

    @Test
    @DisplayName("Q1: a move of a queue may be repeated, and changes no task")
    void movesOfQueuesMayBeRepeated() {
        create(KEYED);
        List<Transition> moves = List.of(
                new Transition.DeclareQueue(
                        Draft.QUEUE, QueueSettings.builder().concurrency(2).build()),
                new Transition.SetQueue(
                        Draft.QUEUE, QueueSettings.builder().paused(true).build()));
        Snapshot before = everything();
        assertThat(store.apply(moves)).containsOnly(Applied.APPLIED);
        assertThat(everything().tasks()).isEqualTo(before.tasks());
        assertThat(everything().records()).isEqualTo(before.records());
        changesNothing(() -> assertThat(store.apply(moves)).containsOnly(Applied.APPLIED));
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
            "Q2, C9: a paused queue gives nothing and says of no next task; resumed, it gives what it would have given")
    void aPausedQueueGivesNothing() {
        TaskId low = create(Draft.plain());
        TaskId high = create(Draft.plain().priority(5));
        create(Draft.plain().delay(Duration.ofHours(1)));
        set(Draft.QUEUE, QueueSettings.builder().paused(true));
        TaskId during = create(Draft.plain());
        for (TaskStore handle : List.of(store, another())) {
            Claims none = handle.claim(Wish.from(Draft.QUEUE).as(nextClaim()));
            assertThat(none).isEqualTo(new Claims(List.of(), null));
        }
        assertThat(List.of(state(low), state(high), state(during))).containsOnly(TaskState.PENDING);
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        assertThat(claimIds(Wish.from(Draft.QUEUE))).containsExactly(high, low, during);
    }

    @Test
    @DisplayName("Q2: a pause that is declared holds too, until it is set otherwise")
    void aDeclaredPauseHolds() {
        create(Draft.plain());
        applied(new Transition.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().paused(true).build()));
        assertThat(claimIds(Wish.from(Draft.QUEUE))).isEmpty();
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        assertThat(claimIds(Wish.from(Draft.QUEUE))).hasSize(1);
    }

    @Test
    @DisplayName("Q2: what runs goes on: it is extended, retried and completed; what comes back is held")
    void whatRunsGoesOn() {
        create(Draft.plain());
        create(Draft.plain());
        create(Draft.plain());
        List<Lease> leases = claim(Wish.from(Draft.QUEUE)).tasks().stream()
                .map(claimed -> claimed.lease())
                .toList();
        set(Draft.QUEUE, QueueSettings.builder().paused(true));
        applied(new Transition.Extend(leases.get(0), Wish.LEASE));
        applied(new Transition.Complete(leases.get(0), "1"));
        applied(new Transition.Retry(leases.get(1), Duration.ZERO, "again"));
        leasesRunOut();
        assertThat(claim(Wish.from(Draft.QUEUE))).isEqualTo(new Claims(List.of(), null));
        applied(new Transition.Extend(leases.get(2), Wish.LEASE));
        leasesRunOut();
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        assertThat(claimIds(Wish.from(Draft.QUEUE)))
                .containsExactlyInAnyOrder(leases.get(1).taskId(), leases.get(2).taskId());
    }

    @Test
    @DisplayName("Q2, L2: every change of a queue's settings is told to listeners like a task that is due")
    void changesAreTold() {
        Ear ear = new Ear();
        store.listen(ear);
        set(Draft.QUEUE, QueueSettings.builder().paused(true));
        ear.awaitDue(Draft.QUEUE);
        create(Draft.plain());
        ear.forget();
        set(Draft.QUEUE, QueueSettings.builder().paused(false));
        ear.awaitDue(Draft.QUEUE);
        ear.forget();
        applied(new Transition.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().concurrency(3).build()));
        ear.awaitDue(Draft.QUEUE);
        ear.forget();
        applied(new Transition.ResetQueue(Draft.QUEUE));
        ear.awaitDue(Draft.QUEUE);
    }

    // Q8

    @Test
    @DisplayName("Q8: duplicates are counted on the record, with the time of the newest")
    void duplicatesAreCounted() {
        TaskId id = create(KEYED);
        assertThat(record(KEYED).duplicates()).isZero();
        assertThat(record(KEYED).lastDuplicateAt()).isNull();
        applied(new Transition.CountDuplicates(KEYED.identity(), id, 3));
        Instant first = clock.instant();
        assertThat(record(KEYED).duplicates()).isEqualTo(3);
        assertThat(record(KEYED).lastDuplicateAt()).isEqualTo(first);
        clock.advance(Duration.ofMinutes(1));
        applied(new Transition.CountDuplicates(KEYED.identity(), id, 1_000_000));
        assertThat(record(KEYED).duplicates()).isEqualTo(1_000_003);
        assertThat(record(KEYED).lastDuplicateAt()).isEqualTo(clock.instant());
    }

    @Test
    @DisplayName("Q8: they are counted whatever became of the task, its data gone or its window passed included")
    void duplicatesOfEndedTasksAreCounted() {
        TaskId id = createIn(TaskState.COMPLETED, KEYED);
        Transition count = new Transition.CountDuplicates(KEYED.identity(), id, 1);
        applied(count);
        store.sweep(ALL);
        applied(count);
        clock.advance(KEYED.ttl());
        applied(count);
        KeyRecord record = record(KEYED);
        assertThat(record.duplicates()).isEqualTo(3);
        assertThat(record.dataGone()).isTrue();
        assertThat(record.state()).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName("Q8: nothing is counted for a task that does not hold the key any more, or where there is no key")
    void nothingIsCountedForOthers() {
        TaskId old = createIn(TaskState.FAILED, KEYED);
        applied(new Transition.CountDuplicates(KEYED.identity(), old, 5));
        TaskId next = create(KEYED);
        assertThat(record(KEYED).duplicates()).isZero();
        changesNothing(() -> {
            assertThat(apply(new Transition.CountDuplicates(KEYED.identity(), old, 1)))
                    .isEqualTo(Applied.SUPERSEDED);
            assertThat(apply(new Transition.CountDuplicates(Draft.keyed("other").identity(), next, 1)))
                    .isEqualTo(Applied.NOT_FOUND);
        });
    }

    @Test
    @DisplayName("Q8: a new holder of the key begins at zero, a redriven one does not")
    void aNewHolderBeginsAtZero() {
        TaskId dead = createIn(TaskState.FAILED, KEYED);
        applied(new Transition.CountDuplicates(KEYED.identity(), dead, 5));
        Instant counted = clock.instant();
        clock.advance(KEYED.ttl());
        applied(new Transition.Redrive(dead, 1));
        assertThat(record(KEYED).duplicates()).isEqualTo(5);
        assertThat(record(KEYED).lastDuplicateAt()).isEqualTo(counted);
        applied(new Transition.Fail(claimOne(), false, "broken"));
        create(KEYED);
        assertThat(record(KEYED).duplicates()).isZero();
        assertThat(record(KEYED).lastDuplicateAt()).isNull();
        create(KEYED.replacing());
        assertThat(record(KEYED).duplicates()).isZero();
    }

    // Q9

    @Test
    @DisplayName("Q9: a depth counts each task that is open or dead once, and says since when the oldest is due")
    void depthsCountEachOnce() {
        createIn(TaskState.COMPLETED, Draft.plain());
        createIn(TaskState.CANCELLED, Draft.plain());
        createIn(TaskState.FAILED, Draft.plain());
        createIn(TaskState.TIMED_OUT, Draft.plain());
        createIn(TaskState.FAILED, Draft.plain());
        claimAfter(Draft.plain());
        leasesRunOut();
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
        assertThat(claim(Wish.from(Draft.QUEUE).ofTypes(type).lease(Duration.ofHours(2)))
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
        applied(new Transition.Cancel(id));
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
            applied(new Transition.ResetQueue(set));
            set(set, settings);
            store.submit(tasks(20, Draft.plain().queue(set)));
            store.submit(tasks(20, Draft.plain()));
            Claims claims = claim(Wish.from(set, Draft.QUEUE));
            assertThat(claims.tasks().stream()
                            .filter(claimed -> claimed.task().queue().equals(Draft.QUEUE)))
                    .hasSize(20);
            claims.tasks().forEach(claimed -> applied(new Transition.Complete(claimed.lease(), "1")));
            assertThat(claim(Wish.from(Draft.QUEUE))).isEqualTo(new Claims(List.of(), null));
        }
        TaskId failed = createIn(TaskState.FAILED, Draft.plain());
        assertThat(read(failed).input()).isNotNull();
        assertThat(everything().tasks().values())
                .noneMatch(task -> task.queue().equals("dead"))
                .noneMatch(task -> task.queue().equals(Draft.QUEUE) && task.dataGone());
    }
}
