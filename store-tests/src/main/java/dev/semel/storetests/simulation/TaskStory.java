package dev.semel.storetests.simulation;

import dev.semel.store.Attempt;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task;
import dev.semel.storetests.simulation.Evidence.Handed;
import dev.semel.storetests.simulation.Evidence.Read;
import dev.semel.storetests.simulation.Evidence.Send;
import dev.semel.storetests.simulation.Evidence.Sweeping;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All that is known about one task, and what follows from it: when it can have ended, and when it cannot. */
final class TaskStory {

    /**
     * When a task was made.
     *
     * @param from the first point in the order of things at which it can have been made
     * @param until the point by which it was there
     * @param createdAt when, by the store's clock
     * @param run its run
     */
    record Birth(long from, long until, Instant createdAt, int run) {}

    private final Evidence evidence;
    private final TaskId id;
    private final List<Send> sends = new ArrayList<>();
    private final List<Send> mentions = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private final List<Handed> handed = new ArrayList<>();
    private final List<Read> reads = new ArrayList<>();
    private @Nullable Task last;
    private List<Attempt> attempts = List.of();

    TaskStory(Evidence evidence, TaskId id) {
        this.evidence = evidence;
        this.id = id;
    }

    void keep(Task task, List<Attempt> itsAttempts) {
        last = task;
        attempts = itsAttempts;
    }

    TaskId id() {
        return id;
    }

    /** All sends of this task's id. */
    List<Send> sends() {
        return sends;
    }

    /** All sends of other ids that were answered with this task. */
    List<Send> mentions() {
        return mentions;
    }

    /** All settlements, and the operations that cancel, redrive or resolve. */
    List<Change> changes() {
        return changes;
    }

    List<Handed> handed() {
        return handed;
    }

    List<Read> reads() {
        return reads;
    }

    /** The task as it is in the end, or null if it is not there. */
    @Nullable
    Task last() {
        return last;
    }

    List<Attempt> attempts() {
        return attempts;
    }

    /** What was submitted under this id, or null if that never happened. */
    @Nullable
    NewTask item() {
        return sends.isEmpty() ? null : sends.getFirst().item();
    }

    /** The task with everything that never changes, as a call saw it; null if none did. */
    @Nullable
    Task seen() {
        if (last != null) {
            return last;
        }
        if (!handed.isEmpty()) {
            return handed.getFirst().claimed().task();
        }
        return reads.isEmpty() ? null : reads.getFirst().task();
    }

    boolean accepted() {
        return sends.stream().anyMatch(send -> send.answer() instanceof Submitted.Created);
    }

    /** When it was made, or null if nothing shows that it ever was. */
    @Nullable
    Birth birth() {
        Send first = sends.stream().filter(Send::mayHaveCreated).findFirst().orElse(null);
        if (first == null) {
            return null;
        }
        Instant createdAt = null;
        int run = 0;
        long until = Long.MAX_VALUE;
        for (Send send : sends) {
            if (send.answer() instanceof Submitted.Created created && send.done() != null) {
                until = Math.min(until, send.done().order());
                createdAt = created.createdAt();
                run = created.run();
            }
        }
        for (Send mention : mentions) {
            ExistingTask existing = mention.existing();
            if (existing != null && mention.done() != null) {
                until = Math.min(until, mention.done().order());
                createdAt = existing.createdAt();
                run = existing.run();
            }
        }
        for (Handed claim : handed) {
            until = Math.min(until, claim.done().order());
        }
        for (Read read : reads) {
            until = Math.min(until, read.done().order());
        }
        Task seen = seen();
        if (seen != null) {
            createdAt = seen.createdAt();
            run = seen.run();
        }
        if (createdAt == null) {
            return null;
        }
        long from = first.done() != null ? first.done().order() : first.asked().order();
        return new Birth(from, until, createdAt, run);
    }

    /**
     * From when on the task may have had a life that was never seen: because it was never seen at all, or because it was swept
     * before it was sent again and made again.
     */
    Optional<Long> unseenLife() {
        return sends.stream()
                .filter(send -> send.answer() == null)
                .findFirst()
                .map(send -> send.asked().order())
                .filter(from -> birth() == null || mayBeSwept(Long.MAX_VALUE));
    }

    /** All times at which this id is reported to have been created: several if it was created again after it was swept. */
    Set<Instant> birthTimes() {
        Set<Instant> times = new TreeSet<>();
        for (Send send : sends) {
            if (send.answer() instanceof Submitted.Created created) {
                times.add(created.createdAt());
            }
        }
        for (Send mention : mentions) {
            ExistingTask existing = mention.existing();
            if (existing != null) {
                times.add(existing.createdAt());
            }
        }
        handed.forEach(claim -> times.add(claim.claimed().task().createdAt()));
        reads.forEach(read -> times.add(read.task().createdAt()));
        if (last != null) {
            times.add(last.createdAt());
        }
        return times;
    }

    /** The first moment from which its cancellation or replacement may have been requested; null if it never was. */
    @Nullable
    Moment cancelFrom() {
        Moment first = null;
        for (Change change : changes) {
            if (change.item() instanceof Operation.Cancel && change.mayHaveApplied()) {
                first = earlier(first, change.asked());
            }
        }
        NewTask item = item();
        KeyStory key = item == null ? null : evidence.keyOf(item);
        if (key != null) {
            for (Send send : key.sends()) {
                NewTask.KeyRequest request = send.item().key();
                if (!send.item().id().equals(id)
                        && send.mayHaveCreated()
                        && request != null
                        && replaces(request.policy())) {
                    first = earlier(first, send.asked());
                }
            }
        }
        return first;
    }

    static boolean replaces(ReusePolicy policy) {
        return policy.pending() == WhileOpen.REPLACE
                || policy.running() == WhileOpen.REPLACE
                || policy.waiting() == WhileOpen.REPLACE;
    }

    private static Moment earlier(@Nullable Moment one, Moment other) {
        return one == null || other.order() < one.order() ? other : one;
    }

    /** The changes that end a task whether or not its cancellation was requested, as far as they may have been done. */
    private List<Change> ends() {
        return changes.stream()
                .filter(Change::mayHaveApplied)
                .filter(change -> change.item() instanceof Settlement.Complete
                        || change.item() instanceof Settlement.Fail
                        || change.item() instanceof Settlement.Cancelled
                        || givesUp(change.item()))
                .toList();
    }

    /** Whether a resolution fails the task that is parked for its effect. */
    static boolean givesUp(Object item) {
        return item instanceof Operation.Resolve resolve
                && resolve.resolution().verdict() == Resolution.Verdict.GIVE_UP;
    }

    /** Whether the task was certainly open at every point between two, both included. */
    boolean isOpenThroughout(long from, long until) {
        Birth birth = birth();
        Moment cancelled = cancelFrom();
        if (birth == null || (cancelled != null && cancelled.order() < until)) {
            return false;
        }
        long opened = birth.until() <= from ? birth.until() : Long.MIN_VALUE;
        for (Change change : changes) {
            if (change.item() instanceof Operation.Redrive
                    && change.answeredApplied()
                    && isFirstRedrive(change)
                    && change.done() != null
                    && change.done().order() <= from) {
                opened = Math.max(opened, change.done().order());
            }
        }
        if (opened == Long.MIN_VALUE) {
            return false;
        }
        for (Change end : ends()) {
            Moment done = end.done();
            boolean between =
                    done == null ? end.asked().order() <= until : done.order() > opened && done.order() <= until;
            if (between) {
                return false;
            }
        }
        return true;
    }

    /** Whether no earlier send of the same redrive can have done its work: a repeated one is answered as applied too. */
    private boolean isFirstRedrive(Change redrive) {
        return changes.stream()
                .filter(change -> change.item().equals(redrive.item()) && change.mayHaveApplied())
                .findFirst()
                .orElse(redrive)
                .equals(redrive);
    }

    /** The completion that was answered as applied, or null. */
    @Nullable
    Change completion() {
        return changes.stream()
                .filter(change -> change.item() instanceof Settlement.Complete && change.applied())
                .findFirst()
                .orElse(null);
    }

    /** In which states the task can have been at its end, if it had ended, at some point between two. */
    Set<TaskState> possibleEnds(long from, long until) {
        Change completion = completion();
        if (completion != null && completion.done() != null && completion.done().order() <= from) {
            return EnumSet.of(TaskState.COMPLETED);
        }
        Set<TaskState> states = EnumSet.noneOf(TaskState.class);
        for (Change end : ends()) {
            if (end.earliest().order() <= until) {
                states.add(
                        switch (end.item()) {
                            case Settlement.Complete complete -> TaskState.COMPLETED;
                            case Settlement.Fail fail -> fail.timedOut() ? TaskState.TIMED_OUT : TaskState.FAILED;
                            case Operation.Resolve resolve -> TaskState.FAILED;
                            default -> TaskState.CANCELLED;
                        });
            }
        }
        Moment cancelled = cancelFrom();
        if (cancelled != null && cancelled.order() <= until) {
            states.add(TaskState.CANCELLED);
        }
        return states;
    }

    /** Whether a sweep can have removed the task's data before a point. */
    boolean mayBeSwept(long before) {
        NewTask item = item();
        if (item == null) {
            return false;
        }
        List<Moment> ends = new ArrayList<>();
        ends().forEach(end -> ends.add(end.earliest()));
        Moment cancelled = cancelFrom();
        if (cancelled != null) {
            ends.add(cancelled);
        }
        for (Sweeping sweeping : evidence.sweeps()) {
            Moment done = sweeping.done();
            boolean removes = sweeping.swept() == null || sweeping.swept().tasks() > 0;
            Moment start = done == null ? sweeping.asked() : done;
            if (removes && start.order() < before) {
                Duration kept = sweeping.request()
                        .byQueue()
                        .getOrDefault(item.queue(), sweeping.request().retention());
                Duration dead = sweeping.request().deadRetention();
                Duration least = kept.compareTo(dead) < 0 ? kept : dead;
                Instant latest = (done == null ? evidence.end() : done).at();
                if (ends.stream().anyMatch(end -> !end.at().plus(least).isAfter(latest.plusMillis(1)))) {
                    return true;
                }
            }
        }
        return false;
    }
}
