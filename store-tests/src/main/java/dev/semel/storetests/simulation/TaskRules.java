package dev.semel.storetests.simulation;

import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.DeadLetter;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task;
import dev.semel.store.Transition;
import dev.semel.storetests.simulation.Evidence.Handed;
import dev.semel.storetests.simulation.Evidence.Move;
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
        for (Move move : task.moves()) {
            Moment done = move.done();
            if (!move.applied() || done == null || !(move.move() instanceof Transition.ByWorker byWorker)) {
                continue;
            }
            Lease lease = byWorker.lease();
            long overtaken = overtaken(task, lease);
            long over = Math.min(overtaken, ended(task, byWorker));
            if (over < done.order() && !wasSentBefore(task, move, over)) {
                findings.broken(
                        Invariant.I4,
                        task,
                        "attempt " + lease.attempt() + " could write at #" + done.order()
                                + " although it was over at #" + over
                                + (over == overtaken ? ", when a newer one was handed out: " : ": ")
                                + findings.wording().of(move.move()));
            }
            if (byWorker instanceof Transition.Ending ending) {
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

    /** The first point at which the attempt of an intent or outcome certainly had ended by its own word. */
    private static long ended(TaskStory task, Transition.ByWorker move) {
        if (!(move instanceof Transition.Intend || move instanceof Transition.Conclude)) {
            return Long.MAX_VALUE;
        }
        return task.moves().stream()
                .filter(other -> other.answer() == Applied.APPLIED
                        && other.move() instanceof Transition.Ending end
                        && end.lease().equals(move.lease()))
                .mapToLong(other -> other.earliest().order())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private static boolean wasSentBefore(TaskStory task, Move move, long order) {
        return task.moves().stream()
                .anyMatch(other -> !other.equals(move)
                        && other.mayHaveApplied()
                        && isSame(move.move(), other.move())
                        && other.earliest().order() < order);
    }

    /** Whether the second send of a move may be answered for its first. An intent may not: whoever is told so runs it. */
    private static boolean isSame(Transition move, Transition other) {
        return switch (move) {
            case Transition.Ending end ->
                other instanceof Transition.Ending same
                        && same.lease().equals(end.lease())
                        && same.outcome() == end.outcome();
            case Transition.Conclude conclude -> conclude.equals(other);
            default -> false;
        };
    }

    // ---- I3

    /** What has ended is not handed out again, unless it died and was redriven. */
    private void checkEnds(TaskStory task) {
        for (Move end : task.moves()) {
            Moment done = end.done();
            if (!end.applied() || done == null || !isFinal(end.move())) {
                continue;
            }
            int attempt = ((Transition.ByWorker) end.move()).lease().attempt();
            for (Handed later : task.handed()) {
                if (later.claimed().lease().attempt() > attempt
                        && !(end.move() instanceof Transition.Fail && mayBeRedriven(task, attempt, later))) {
                    findings.broken(
                            Invariant.I3,
                            task,
                            "ended with attempt " + attempt + " ("
                                    + findings.wording().of(end.move()) + "), and yet attempt "
                                    + later.claimed().lease().attempt() + " was handed out");
                    return;
                }
            }
        }
    }

    private static boolean isFinal(Transition move) {
        return move instanceof Transition.Complete
                || move instanceof Transition.Fail
                || move instanceof Transition.Cancelled;
    }

    private static boolean mayBeRedriven(TaskStory task, int attempt, Handed later) {
        return task.moves().stream()
                .anyMatch(move -> move.mayHaveApplied()
                        && move.move() instanceof Transition.Redrive redrive
                        && redrive.attempt() == attempt
                        && move.earliest().order() < later.done().order());
    }

    private void checkCompletion(TaskStory task) {
        Set<Integer> attempts = new LinkedHashSet<>();
        for (Move move : task.moves()) {
            if (move.applied() && move.move() instanceof Transition.Complete complete) {
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
                        "its attempts " + completed + " are stored as completed, " + attempts + " were told so");
            }
        }
    }

    /** All completions that may have been applied. */
    private static List<Transition.Complete> completions(TaskStory task) {
        List<Transition.Complete> all = new ArrayList<>();
        for (Move move : task.moves()) {
            if (move.mayHaveApplied() && move.move() instanceof Transition.Complete complete) {
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
        Move completion = task.completion();
        Set<@Nullable String> possible = new LinkedHashSet<>();
        if (completion != null && completion.move() instanceof Transition.Complete complete) {
            // A repeated completion may have been applied with the words of its first send; these are the same.
            possible.add(complete.result());
            completions(task).stream()
                    .filter(other -> other.lease().equals(complete.lease()))
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
