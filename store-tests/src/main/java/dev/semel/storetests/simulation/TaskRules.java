package dev.semel.storetests.simulation;

import dev.semel.store.Attempt;
import dev.semel.store.DeadLetter;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task;
import dev.semel.storetests.simulation.Evidence.Handed;
import dev.semel.storetests.simulation.Evidence.Send;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** I2, I3, I4 and I6: a task is kept, completed once, written by its newest attempt only, and read the same by all. */
final class TaskRules {

    private final Findings findings;

    TaskRules(Findings findings) {
        this.findings = findings;
    }

    void check(TaskStory task) {
        checkKept(task);
        if (task.birthTimes().size() > 1) {
            if (!task.mayBeSwept(Long.MAX_VALUE)) {
                findings.broken(Invariant.I2, task, "was made more than once, at " + task.birthTimes());
            }
            return; // made again after it was swept: all that follows would mix up two lives
        }
        checkAttemptsRise(task);
        checkWrites(task);
        checkEnds(task);
        checkCompletion(task);
        checkResults(task);
    }

    // ---- I2

    private void checkKept(TaskStory task) {
        Task last = task.last();
        NewTask item = task.item();
        if (last == null) {
            if (task.accepted() && !task.mayBeSwept(Long.MAX_VALUE)) {
                findings.broken(Invariant.I2, task, "was accepted and is not there, and no sweep can have removed it");
            }
            return;
        }
        if (last.type().equals(DeadLetter.TYPE)) {
            return; // made by a store itself: QueueRules looks whether that was right
        }
        if (item == null || task.sends().stream().noneMatch(Send::mayHaveCreated)) {
            findings.broken(Invariant.I2, task, "is there, but no submission can have made it");
        } else if (!isAsSent(last, item)) {
            findings.broken(
                    Invariant.I2,
                    task,
                    "is not what was submitted: " + last.options() + " " + last.input() + " of " + last.identity()
                            + " instead of " + item);
        }
        for (Send send : task.sends()) {
            if (send.answer() instanceof Submitted.Created created
                    && !created.taskId().equals(task.id())) {
                findings.broken(Invariant.I1, task, "was answered as created with id " + created.taskId());
            }
        }
    }

    private static boolean isAsSent(Task task, NewTask item) {
        return task.tenant().equals(item.tenant())
                && task.queue().equals(item.queue())
                && task.type().equals(item.type())
                && (task.input() == null || task.input().equals(item.input()))
                && task.options().equals(item.options())
                && Objects.equals(
                        task.identity(), item.key() == null ? null : item.key().identity());
    }

    // ---- I4

    private void checkAttemptsRise(TaskStory task) {
        Map<Integer, Long> claimOfAttempt = new HashMap<>();
        List<Handed> inOrder = new ArrayList<>(task.handed());
        inOrder.sort(Comparator.comparingLong(handed -> handed.done().order()));
        int newest = 0;
        for (Handed handed : inOrder) {
            int attempt = handed.claimed().lease().attempt();
            Long claim = claimOfAttempt.putIfAbsent(attempt, handed.request().claim());
            boolean sameClaim = claim != null && claim == handed.request().claim();
            if (claim != null && !sameClaim) {
                findings.broken(Invariant.I4, task, "attempt " + attempt + " was handed to two claims");
            } else if (attempt < newest || (attempt == newest && !sameClaim)) {
                findings.broken(Invariant.I4, task, "attempt " + attempt + " was handed out after " + newest);
            }
            newest = Math.max(newest, attempt);
        }
        int before = 0;
        for (Attempt attempt : task.attempts()) {
            if (attempt.number() <= before) {
                findings.broken(Invariant.I4, task, "its attempts do not rise: " + task.attempts());
            }
            before = attempt.number();
        }
    }

    /** No write of an attempt is applied once a newer one was handed out, unless it was sent before that too. */
    private void checkWrites(TaskStory task) {
        Map<Integer, Attempt.Outcome> outcomes = new HashMap<>();
        for (Change change : task.changes()) {
            Moment done = change.done();
            if (!change.applied() || done == null || !(change instanceof Change.Settle settle)) {
                continue;
            }
            Settlement settlement = settle.item();
            Lease lease = settlement.lease();
            long overtaken = overtaken(task, lease);
            long over = Math.min(overtaken, ended(task, settlement));
            if (over < done.order() && !wasSentBefore(task, change, over)) {
                findings.broken(
                        Invariant.I4,
                        task,
                        "attempt " + lease.attempt() + " could write at #" + done.order()
                                + " although it was over at #" + over
                                + (over == overtaken ? ", when a newer one was handed out: " : ": ")
                                + findings.wording().ofItem(change.item()));
            }
            if (settlement instanceof Settlement.Ending ending) {
                Attempt.Outcome other = outcomes.putIfAbsent(lease.attempt(), ending.outcome());
                if (other != null && other != ending.outcome()) {
                    findings.broken(
                            Invariant.I4,
                            task,
                            "attempt " + lease.attempt() + " ended as " + other + " and as " + ending.outcome());
                }
            }
        }
    }

    private static long overtaken(TaskStory task, Lease lease) {
        return task.handed().stream()
                .filter(handed -> handed.claimed().lease().attempt() > lease.attempt())
                .mapToLong(handed -> handed.done().order())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** The first point at which the attempt of an intent or outcome certainly had ended by its own report. */
    private static long ended(TaskStory task, Settlement settlement) {
        if (!(settlement instanceof Settlement.Intend
                || settlement instanceof Settlement.Refer
                || settlement instanceof Settlement.Conclude)) {
            return Long.MAX_VALUE;
        }
        return task.changes().stream()
                .filter(other -> other.answeredApplied()
                        && other.item() instanceof Settlement.Ending end
                        && end.lease().attemptId().equals(settlement.lease().attemptId()))
                .mapToLong(other -> other.earliest().order())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private static boolean wasSentBefore(TaskStory task, Change change, long order) {
        return task.changes().stream()
                .anyMatch(other -> !other.equals(change)
                        && other.mayHaveApplied()
                        && isSame(change.item(), other.item())
                        && other.earliest().order() < order);
    }

    /**
     * Returns whether the second send of a settlement may be answered for its first. An intent may not: a worker that gets the
     * answer runs it.
     */
    private static boolean isSame(Object item, Object other) {
        return switch (item) {
            case Settlement.Ending end ->
                other instanceof Settlement.Ending same
                        && same.lease().attemptId().equals(end.lease().attemptId())
                        && same.outcome() == end.outcome();
            case Settlement.Conclude conclude -> conclude.equals(other);
            default -> false;
        };
    }

    // ---- I3

    /** What has ended is not handed out again, unless it died and was redriven. */
    private void checkEnds(TaskStory task) {
        for (Change end : task.changes()) {
            Moment done = end.done();
            if (!end.applied() || done == null || !isFinal(end.item())) {
                continue;
            }
            int attempt = ((Settlement) end.item()).lease().attempt();
            for (Handed later : task.handed()) {
                if (later.claimed().lease().attempt() > attempt
                        && !(end.item() instanceof Settlement.Fail && mayBeRedriven(task, attempt, later))) {
                    findings.broken(
                            Invariant.I3,
                            task,
                            "ended with attempt " + attempt + " ("
                                    + findings.wording().ofItem(end.item()) + "), and yet attempt "
                                    + later.claimed().lease().attempt() + " was handed out");
                    return;
                }
            }
        }
    }

    private static boolean isFinal(Object item) {
        return item instanceof Settlement.Complete
                || item instanceof Settlement.Fail
                || item instanceof Settlement.Cancelled;
    }

    private static boolean mayBeRedriven(TaskStory task, int attempt, Handed later) {
        return task.changes().stream()
                .anyMatch(change -> change.mayHaveApplied()
                        && change.item() instanceof Operation.Redrive redrive
                        && redrive.attempt() == attempt
                        && change.earliest().order() < later.done().order());
    }

    private void checkCompletion(TaskStory task) {
        Set<Integer> attempts = new LinkedHashSet<>();
        for (Change change : task.changes()) {
            if (change.applied() && change.item() instanceof Settlement.Complete complete) {
                attempts.add(complete.lease().attempt());
            }
        }
        if (attempts.size() > 1) {
            findings.broken(Invariant.I3, task, "was completed by attempts " + attempts);
        }
        Task last = task.last();
        if (last == null) {
            return;
        }
        if (!attempts.isEmpty() && last.state() != TaskState.COMPLETED) {
            findings.broken(Invariant.I3, task, "was completed by attempt " + attempts + ", but is " + last.state());
        }
        if (last.state() == TaskState.COMPLETED) {
            List<Integer> completed = task.attempts().stream()
                    .filter(attempt -> attempt.outcome() == Attempt.Outcome.COMPLETED)
                    .map(Attempt::number)
                    .toList();
            boolean asked = completed.size() == 1
                    && completions(task).stream()
                            .anyMatch(complete -> complete.lease().attempt() == completed.getFirst());
            if (!asked || (!attempts.isEmpty() && !attempts.equals(Set.copyOf(completed)))) {
                findings.broken(
                        Invariant.I3,
                        task,
                        "its attempts " + completed + " are stored as completed, " + attempts + " were answered so");
            }
        }
    }

    /** All completions that may have been applied. */
    private static List<Settlement.Complete> completions(TaskStory task) {
        List<Settlement.Complete> all = new ArrayList<>();
        for (Change change : task.changes()) {
            if (change.mayHaveApplied() && change.item() instanceof Settlement.Complete complete) {
                all.add(complete);
            }
        }
        return all;
    }

    // ---- I6

    private void checkResults(TaskStory task) {
        Set<@Nullable String> results = new LinkedHashSet<>();
        task.reads().forEach(read -> addResult(results, read.task()));
        if (task.last() != null) {
            addResult(results, task.last());
        }
        for (Send mention : task.mentions()) {
            ExistingTask existing = mention.existing();
            // A conflict shows the first input instead of the result.
            if (existing != null
                    && existing.state() == TaskState.COMPLETED
                    && !existing.dataGone()
                    && !(mention.answer() instanceof Submitted.Conflicted)) {
                results.add(existing.result());
            }
        }
        if (results.size() > 1) {
            findings.broken(Invariant.I6, task, "its result was read as " + results);
        }
        Change completion = task.completion();
        Set<@Nullable String> possible = new LinkedHashSet<>();
        if (completion != null && completion.item() instanceof Settlement.Complete complete) {
            // A repeated completion may have been applied with the content of its first send, which is the same.
            possible.add(complete.result());
            completions(task).stream()
                    .filter(other ->
                            other.lease().attemptId().equals(complete.lease().attemptId()))
                    .forEach(other -> possible.add(other.result()));
        } else {
            completions(task).forEach(other -> possible.add(other.result()));
        }
        if (!possible.containsAll(results)) {
            findings.broken(
                    Invariant.I6, task, "its result was read as " + results + ", but completed with " + possible);
        }
    }

    private static void addResult(Set<@Nullable String> results, Task task) {
        if (task.state() == TaskState.COMPLETED && !task.dataGone()) {
            results.add(task.progress().result());
        }
    }
}
