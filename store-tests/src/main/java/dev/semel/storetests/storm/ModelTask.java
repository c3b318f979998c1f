package dev.semel.storetests.storm;

import dev.semel.store.Attempt.Outcome;
import dev.semel.store.NewTask;
import dev.semel.store.TimeLimits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A task as {@link IdentityModel} knows it. Times are milliseconds of the store's clock and lower bounds: the model allows
 * what is certain not to be too early.
 *
 * @param item as it was submitted
 * @param run its run
 * @param lineage the first task that it continues
 * @param createdAt when it was made, exactly
 * @param state its state; for one with a mutex, pending and waiting are the same
 * @param attempt its newest attempt
 * @param claim the number of the claim that began that attempt; 0 if its answer was lost, or before the first
 * @param outcomes how its attempts ended
 * @param cancelRequested whether its cancellation was requested
 * @param parked whether it waits for a resolution of an effect
 * @param dueFrom from when on it can be claimed: its start, its retry or the end of its lease
 * @param endedFrom from when on it had ended
 * @param redriven the deaths that were redriven
 * @param result its result
 * @param gone whether a sweep is known to have removed its data
 * @param letters the attempts at which it died in a queue with a dead-letter queue
 * @param flow what it has as a workflow
 * @param timing from when its time limits count
 */
record ModelTask(
        NewTask item,
        int run,
        TaskId lineage,
        long createdAt,
        TaskState state,
        int attempt,
        long claim,
        Map<Integer, Outcome> outcomes,
        boolean cancelRequested,
        boolean parked,
        long dueFrom,
        long endedFrom,
        Set<Integer> redriven,
        @Nullable String result,
        boolean gone,
        Set<Integer> letters,
        Flow flow,
        Timing timing) {

    /**
     * From when the time limits of a task count.
     *
     * @param from at the earliest
     * @param until at the latest; for a new task the end of its submission, because a claim may begin before it is there
     * @param attempt its newest attempt at that time
     * @param overdue whether it was asked to cancel because its time limit has passed
     */
    record Timing(long from, long until, int attempt, boolean overdue) {}

    /**
     * What a task has as a workflow.
     *
     * @param lines how many lines its history has
     * @param listening whether its newest attempt ended with a wait: it may be pending or waiting, and continue at any time
     * @param signals the keys of the signals that were accepted
     * @param generation the generation of its history
     * @param restarts the generations that restarts have begun since it continued as new, each with its first line
     */
    record Flow(int lines, boolean listening, Set<String> signals, int generation, Map<Integer, Integer> restarts) {

        static final Flow NONE = new Flow(0, false, Set.of(), 1, Map.of());

        Flow with(int newLines) {
            return new Flow(newLines, listening, signals, generation, restarts);
        }

        Flow with(boolean listens) {
            return new Flow(lines, listens, signals, generation, restarts);
        }

        Flow with(String signal) {
            Set<String> more = new HashSet<>(signals);
            more.add(signal);
            return new Flow(lines, listening, more, generation, restarts);
        }

        Flow restarted(int from) {
            Map<Integer, Integer> more = new HashMap<>(restarts);
            more.put(generation + 1, from);
            return new Flow(Math.max(from, 1) - 1, false, signals, generation + 1, more);
        }

        Flow continued() {
            return new Flow(0, false, signals, generation + 1, Map.of());
        }
    }

    static ModelTask created(
            NewTask item,
            int run,
            TaskId lineage,
            long createdAt,
            long seenFrom,
            TaskState state,
            long dueFrom,
            Set<Integer> letters) {
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                state,
                0,
                0,
                Map.of(),
                false,
                false,
                dueFrom,
                0,
                Set.of(),
                null,
                false,
                letters,
                Flow.NONE,
                new Timing(createdAt, seenFrom, 0, false));
    }

    TaskId id() {
        return item.id();
    }

    boolean hasMutex() {
        return item.options().mutex() != null;
    }

    boolean isRunning() {
        return state == TaskState.RUNNING;
    }

    /** Whether a state that a store showed may be this one's. */
    boolean looksLike(TaskState shown) {
        return shown == state || ((hasMutex() || isListening()) && !parked && isIdle(state) && isIdle(shown));
    }

    private static boolean isIdle(TaskState state) {
        return state == TaskState.PENDING || state == TaskState.WAITING;
    }

    ModelTask begun(long leaseEnd, long byClaim) {
        ModelTask before = isRunning() ? attemptEnded(Outcome.VANISHED) : this;
        return before.with(flow.with(false)).in(TaskState.RUNNING, leaseEnd, attempt + 1, byClaim, false);
    }

    ModelTask extended(long leaseEnd) {
        return in(state, leaseEnd, attempt, claim, parked);
    }

    ModelTask pending(long due) {
        return in(TaskState.PENDING, due, attempt, claim, false);
    }

    ModelTask parkedNow() {
        return in(TaskState.WAITING, dueFrom, attempt, claim, true);
    }

    ModelTask listeningNow() {
        return in(TaskState.WAITING, 0, attempt, claim, false).with(flow.with(true));
    }

    private ModelTask in(TaskState next, long due, int newAttempt, long newClaim, boolean isParked) {
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                next,
                newAttempt,
                newClaim,
                outcomes,
                cancelRequested,
                isParked,
                due,
                endedFrom,
                redriven,
                result,
                gone,
                letters,
                flow,
                timing);
    }

    ModelTask ended(TaskState end, long from, @Nullable String newResult) {
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                end,
                attempt,
                claim,
                outcomes,
                cancelRequested,
                false,
                0,
                from,
                redriven,
                newResult,
                gone,
                letters,
                flow,
                timing);
    }

    ModelTask attemptEnded(Outcome outcome) {
        Map<Integer, Outcome> more = new HashMap<>(outcomes);
        more.put(attempt, outcome);
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                state,
                attempt,
                claim,
                more,
                cancelRequested,
                parked,
                dueFrom,
                endedFrom,
                redriven,
                result,
                gone,
                letters,
                flow,
                timing);
    }

    ModelTask askedToCancel() {
        return new ModelTask(
                item, run, lineage, createdAt, state, attempt, claim, outcomes, true, parked, dueFrom, endedFrom,
                redriven, result, gone, letters, flow, timing);
    }

    ModelTask redrivenAt(long due, long until) {
        Set<Integer> more = new HashSet<>(redriven);
        more.add(attempt);
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                TaskState.PENDING,
                attempt,
                claim,
                outcomes,
                false,
                false,
                due,
                0,
                more,
                null,
                gone,
                letters,
                flow,
                new Timing(due, until, attempt, false));
    }

    /** Pending again with a new generation of its history, whatever its state was. */
    ModelTask restarted(int from, long due, long until) {
        ModelTask again = redrivenAt(due, until).with(flow.restarted(from));
        return state.isDead() ? again : again.with(redriven);
    }

    private ModelTask with(Set<Integer> deaths) {
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                state,
                attempt,
                claim,
                outcomes,
                cancelRequested,
                parked,
                dueFrom,
                endedFrom,
                deaths,
                result,
                gone,
                letters,
                flow,
                timing);
    }

    ModelTask removed() {
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                state,
                attempt,
                claim,
                outcomes,
                cancelRequested,
                parked,
                dueFrom,
                endedFrom,
                redriven,
                result,
                true,
                letters,
                flow,
                timing);
    }

    /** Sent to a dead-letter queue, because of the newest attempt. */
    ModelTask forwarded() {
        Set<Integer> more = new HashSet<>(letters);
        more.add(attempt);
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                state,
                attempt,
                claim,
                outcomes,
                cancelRequested,
                parked,
                dueFrom,
                endedFrom,
                redriven,
                result,
                gone,
                more,
                flow,
                timing);
    }

    ModelTask with(Flow newFlow) {
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                state,
                attempt,
                claim,
                outcomes,
                cancelRequested,
                parked,
                dueFrom,
                endedFrom,
                redriven,
                result,
                gone,
                letters,
                newFlow,
                timing);
    }

    /** Asked to cancel because its time limit has passed. */
    ModelTask stopped() {
        ModelTask asked = askedToCancel();
        return asked.with(new Timing(timing.from(), timing.until(), timing.attempt(), true));
    }

    /** Timed out between attempts. */
    ModelTask expired(long from) {
        return in(state, dueFrom, attempt + 1, claim, parked).ended(TaskState.TIMED_OUT, from, null);
    }

    private ModelTask with(Timing newTiming) {
        return new ModelTask(
                item,
                run,
                lineage,
                createdAt,
                state,
                attempt,
                claim,
                outcomes,
                cancelRequested,
                parked,
                dueFrom,
                endedFrom,
                redriven,
                result,
                gone,
                letters,
                flow,
                newTiming);
    }

    /** How it ends where a task that was asked to cancel is cancelled. */
    TaskState cancelledState() {
        return timing.overdue() ? TaskState.TIMED_OUT : TaskState.CANCELLED;
    }

    /** How long after the beginning of its limits the next one passes; null if none can. */
    @Nullable
    Long nextLimit() {
        TimeLimits limits = item.options().limits();
        if (limits == null || !state.isOpen()) {
            return null;
        }
        Duration next = attempt <= timing.attempt() && limits.startBy() != null ? limits.startBy() : limits.total();
        return next == null ? null : (Long) next.toMillis();
    }

    /** Returns whether it was submitted as a workflow, or has a history, an inbox or a wait. */
    boolean isWorkflow() {
        return item.options().workflow() != null
                || flow.lines() > 0
                || flow.listening()
                || !flow.signals().isEmpty();
    }

    boolean isListening() {
        return state == TaskState.WAITING && flow.listening();
    }

    /** Without the task as it was submitted, which its id stands for: this is computed millions of times in a round. */
    @Override
    public int hashCode() {
        int hash = id().hashCode();
        hash = 31 * hash + run;
        hash = 31 * hash + lineage.hashCode();
        hash = 31 * hash + Long.hashCode(createdAt);
        hash = 31 * hash + state.hashCode();
        hash = 31 * hash + attempt;
        hash = 31 * hash + Long.hashCode(claim);
        hash = 31 * hash + outcomes.hashCode();
        hash = 31 * hash + Boolean.hashCode(cancelRequested);
        hash = 31 * hash + Boolean.hashCode(parked);
        hash = 31 * hash + Long.hashCode(dueFrom);
        hash = 31 * hash + Long.hashCode(endedFrom);
        hash = 31 * hash + redriven.hashCode();
        hash = 31 * hash + (result == null ? 0 : result.hashCode());
        hash = 31 * hash + Boolean.hashCode(gone);
        hash = 31 * hash + letters.hashCode();
        hash = 31 * hash + timing.hashCode();
        return 31 * hash + flow.hashCode();
    }

    @Override
    public String toString() {
        return id() + " run " + run + " " + state + (parked ? " parked" : "")
                + (isListening() ? " listening" : "") + (flow.lines() > 0 ? " " + flow.lines() + " lines" : "")
                + (flow.generation() > 1 ? " generation " + flow.generation() : "")
                + " attempt " + attempt + " " + outcomes
                + (cancelRequested ? " asked to cancel" : "") + (state.isOpen() ? " due " + dueFrom % 10_000_000 : "")
                + (redriven.isEmpty() ? "" : " redriven at " + redriven)
                + (letters.isEmpty() ? "" : " forwarded at " + letters) + (gone ? " gone" : "");
    }
}
