package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.RateLimit;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is true of every store at every moment between two operations, seen through its public interface alone.
 *
 * <p>{@link #check} only reads. {@link #drain} lets time pass and works off all that is open, and so finds the task that
 * no claim can reach any more; it is for the end of a test.
 */
public final class StoreInvariants {

    // Far above what a test leaves behind: each round ends all that was pending or running when it began.
    private static final int MAX_ROUNDS = 1_000;

    private static final QueueSettings NO_LIMITS = QueueSettings.builder()
            .paused(false)
            .rateLimit(RateLimit.NONE)
            .concurrency(0)
            .build();

    private StoreInvariants() {}

    /**
     * Reads everything that is stored and fails if it is inconsistent. No other caller may be writing
     * meanwhile.
     *
     * @param store the store
     * @throws AssertionError if an invariant is broken; the message names it, and the task
     */
    public static void check(TaskStore store) {
        check(Snapshot.of(store));
    }

    /**
     * Reads everything that is stored, and also checks for effects whose lineage nothing can continue. No other caller may be writing
     * meanwhile.
     *
     * @param store the store
     * @param identities those of all tasks that were ever submitted; the record of a task whose data was deleted cannot be
     *     listed, only asked for
     * @throws AssertionError if an invariant is broken; the message names it, and the task or effect
     */
    public static void check(TaskStore store, Collection<Identity> identities) {
        Snapshot seen = Snapshot.of(store, identities);
        check(seen);
        EffectInvariants.checkContinued(seen);
    }

    private static void check(Snapshot seen) {
        Map<Identity, List<Task>> openOf = new HashMap<>();
        Map<Mutex, List<Task>> bound = new HashMap<>();
        TaskId previous = null;
        for (Task task : seen.tasks().values()) {
            assertThat(previous == null || previous.compareTo(task.id()) > 0)
                    .as("%s is listed after %s, but is not smaller", task.id(), previous)
                    .isTrue();
            previous = task.id();
            checkProgress(task);
            checkAttempts(task, seen.attempts().getOrDefault(task.id(), List.of()), isRestarted(task, seen));
            Identity identity = task.identity();
            if (identity != null && task.state().isOpen()) {
                openOf.computeIfAbsent(identity, any -> new ArrayList<>()).add(task);
            }
            Mutex mutex = Mutex.of(task);
            if (mutex != null && task.state().isOpen()) {
                bound.computeIfAbsent(mutex, any -> new ArrayList<>()).add(task);
            }
        }
        bound.forEach(StoreInvariants::checkMutex);
        seen.records().values().forEach(record -> checkRecord(record, seen));
        openOf.forEach((identity, open) -> checkOpen(identity, open, seen));
        EffectInvariants.check(seen);
        seen.open().forEach(task -> checkWaiting(task, openOf, bound, seen));
    }

    /**
     * Lifts pauses and limits, resolves the effects of parked tasks as not done, lets time pass until all that is
     * open is due, claims and completes it, and so on until nothing is open.
     *
     * @param store the store
     * @param clock the clock of the store
     * @throws AssertionError if something that should be claimable is not, or nothing more happens
     */
    public static void drain(TaskStore store, ManualClock clock) {
        List<Operation> lifts = new ArrayList<>();
        store.queues().keySet().forEach(queue -> lifts.add(new Operation.SetQueue(queue, NO_LIMITS)));
        if (!lifts.isEmpty()) {
            assertThat(store.operate(lifts)).hasSameSizeAs(lifts).allMatch(Operated.APPLIED::equals);
        }
        List<Operation> words = EffectInvariants.wordsForAll(Snapshot.of(store));
        if (!words.isEmpty()) {
            assertThat(store.operate(words))
                    .as("%s", words)
                    .hasSameSizeAs(words)
                    .allMatch(Operated.APPLIED::equals);
        }
        for (int round = 0; round < MAX_ROUNDS; round++) {
            wakeWorkflows(store, round);
            List<Task> open = Snapshot.of(store).open();
            if (open.isEmpty()) {
                return;
            }
            drainRound(store, clock, open, round);
        }
        fail("After " + MAX_ROUNDS + " rounds of claiming and completing there are still open tasks");
    }

    /** Sends a signal to each workflow that waits for its inbox. */
    private static void wakeWorkflows(TaskStore store, int round) {
        for (Task task : Snapshot.of(store).open()) {
            if (Snapshot.isWorkflow(task) && task.state() == TaskState.WAITING) {
                assertThat(store.submit(List.of(new SubmitRequest.Signal(task.id(), "drain-" + round, "drain", null))))
                        .containsExactly(Submitted.Signalled.ACCEPTED);
            }
        }
    }

    private static void drainRound(TaskStore store, ManualClock clock, List<Task> open, int round) {
        Map<TaskId, Task> expected = new HashMap<>();
        Set<String> queues = new HashSet<>();
        for (Task task : open) {
            queues.add(task.queue());
            if (task.state() != TaskState.WAITING) {
                expected.put(task.id(), task);
                Instant dueAt = dueAt(task);
                if (dueAt.isAfter(clock.instant())) {
                    clock.set(dueAt);
                }
            }
        }
        assertThat(expected)
                .as("All open tasks wait, and none is left to wake them: %s", open)
                .isNotEmpty();
        Claims claims;
        long number = Long.MIN_VALUE + round * 1_000_000L;
        do {
            // Numbers that no test uses, so that the claim is never taken for a repeated one.
            number++;
            List<Settlement> settlements = new ArrayList<>();
            claims = store.claim(new ClaimRequest(
                    number,
                    false,
                    queues,
                    null,
                    ClaimRequest.MAX_LIMIT,
                    ClaimRequest.MAX_LIMIT,
                    Duration.ofDays(1),
                    "drain"));
            for (Claimed claimed : claims.tasks()) {
                Task before = expected.remove(claimed.task().id());
                // One that is not expected waited until this round ended the one before it.
                if (before != null) {
                    assertThat(claimed.lease().attempt())
                            .as("the attempt of %s rises by one", before)
                            .isEqualTo(before.progress().attempt() + 1);
                }
                settlements.add(new Settlement.Complete(claimed.lease(), null));
            }
            if (!settlements.isEmpty()) {
                assertThat(store.settle(settlements)).hasSameSizeAs(settlements).allMatch(Settled.APPLIED::equals);
            }
        } while (!claims.tasks().isEmpty());
        Map<TaskId, Task> missed = store.find(expected.keySet());
        expected.forEach((id, task) -> assertThat(missed.get(id))
                .as("%s was due at %s and no claim could reach it", task, clock.instant())
                .isNotNull()
                .matches(now -> (now.state() == TaskState.CANCELLED
                                && now.progress().cancelRequested())
                        || (now.state() == TaskState.TIMED_OUT && now.options().limits() != null)));
    }

    private static void checkProgress(Task task) {
        Progress progress = task.progress();
        boolean open = progress.state().isOpen();
        assertThat(progress.finishedAt() == null)
                .as("open means no end: %s", task)
                .isEqualTo(open);
        assertThat(progress.dueAt() == null)
                .as("ended means never due: %s", task)
                .isEqualTo(!open);
        assertThat(progress.result() == null || progress.state() == TaskState.COMPLETED)
                .as("only what completed has a result: %s", task)
                .isTrue();
        assertThat(progress.state() != TaskState.RUNNING || progress.attempt() > 0)
                .as("what runs has an attempt: %s", task)
                .isTrue();
        assertThat(progress.failures() + progress.vanished())
                .as("no more bad ends than attempts: %s", task)
                .isBetween(0, progress.attempt());
        assertThat(task.input() != null
                        || progress.state() == TaskState.COMPLETED
                        || progress.state() == TaskState.CANCELLED)
                .as("only what was completed or cancelled lets its data go: %s", task)
                .isTrue();
        assertThat(task.input() != null || progress.result() == null)
                .as("a result is deleted with its input: %s", task)
                .isTrue();
        assertThat(task.run()).as("runs count from 1: %s", task).isPositive();
        assertThat(task.identity() == null || task.identity().tenant().equals(task.tenant()))
                .as("the identity is of the task's tenant: %s", task)
                .isTrue();
    }

    /** Whether a task is a workflow that was restarted, perhaps after it had completed. */
    private static boolean isRestarted(Task task, Snapshot seen) {
        History history = seen.histories().get(task.id());
        return history != null && !Generation.all(history.inbox()).isEmpty();
    }

    private static void checkAttempts(Task task, List<Attempt> attempts, boolean restarted) {
        int last = 0;
        for (Attempt attempt : attempts) {
            assertThat(attempt.number())
                    .as("attempts of %s strictly rise", task)
                    .isGreaterThan(last);
            last = attempt.number();
            boolean runs =
                    task.state() == TaskState.RUNNING && last == task.progress().attempt();
            assertThat(attempt.outcome() == null)
                    .as("only the newest runs: %s of %s", attempt, task)
                    .isEqualTo(runs);
            assertThat(attempt.endedAt() == null)
                    .as("ended has a time: %s of %s", attempt, task)
                    .isEqualTo(runs);
        }
        // The waits of a workflow leave no attempt, nor does an end by a time limit between attempts, which has a
        // number.
        boolean limited = task.options().limits() != null;
        if (limited) {
            assertThat(last)
                    .as("the attempts of %s", task)
                    .isLessThanOrEqualTo(task.progress().attempt());
        } else if (!Snapshot.isWorkflow(task)) {
            assertThat(last)
                    .as("the newest attempt of %s is its own", task)
                    .isEqualTo(task.progress().attempt());
        }
        if (!attempts.isEmpty()) {
            Attempt.Outcome outcome = attempts.getLast().outcome();
            switch (task.state()) {
                case COMPLETED -> assertThat(outcome).as("%s", task).isEqualTo(Attempt.Outcome.COMPLETED);
                case FAILED -> assertThat(outcome).as("%s", task).isIn(Attempt.Outcome.FAILED, Attempt.Outcome.PARKED);
                case TIMED_OUT -> {
                    if (limited) {
                        assertThat(outcome).as("%s", task).isNotEqualTo(Attempt.Outcome.COMPLETED);
                    } else {
                        assertThat(outcome).as("%s", task).isEqualTo(Attempt.Outcome.TIMED_OUT);
                    }
                }
                case PENDING, RUNNING, WAITING, CANCELLED ->
                    assertThat(outcome == Attempt.Outcome.COMPLETED && !restarted)
                            .as("%s has completed", task)
                            .isFalse();
            }
        }
        long vanished = attempts.stream()
                .filter(attempt -> attempt.outcome() == Attempt.Outcome.VANISHED)
                .count();
        assertThat((long) task.progress().vanished())
                .as("every vanished attempt of %s is in its history", task)
                .isLessThanOrEqualTo(vanished);
    }

    private static void checkRecord(KeyRecord record, Snapshot seen) {
        Task task = seen.tasks().get(record.taskId());
        assertThat(record.dataGone())
                .as("a record has a task with its data, or says that the data was deleted: %s", record)
                .isEqualTo(task == null || task.dataGone());
        assertThat(record.lastDuplicateAt() == null)
                .as("duplicates have a time: %s", record)
                .isEqualTo(record.duplicates() == 0);
        if (task == null) {
            assertThat(record.state().isOpen())
                    .as("the data of open tasks is never deleted: %s", record)
                    .isFalse();
            assertThat(record.finishedAt())
                    .as("a tombstone knows the end: %s", record)
                    .isNotNull();
            return;
        }
        assertThat(record.identity()).as("%s", record).isEqualTo(task.identity());
        assertThat(record.type()).as("%s", record).isEqualTo(task.type());
        assertThat(record.run()).as("%s", record).isEqualTo(task.run());
        assertThat(record.lineage()).as("%s", record).isEqualTo(task.lineage());
        assertThat(record.createdAt()).as("%s", record).isEqualTo(task.createdAt());
        assertThat(record.state()).as("%s", record).isEqualTo(task.state());
        assertThat(record.finishedAt())
                .as("%s", record)
                .isEqualTo(task.progress().finishedAt());
    }

    /** The tasks of one tenant and type that never run at the same time. */
    private record Mutex(String tenant, String type, String name) {

        static @Nullable Mutex of(Task task) {
            String name = task.options().mutex();
            return name == null ? null : new Mutex(task.tenant(), task.type(), name);
        }
    }

    private static void checkMutex(Mutex mutex, List<Task> open) {
        assertThat(open.stream().filter(task -> task.state() == TaskState.RUNNING))
                .as("at most one of %s runs", mutex)
                .hasSizeLessThanOrEqualTo(1);
    }

    /** Every waiting task is woken by something that exists: a task, a mutex or the resolution of an effect. */
    private static void checkWaiting(
            Task task, Map<Identity, List<Task>> openOf, Map<Mutex, List<Task>> bound, Snapshot seen) {
        if (task.state() != TaskState.WAITING) {
            return;
        }
        Identity identity = task.identity();
        boolean forTask = identity != null
                && openOf.getOrDefault(identity, List.of()).stream()
                        .anyMatch(other -> other.state() == TaskState.RUNNING);
        Mutex mutex = Mutex.of(task);
        boolean forMutex = mutex != null
                && bound.getOrDefault(mutex, List.of()).stream().anyMatch(other -> other.state() != TaskState.WAITING);
        assertThat(forTask || forMutex || EffectInvariants.isParked(task, seen) || Snapshot.isWorkflow(task))
                .as("something will wake %s", task)
                .isTrue();
    }

    /** Of one identity at most one task is pending or running, and its record names the newest open one. */
    private static void checkOpen(Identity identity, List<Task> open, Snapshot seen) {
        KeyRecord record = seen.records().get(identity);
        if (record == null) {
            throw new AssertionError("The identity of an open task is held, but this one has no record: " + open);
        }
        Set<Task> unnamed =
                open.stream().filter(task -> !task.id().equals(record.taskId())).collect(Collectors.toSet());
        assertThat(unnamed)
                .as("an open task that its record does not name was replaced, and runs or is a workflow: %s", record)
                .allMatch(task -> Snapshot.isWorkflow(task)
                        || (task.state() == TaskState.RUNNING && task.progress().cancelRequested()));
        long active =
                open.stream().filter(task -> task.state() != TaskState.WAITING).count();
        assertThat(active)
                .as("at most one of an identity is pending or running: %s", open)
                .isLessThanOrEqualTo(1);
    }

    private static Instant dueAt(Task task) {
        Instant dueAt = task.progress().dueAt();
        if (dueAt == null) {
            throw new AssertionError("An open task has a due time: " + task);
        }
        return dueAt;
    }
}
