package dev.semel.store;

import dev.semel.store.Task.Progress;
import dev.semel.task.Identity;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A task as {@link InMemoryTaskStore} keeps it: what callers see, and what only the store needs. Immutable; each method
 * that changes it returns the next version.
 *
 * @param task what callers see
 * @param sequence rises in order of creation
 * @param key the key that it was submitted with, in case that a redrive takes it back; null without a key
 * @param claim the number of the claim that began its newest attempt; 0 before the first
 * @param redriven the attempts with which it died and from which it was redriven
 * @param successor the task that waits for this one to end, or null
 * @param blocked whether it is waiting for its mutex
 * @param parked whether it is waiting for the resolution of an effect
 * @param waited whether its newest attempt ended with a wait, and it has not continued since
 * @param overdue what its error says if it was asked to cancel because its time limit has passed; null otherwise
 */
record StoredTask(
        Task task,
        long sequence,
        NewTask.@Nullable KeyRequest key,
        long claim,
        Set<Integer> redriven,
        @Nullable TaskId successor,
        boolean blocked,
        boolean parked,
        boolean waited,
        @Nullable String overdue) {

    /** Oldest first. */
    static final Comparator<StoredTask> BY_CREATION = Comparator.comparingLong(StoredTask::sequence);

    /** The order of claims among tasks of one priority: due time, then creation. */
    static final Comparator<StoredTask> BY_DUE =
            Comparator.comparing(StoredTask::dueAt).thenComparingLong(StoredTask::sequence);

    /** The order of claims: a minute of waiting outweighs one step of priority. */
    static final Comparator<StoredTask> BY_RANK =
            Comparator.comparing(StoredTask::rank).thenComparingLong(StoredTask::sequence);

    /** Oldest end first. */
    static final Comparator<StoredTask> BY_END =
            Comparator.comparing(StoredTask::finishedAt).thenComparingLong(StoredTask::sequence);

    /** The time limit that passes first, first. */
    static final Comparator<StoredTask> BY_LIMIT =
            Comparator.comparing(StoredTask::limit).thenComparing(StoredTask::id);

    private Instant limit() {
        return Objects.requireNonNull(nextLimit(), "a task in the order of limits has one");
    }

    TaskId id() {
        return task.id();
    }

    TaskState state() {
        return task.progress().state();
    }

    int attempt() {
        return task.progress().attempt();
    }

    boolean cancelRequested() {
        return task.progress().cancelRequested();
    }

    @Nullable
    Identity identity() {
        return task.identity();
    }

    @Nullable
    String lastError() {
        return task.progress().lastError();
    }

    /** Returns from when on it can be claimed; only for open tasks. */
    Instant dueAt() {
        return Objects.requireNonNull(task.progress().dueAt(), "an open task has a due time");
    }

    boolean isDue(Instant now) {
        return !dueAt().isAfter(now);
    }

    /** Returns when it ended; only for tasks that have ended. */
    Instant finishedAt() {
        return Objects.requireNonNull(task.progress().finishedAt(), "a finished task has an end");
    }

    /**
     * Returns whether it has a vanished attempt, or will have one once it is due: a running task is due when its lease has
     * expired.
     */
    boolean isSuspect() {
        return state() == TaskState.RUNNING || task.progress().vanished() > 0;
    }

    /** Returns whether it is a workflow that waits for an entry in its inbox. */
    boolean listening() {
        return waited && state() == TaskState.WAITING && !blocked;
    }

    /** Returns whether it is a workflow that continues after a wait, once it is due. */
    boolean isWoken() {
        return waited && state() == TaskState.PENDING;
    }

    private Instant rank() {
        return dueAt().minus(Limits.PRIORITY_STEP.multipliedBy(task.options().priority()));
    }

    /** A new attempt has begun. */
    StoredTask begun(long byClaim, Instant leaseEnd) {
        Progress p = task.progress();
        return with(new Progress(
                        TaskState.RUNNING,
                        p.attempt() + 1,
                        p.failures(),
                        p.vanished(),
                        leaseEnd,
                        p.cancelRequested(),
                        null,
                        null,
                        p.lastError()))
                .claimedBy(byClaim);
    }

    /** The end of the lease has moved. */
    StoredTask extended(Instant leaseEnd) {
        return inState(state(), leaseEnd);
    }

    /** It can be claimed from a time on. */
    StoredTask pending(Instant dueAt) {
        return inState(TaskState.PENDING, dueAt);
    }

    /** Its newest attempt has ended. */
    StoredTask after(AttemptEnd end, Instant now) {
        boolean parks = end.next() instanceof AttemptEnd.Parked;
        Task next = task(end.after(task.progress(), now));
        boolean waits = end.outcome() == Attempt.Outcome.WAITED;
        return new StoredTask(next, sequence, key, claim, redriven, successor, false, parks, waits, null);
    }

    /** Its code went on: failures and vanished attempts count from here. */
    StoredTask progressed() {
        Progress p = task.progress();
        return with(
                new Progress(p.state(), p.attempt(), 0, 0, p.dueAt(), p.cancelRequested(), null, null, p.lastError()));
    }

    /** Its cancellation was requested. */
    StoredTask askedToCancel() {
        Progress p = task.progress();
        return with(new Progress(
                p.state(),
                p.attempt(),
                p.failures(),
                p.vanished(),
                p.dueAt(),
                true,
                p.finishedAt(),
                p.result(),
                p.lastError()));
    }

    /** It is cancelled without an attempt that runs. */
    StoredTask cancelled(Instant now) {
        Progress p = task.progress();
        return with(new Progress(
                TaskState.CANCELLED, p.attempt(), p.failures(), p.vanished(), null, true, now, null, p.lastError()));
    }

    /** Its cancellation was requested because its time limit has passed. */
    StoredTask stopped(String error) {
        StoredTask asked = askedToCancel();
        return new StoredTask(asked.task, sequence, key, claim, redriven, successor, false, false, waited, error);
    }

    /** A time limit has passed while it did not run. */
    StoredTask expired(Instant now, String error) {
        Progress p = task.progress();
        return with(new Progress(
                TaskState.TIMED_OUT,
                p.attempt() + 1,
                p.failures(),
                p.vanished(),
                null,
                p.cancelRequested(),
                now,
                null,
                error));
    }

    /** Returns when a time limit passes next, or null if none can. */
    @Nullable
    Instant nextLimit() {
        TimeLimits limits = task.options().limits();
        if (limits == null || !state().isOpen() || (state() == TaskState.RUNNING && cancelRequested())) {
            return null;
        }
        return limits.next(task.createdAt(), attempt());
    }

    /** Its input and result were deleted. */
    StoredTask stripped() {
        Progress p = task.progress();
        Progress bare = new Progress(
                p.state(),
                p.attempt(),
                p.failures(),
                p.vanished(),
                p.dueAt(),
                p.cancelRequested(),
                p.finishedAt(),
                null,
                p.lastError());
        return new StoredTask(
                task(bare, null), sequence, key, claim, redriven, successor, blocked, parked, waited, overdue);
    }

    /** It waits until its mutex is free. */
    StoredTask blockedByMutex() {
        StoredTask waiting = inState(TaskState.WAITING, dueAt());
        return new StoredTask(waiting.task, sequence, key, claim, redriven, successor, true, false, waited, overdue);
    }

    /** It was given up because of an effect with unknown outcome. */
    StoredTask givenUp(Instant now, String error) {
        Progress p = task.progress();
        return with(new Progress(
                TaskState.FAILED,
                p.attempt(),
                p.failures(),
                p.vanished(),
                null,
                p.cancelRequested(),
                now,
                null,
                error));
    }

    /** It is pending again, under a fresh budget. */
    StoredTask redriven(Instant now) {
        Progress p = task.progress();
        TimeLimits limits = task.options().limits();
        TaskOptions fresh = limits == null
                ? task.options()
                : task.options().withLimits(limits.redriven(task.createdAt(), p.attempt(), now));
        Task again = task(
                new Progress(TaskState.PENDING, p.attempt(), 0, 0, now, false, null, null, p.lastError()),
                task.input(),
                fresh);
        Set<Integer> attempts = new HashSet<>(redriven);
        attempts.add(p.attempt());
        return new StoredTask(again, sequence, key, claim, Set.copyOf(attempts), successor, false, false, false, null);
    }

    /** It is pending again, as a workflow with a new generation of its history. */
    StoredTask restarted(Instant now) {
        Progress p = task.progress();
        TaskOptions unlimited = task.options().withLimits(null);
        Task again = task(
                new Progress(TaskState.PENDING, p.attempt(), 0, 0, now, false, null, null, p.lastError()),
                task.input(),
                unlimited);
        Set<Integer> attempts = new HashSet<>(redriven);
        if (p.state().isDead()) {
            attempts.add(p.attempt());
        }
        return new StoredTask(again, sequence, key, claim, Set.copyOf(attempts), successor, false, false, false, null);
    }

    /** Another task waits for this one to end. */
    StoredTask followedBy(TaskId next) {
        return new StoredTask(task, sequence, key, claim, redriven, next, blocked, parked, waited, overdue);
    }

    private StoredTask claimedBy(long byClaim) {
        return new StoredTask(task, sequence, key, byClaim, redriven, successor, blocked, parked, false, overdue);
    }

    private StoredTask inState(TaskState state, Instant dueAt) {
        Progress p = task.progress();
        return with(new Progress(
                state,
                p.attempt(),
                p.failures(),
                p.vanished(),
                dueAt,
                p.cancelRequested(),
                p.finishedAt(),
                p.result(),
                p.lastError()));
    }

    private StoredTask with(Progress progress) {
        return new StoredTask(task(progress), sequence, key, claim, redriven, successor, false, false, waited, overdue);
    }

    private Task task(Progress progress) {
        return task(progress, task.input());
    }

    private Task task(Progress progress, @Nullable String input) {
        return task(progress, input, task.options());
    }

    private Task task(Progress progress, @Nullable String input, TaskOptions options) {
        return new Task(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                input,
                options,
                task.identity(),
                task.run(),
                task.series(),
                task.lineage(),
                task.createdAt(),
                progress);
    }
}
