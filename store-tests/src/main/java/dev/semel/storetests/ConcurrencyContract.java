package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws under contention: many threads, through two handles, at the same moment. */
public abstract class ConcurrencyContract extends StoreContract {

    private static final int CALLERS = 64;
    private static final int ROUNDS = 20;
    private static final ClaimDraft CLAIM = ClaimDraft.from(Draft.QUEUE);

    /** For subclasses. */
    protected ConcurrencyContract() {}

    @Test
    @DisplayName("S1: of 64 concurrent submissions of one fresh identity exactly one is created")
    void manyCallersOnAFreshIdentity() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(CALLERS)) {
            for (int round = 0; round < ROUNDS; round++) {
                assertOneCreated(crowd, other, Draft.keyed("round " + round), 1);
            }
        }
        assertThat(everything().tasks()).hasSize(ROUNDS);
    }

    @Test
    @DisplayName("S3: of 64 concurrent submissions of one expired identity exactly one takes it, as run 1")
    void manyCallersOnAnExpiredIdentity() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(CALLERS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Draft draft = Draft.keyed("k").ttl(Duration.ofHours(1));
                assertOneCreated(crowd, other, draft, 1);
                applied(new Settlement.Complete(claimOne(), null));
                clock.advance(Duration.ofHours(1));
            }
        }
        assertThat(everything().tasks()).hasSize(ROUNDS);
    }

    @Test
    @DisplayName("S3: the same while a sweep removes the expired record")
    void manyCallersDuringASweep() {
        TaskStore other = another();
        SweepRequest all = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 100);
        try (Crowd crowd = new Crowd(16)) {
            for (int round = 0; round < ROUNDS; round++) {
                Draft draft = Draft.keyed("k").ttl(Duration.ofHours(1));
                List<Submitted> answers = new ArrayList<>();
                List<List<Submitted>> all16 = crowd.together(number -> {
                    TaskStore handle = number % 2 == 0 ? store : other;
                    if (number % 4 == 3) {
                        assertThat(handle.sweep(all).records()).isBetween(0, 1);
                        return List.of();
                    }
                    return handle.submit(List.of(task(draft)));
                });
                all16.forEach(answers::addAll);
                assertOneCreated(answers, 1);
                applied(new Settlement.Complete(claimOne(), null));
                clock.advance(Duration.ofHours(1));
            }
        }
    }

    @Test
    @DisplayName("S9: of 64 concurrent submissions after a failure exactly one is a rerun, with the next run")
    void manyCallersAfterAFailure() {
        TaskStore other = another();
        Draft draft = Draft.keyed("k");
        createIn(TaskState.FAILED, draft);
        try (Crowd crowd = new Crowd(CALLERS)) {
            for (int round = 0; round < ROUNDS; round++) {
                assertOneCreated(crowd, other, draft, round + 2);
                applied(new Settlement.Fail(claimOne(), false, "broken"));
            }
        }
        assertThat(everything().tasks()).hasSize(ROUNDS + 1);
    }

    @Test
    @DisplayName(
            "S10, S12: batches that replace tasks and rerun a shared key make each run of that key once, one at a time")
    void replacementsBesideReruns() {
        int threads = 4;
        int batches = 20;
        TaskStore other = another();
        Draft shared = Draft.keyed("shared").queue("shared").policy(ReusePolicy.afterFinish());
        AtomicInteger senders = new AtomicInteger(threads);
        AtomicInteger together = new AtomicInteger();
        try (Crowd crowd = new Crowd(threads + 2)) {
            crowd.together(number -> {
                TaskStore handle = number % 2 == 0 ? store : other;
                if (number >= threads) {
                    while (senders.get() > 0) {
                        for (Claimed claimed : handle.claim(
                                        ClaimDraft.from("shared").as(nextClaim()))
                                .tasks()) {
                            assertThat(together.incrementAndGet())
                                    .as("tasks of one key that run")
                                    .isEqualTo(1);
                            together.decrementAndGet();
                            handle.settle(List.of(
                                    number % 2 == 0
                                            ? new Settlement.Complete(claimed.lease(), null)
                                            : new Settlement.Fail(claimed.lease(), false, "broken")));
                        }
                    }
                    return number;
                }
                try {
                    for (int batch = 0; batch < batches; batch++) {
                        List<NewTask> items = new ArrayList<>();
                        for (int key = 0; key < 8; key++) {
                            items.add(task(Draft.keyed(number + " " + key).replacing()));
                        }
                        items.add(task(shared));
                        assertThat(handle.submit(items)).noneMatch(Submitted.Busy.class::isInstance);
                    }
                } finally {
                    senders.decrementAndGet();
                }
                return number;
            });
        }
        List<Task> runs = store.list(TaskQuery.of(shared.identity(), 1_000)).tasks();
        assertThat(runs.stream().map(Task::run).sorted())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, runs.size()).boxed().toList());
        assertThat(runs.stream().map(Task::series).distinct()).hasSize(1);
        assertThat(runs.stream().filter(task -> task.state().isOpen())).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    @DisplayName("S5: the same task id sent by many callers at once is created for each of them, and is one task")
    void manyCallersWithOneId() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(16)) {
            for (int round = 0; round < ROUNDS; round++) {
                NewTask task = task(round % 2 == 0 ? Draft.plain() : Draft.keyed("round " + round));
                assertThat(crowd.together(number -> (number % 2 == 0 ? store : other)
                                .submit(List.of(task))
                                .getFirst()))
                        .containsOnly(new Created(task.id(), 1, TaskState.PENDING, clock.instant()));
            }
        }
        assertThat(everything().tasks()).hasSize(ROUNDS);
    }

    @Test
    @DisplayName("S10: of many concurrent replacements one is left that waits, and all others were cancelled")
    void manyReplacements() {
        TaskStore other = another();
        Draft draft = Draft.keyed("k");
        createIn(TaskState.RUNNING, draft);
        try (Crowd crowd = new Crowd(16)) {
            List<Submitted> answers = crowd.together(number -> (number % 2 == 0 ? store : other)
                    .submit(List.of(task(draft.replacing())))
                    .getFirst());
            assertThat(answers).allMatch(Created.class::isInstance);
            assertThat(answers.stream().map(answer -> ((Created) answer).run())).doesNotHaveDuplicates();
        }
        assertThat(everything().open())
                .extracting(task -> task.state())
                .containsExactlyInAnyOrder(TaskState.RUNNING, TaskState.WAITING);
    }

    @Test
    @DisplayName("C1: eight workers that drain one queue of 2,000 tasks get each exactly once")
    void manyWorkersOnOneQueue() {
        TaskStore other = another();
        store.submit(tasks(2_000, Draft.plain()));
        try (Crowd crowd = new Crowd(8)) {
            List<List<TaskId>> drained = crowd.together(number -> {
                TaskStore handle = number % 2 == 0 ? store : other;
                List<TaskId> mine = new ArrayList<>();
                List<Claimed> claimed =
                        handle.claim(CLAIM.limit(25).as(nextClaim())).tasks();
                while (!claimed.isEmpty()) {
                    List<Settlement> settlements = new ArrayList<>();
                    for (Claimed each : claimed) {
                        mine.add(each.task().id());
                        settlements.add(new Settlement.Complete(each.lease(), null));
                    }
                    assertThat(handle.settle(settlements)).allMatch(Settled.APPLIED::equals);
                    claimed = handle.claim(CLAIM.limit(25).as(nextClaim())).tasks();
                }
                return mine;
            });
            List<TaskId> all = drained.stream().flatMap(List::stream).toList();
            assertThat(all).hasSize(2_000).doesNotHaveDuplicates();
        }
        assertThat(everything().tasks().values()).allSatisfy(task -> {
            assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
            assertThat(task.progress().attempt()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("M1: when a worker completes while others steal its expired lease, exactly one of them has it")
    void movesAndThieves() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(8)) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                TaskId id = create(Draft.plain());
                Lease lease = claimOne();
                leasesExpire();
                AtomicBoolean completed = new AtomicBoolean();
                List<List<Claimed>> stolen = crowd.together(number -> {
                    TaskStore handle = number % 2 == 0 ? store : other;
                    if (number < 4) {
                        return claim(handle, CLAIM).tasks();
                    }
                    Settled answer = handle.settle(List.of(new Settlement.Complete(lease, "1")))
                            .getFirst();
                    if (answer == Settled.APPLIED) {
                        completed.set(true);
                    } else {
                        assertThat(answer).isEqualTo(Settled.STALE);
                    }
                    return List.of();
                });
                List<Claimed> thieves = stolen.stream().flatMap(List::stream).toList();
                assertThat(thieves).hasSize(completed.get() ? 0 : 1);
                assertThat(state(id)).isEqualTo(completed.get() ? TaskState.COMPLETED : TaskState.RUNNING);
                for (Claimed thief : thieves) {
                    assertThat(thief.lease()).isEqualTo(lease(id, 2));
                    applied(new Settlement.Complete(thief.lease(), "2"));
                }
            }
        }
    }

    @Test
    @DisplayName("M3: of different ends sent at once one is applied and the others are stale")
    void differentEndsAtOnce() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(MoveContract.KINDS)) {
            for (int round = 0; round < ROUNDS; round++) {
                TaskId id = create(Draft.plain());
                Lease lease = claimOne();
                List<Settled> answers = crowd.together(number -> (number % 2 == 0 ? store : other)
                        .settle(List.of(MoveContract.endings(lease).get(number)))
                        .getFirst());
                assertThat(answers).containsOnlyOnce(Settled.APPLIED);
                assertThat(Collections.frequency(answers, Settled.STALE)).isEqualTo(MoveContract.KINDS - 1);
                assertThat(store.attempts(id)).hasSize(1);
                apply(new Operation.Cancel(id));
            }
        }
    }

    @Test
    @DisplayName("S1, S6: batches of the same 50 identities in opposite orders create each once, without a deadlock")
    void batchesInOppositeOrders() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(8)) {
            for (int round = 0; round < 5; round++) {
                List<Draft> drafts = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    drafts.add(Draft.keyed("round " + round + " key " + i));
                }
                List<List<Submitted>> answers = crowd.together(number -> {
                    List<NewTask> batch = new ArrayList<>();
                    (number % 2 == 0 ? drafts : drafts.reversed()).forEach(draft -> batch.add(task(draft)));
                    return (number % 4 < 2 ? store : other).submit(batch);
                });
                Set<TaskId> created = new HashSet<>();
                Set<TaskId> returned = new HashSet<>();
                answers.forEach(batch -> batch.forEach(answer -> {
                    if (answer instanceof Created fresh) {
                        assertThat(created.add(fresh.taskId())).isTrue();
                    } else {
                        returned.add(((Returned) answer).existing().taskId());
                    }
                }));
                assertThat(created).hasSize(50).isEqualTo(returned);
            }
        }
        assertThat(everything().tasks()).hasSize(250);
    }

    @Test
    @DisplayName("S3: of 64 callers on one identity, while it expires and is swept, exactly one takes it")
    void manyCallersWhileItExpires() {
        TaskStore other = another();
        SweepRequest all = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 100);
        Draft draft = Draft.keyed("k").ttl(Duration.ofHours(1));
        TaskId holder = createIn(TaskState.COMPLETED, draft);
        try (Crowd crowd = new Crowd(CALLERS + 2)) {
            for (int round = 0; round < ROUNDS; round++) {
                clock.advance(Duration.ofHours(1).minus(MILLISECOND));
                TaskId old = holder;
                AtomicBoolean taken = new AtomicBoolean();
                List<Submitted> answers = new ArrayList<>();
                List<List<Submitted>> parts = crowd.together(number -> {
                    TaskStore handle = number % 2 == 0 ? store : other;
                    if (number == CALLERS) {
                        clock.advance(MILLISECOND);
                        return List.of();
                    }
                    if (number > CALLERS) {
                        while (!taken.get()) {
                            handle.sweep(all);
                        }
                        return List.of();
                    }
                    Submitted answer = handle.submit(List.of(task(draft))).getFirst();
                    while (answer instanceof Returned returned
                            && returned.existing().taskId().equals(old)) {
                        answer = handle.submit(List.of(task(draft))).getFirst();
                    }
                    taken.set(true);
                    return List.of(answer);
                });
                parts.forEach(answers::addAll);
                assertThat(answers).hasSize(CALLERS);
                assertOneCreated(answers, 1);
                Lease lease = claimOne();
                holder = lease.taskId();
                applied(new Settlement.Complete(lease, null));
            }
        }
    }

    @Test
    @DisplayName(
            "M8: of a redrive and submissions of the same key at the same moment one makes an open task, never two")
    void redriveAgainstSubmissions() {
        TaskStore other = another();
        Draft draft = Draft.keyed("k");
        TaskId dead = createIn(TaskState.FAILED, draft);
        int attempt = 1;
        try (Crowd crowd = new Crowd(8)) {
            for (int round = 0; round < 3 * ROUNDS; round++) {
                Operation redrive = new Operation.Redrive(dead, attempt);
                List<Object> answers = crowd.together(number -> {
                    TaskStore handle = number % 2 == 0 ? store : other;
                    return number % 4 < 2
                            ? handle.operate(List.of(redrive)).getFirst()
                            : handle.submit(List.of(task(draft))).getFirst();
                });
                boolean redriven = answers.contains(Operated.APPLIED);
                long created =
                        answers.stream().filter(Created.class::isInstance).count();
                assertThat(created).as("%s", answers).isEqualTo(redriven ? 0 : 1);
                assertThat(answers.stream().filter(Operated.class::isInstance).distinct())
                        .containsExactly(redriven ? Operated.APPLIED : Operated.SUPERSEDED);
                assertThat(everything().open()).hasSize(1);
                Lease lease = claimOne();
                assertThat(lease.taskId().equals(dead)).isEqualTo(redriven);
                applied(new Settlement.Fail(lease, false, "broken"));
                dead = lease.taskId();
                attempt = lease.attempt();
            }
        }
    }

    @Test
    @DisplayName("Q4: eight workers on a queue with a concurrency of 5 never run 6 at once, and drain it")
    void manyWorkersUnderAConcurrency() {
        TaskStore other = another();
        set(Draft.QUEUE, QueueSettings.builder().concurrency(5));
        int count = 300;
        store.submit(tasks(count, Draft.plain()));
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger left = new AtomicInteger(count);
        try (Crowd crowd = new Crowd(8)) {
            crowd.together(number -> {
                TaskStore handle = number % 2 == 0 ? store : other;
                while (left.get() > 0) {
                    List<Claimed> claimed =
                            handle.claim(CLAIM.limit(3).as(nextClaim())).tasks();
                    int now = running.addAndGet(claimed.size());
                    most.accumulateAndGet(now, Math::max);
                    List<Settlement> settlements = new ArrayList<>();
                    claimed.forEach(each -> settlements.add(new Settlement.Complete(each.lease(), null)));
                    assertThat(work(handle, claimed)).isEqualTo(claimed.size());
                    running.addAndGet(-settlements.size());
                    if (!settlements.isEmpty()) {
                        assertThat(handle.settle(settlements)).allMatch(Settled.APPLIED::equals);
                        left.addAndGet(-settlements.size());
                    }
                }
                return number;
            });
        }
        assertThat(most.get()).isBetween(1, 5);
        assertThat(everything().tasks().values())
                .allMatch(task -> task.progress().attempt() == 1);
    }

    @Test
    @DisplayName("Q5: eight workers on tasks of a few mutexes never run two of one, and drain them all")
    void manyWorkersUnderMutexes() {
        TaskStore other = another();
        int mutexes = 4;
        int count = 200;
        AtomicIntegerArray running = new AtomicIntegerArray(mutexes);
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            batch.add(task(Draft.plain().mutex(String.valueOf(i % mutexes))));
        }
        store.submit(batch);
        AtomicInteger most = new AtomicInteger();
        AtomicInteger left = new AtomicInteger(count);
        try (Crowd crowd = new Crowd(8)) {
            crowd.together(number -> {
                TaskStore handle = number % 2 == 0 ? store : other;
                while (left.get() > 0) {
                    List<Settlement> settlements = new ArrayList<>();
                    List<Claimed> claimed =
                            handle.claim(CLAIM.limit(2).as(nextClaim())).tasks();
                    for (Claimed each : claimed) {
                        most.accumulateAndGet(running.incrementAndGet(mutexOf(each)), Math::max);
                        settlements.add(new Settlement.Complete(each.lease(), null));
                    }
                    assertThat(work(handle, claimed)).isEqualTo(claimed.size());
                    claimed.forEach(each -> running.decrementAndGet(mutexOf(each)));
                    if (!settlements.isEmpty()) {
                        assertThat(handle.settle(settlements)).allMatch(Settled.APPLIED::equals);
                        left.addAndGet(-settlements.size());
                    }
                }
                return number;
            });
        }
        assertThat(most.get()).isEqualTo(1);
        assertThat(everything().tasks().values())
                .allMatch(task -> task.progress().attempt() == 1);
    }

    private static int mutexOf(Claimed claimed) {
        return Integer.parseInt(String.valueOf(claimed.task().options().mutex()));
    }

    /** Takes as long as a read of each task, so that other calls run in between. */
    private static int work(TaskStore handle, List<Claimed> claimed) {
        int done = 0;
        for (Claimed each : claimed) {
            done += handle.find(List.of(each.task().id())).size();
        }
        return done;
    }

    private void assertOneCreated(Crowd crowd, TaskStore other, Draft draft, int run) {
        assertOneCreated(
                crowd.together(number -> (number % 2 == 0 ? store : other)
                        .submit(List.of(task(draft)))
                        .getFirst()),
                run);
    }

    private static void assertOneCreated(List<Submitted> answers, int run) {
        List<TaskId> created = new ArrayList<>();
        Set<TaskId> returned = new HashSet<>();
        for (Submitted answer : answers) {
            if (answer instanceof Created fresh) {
                assertThat(fresh.run()).isEqualTo(run);
                created.add(fresh.taskId());
            } else {
                returned.add(((Returned) answer).existing().taskId());
            }
        }
        assertThat(created).hasSize(1);
        assertThat(returned).containsExactlyElementsOf(created);
    }
}
