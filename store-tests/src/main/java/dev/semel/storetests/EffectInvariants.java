package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Attempt;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** The part of {@link StoreInvariants} that is about effects, and about tasks that wait for the resolution of one. */
final class EffectInvariants {

    private static final Resolution NOTHING_HAPPENED =
            new Resolution(Resolution.Verdict.NOT_DONE, null, "drain", "nothing else is left to do");

    private EffectInvariants() {}

    static void check(Snapshot seen) {
        EffectId previous = null;
        for (EffectRecord effect : seen.effects()) {
            assertThat(previous == null || previous.compareTo(effect.id()) < 0)
                    .as("%s is listed after %s, but is not greater", effect.id(), previous)
                    .isTrue();
            previous = effect.id();
            checkOutcome(effect);
            checkTimes(effect);
            checkAttempt(effect, seen);
        }
    }

    /** Fails if there are effects whose lineage nothing can continue. The records must be all that are stored. */
    static void checkContinued(Snapshot seen) {
        Set<TaskId> continued = new HashSet<>();
        seen.tasks().values().forEach(task -> continued.add(task.lineage()));
        seen.records().values().stream()
                .filter(record -> seen.tasks().containsKey(record.taskId()) || record.state() != TaskState.COMPLETED)
                .forEach(record -> continued.add(record.lineage()));
        assertThat(seen.effects())
                .as("effects go when nothing can continue their lineage")
                .allMatch(effect -> continued.contains(effect.id().lineage()));
    }

    private static void checkOutcome(EffectRecord effect) {
        EffectOutcome.How how = effect.how();
        Resolution word = effect.resolution();
        boolean settled = effect.state() == EffectState.DONE || effect.state() == EffectState.NOT_DONE;
        assertThat(how != null)
                .as("an outcome is known in some way: %s", effect)
                .isEqualTo(settled);
        assertThat(effect.settledAt() != null)
                .as("an outcome has a time: %s", effect)
                .isEqualTo(settled);
        assertThat(effect.result() == null || effect.state() == EffectState.DONE)
                .as("only what is done has a result: %s", effect)
                .isTrue();
        assertThat(word == null || word.result() == null)
                .as("the result is the effect's own: %s", effect)
                .isTrue();
        if (how == EffectOutcome.How.RESOLVED) {
            Resolution.Verdict expected =
                    effect.state() == EffectState.DONE ? Resolution.Verdict.DONE : Resolution.Verdict.NOT_DONE;
            assertThat(word)
                    .as("a resolved effect has a resolution: %s", effect)
                    .isNotNull();
            assertThat(Objects.requireNonNull(word).verdict()).as("%s", effect).isEqualTo(expected);
        }
    }

    private static void checkTimes(EffectRecord effect) {
        Instant settledAt = effect.settledAt();
        Instant windowEnd = effect.windowEnd();
        assertThat(settledAt == null || !settledAt.isBefore(effect.intendedAt()))
                .as("the intent is before the outcome: %s", effect)
                .isTrue();
        assertThat(windowEnd == null || windowEnd.isAfter(effect.intendedAt()))
                .as("a window begins with the intent: %s", effect)
                .isTrue();
        assertThat(windowEnd != null || !effect.windowPassed())
                .as("only a window that is there can pass: %s", effect)
                .isTrue();
    }

    private static void checkAttempt(EffectRecord effect, Snapshot seen) {
        AttemptId by = effect.by();
        Task task = seen.tasks().get(by.taskId());
        boolean atIt = task != null
                && task.state() == TaskState.RUNNING
                && task.progress().attempt() == by.attempt();
        assertThat(effect.state() != EffectState.IN_PROGRESS || atIt)
                .as("what is in progress has a running attempt: %s of %s", effect, task)
                .isTrue();
        assertThat(effect.state() != EffectState.UNKNOWN || !atIt)
                .as("what is unknown has none: %s of %s", effect, task)
                .isTrue();
        // An id that was forgotten and sent again is a new task: it counts its attempts from 1 and may have another
        // lineage.
        if (task != null && effect.intendedAt().isAfter(task.createdAt())) {
            assertThat(task.lineage())
                    .as("an effect is of its task's lineage: %s of %s", effect, task)
                    .isEqualTo(effect.id().lineage());
            assertThat(by.attempt())
                    .as("an effect names an attempt that was: %s of %s", effect, task)
                    .isBetween(1, task.progress().attempt());
        }
    }

    /** Returns whether a task waits for a resolution, and there is an effect to say it of. */
    static boolean isParked(Task task, Snapshot seen) {
        return !wordsFor(task, seen).isEmpty();
    }

    /** The resolutions that let all parked tasks continue. */
    static List<Operation> wordsForAll(Snapshot seen) {
        List<Operation> words = new ArrayList<>();
        // One for each: a resolution of a second effect of the attempt would find that the task has continued.
        seen.open().forEach(task -> wordsFor(task, seen).stream().limit(1).forEach(words::add));
        return words;
    }

    private static List<Operation> wordsFor(Task task, Snapshot seen) {
        List<Attempt> attempts = seen.attempts().getOrDefault(task.id(), List.of());
        if (task.state() != TaskState.WAITING
                || attempts.isEmpty()
                || attempts.getLast().outcome() != Attempt.Outcome.PARKED) {
            return List.of();
        }
        AttemptId left = new AttemptId(task.id(), task.progress().attempt());
        List<Operation> words = new ArrayList<>();
        for (EffectRecord effect : seen.effects()) {
            if (effect.state() == EffectState.UNKNOWN && effect.by().equals(left)) {
                words.add(new Operation.Resolve(effect.id(), left, NOTHING_HAPPENED));
            }
        }
        return words;
    }
}
