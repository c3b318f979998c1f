package dev.semel.store;

import dev.semel.store.Submitted.ExistingTask;
import dev.semel.task.EffectId;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a workflow, and the rules of waiting and waking. The rules are pure, and every store calls them in the step that
 * changes the history or the inbox. The counters are kept where an append and a wait exclude each other, so that an entry that
 * arrives before the wait is never missed.
 *
 * @param lines how many lines its history has
 * @param inbox the number of the newest entry of its inbox; 0 if there was none
 * @param urgent the number of the newest urgent entry; 0 if there is none
 * @param wakeAfter the number of the entry at which it is woken; 0 if it does not wait
 * @param waited the newest attempt that ended with a wait; 0 if there is none
 * @param bytes the size of all documents of its history and its inbox
 * @param generation the generation of its history, from 1
 */
public record StoredFlow(int lines, int inbox, int urgent, int wakeAfter, int waited, long bytes, int generation) {

    /** A workflow that has neither done nor received anything. */
    public static final StoredFlow NEW = new StoredFlow(0, 0, 0, 0, 0, 0, 1);

    /**
     * The beginning of the keys of signals that Semel itself sends. Such a signal is meant for one run: the cancellation of an earlier
     * run is not that of a later one. The key of any other signal is used once in all runs of a workflow.
     */
    public static final String RESERVED_KEYS = "semel:";

    /** The name of the signal that requests the cancellation of a workflow. */
    public static final String CANCEL = "$cancel";

    /** The key of the signal that requests the cancellation of a workflow: it is requested once. */
    public static final String CANCEL_KEY = RESERVED_KEYS + "cancel";

    /** The name of the entry that a person has resolved an effect of the workflow, which is none that users can give. */
    public static final String RESOLVED = "$resolved";

    /** The beginning of the keys of answers. The rest is the key of the signal that asked. */
    static final String ANSWER_KEYS = RESERVED_KEYS + "answer:";

    private static final long PER_LINE = 100;

    /** What is to be done with an advance. */
    public enum Verdict {
        /** Its lines are added. */
        ADD,
        /** An earlier send of it was carried out. */
        DONE_BEFORE,
        /** Nothing: its lines do not follow those that are stored. */
        STALE,
        /** Nothing: the history would become too long. */
        FULL
    }

    /**
     * Decides about an advance of the attempt that runs.
     *
     * @param advance the advance
     * @return what the store does
     */
    public Verdict decide(Settlement.Advance advance) {
        int last = advance.first() + advance.lines().size() - 1;
        if (last <= lines) {
            return Verdict.DONE_BEFORE;
        }
        if (advance.first() != lines + 1) {
            return Verdict.STALE;
        }
        return last + inbox > Limits.HISTORY_LINES || bytes > Limits.HISTORY_BYTES ? Verdict.FULL : Verdict.ADD;
    }

    /**
     * Adds one line.
     *
     * @param line the line
     * @return the counters from then on
     */
    public StoredFlow plus(HistoryLine line) {
        return new StoredFlow(lines + 1, inbox, urgent, wakeAfter, waited, bytes + bytes(line), generation);
    }

    /**
     * Returns whether a wait has to wait, or the inbox has what it waits for already.
     *
     * @param wait the wait
     * @return whether the task is not pending at once
     */
    public boolean mustWait(Settlement.Wait wait) {
        return inbox - wait.seen() < wait.more() && urgent <= wait.seen();
    }

    /**
     * Ends an attempt with a wait.
     *
     * @param wait the wait
     * @return the counters from then on
     */
    public StoredFlow waiting(Settlement.Wait wait) {
        return new StoredFlow(
                lines,
                inbox,
                urgent,
                mustWait(wait) ? wait.seen() + wait.more() : 0,
                wait.lease().attempt(),
                bytes,
                generation);
    }

    /**
     * Adds an entry to the inbox.
     *
     * @param entry the entry; its number does not matter
     * @return the counters from then on, the entry with its number, and whether it wakes the workflow
     */
    public Appended plus(InboxEntry entry) {
        int number = inbox + 1;
        boolean wakes = wakeAfter > 0 && (entry.isUrgent() || number >= wakeAfter);
        StoredFlow next = new StoredFlow(
                lines,
                number,
                entry.isUrgent() ? number : urgent,
                wakes ? 0 : wakeAfter,
                waited,
                bytes + bytes(entry),
                generation);
        return new Appended(next, entry.numbered(number), wakes);
    }

    /**
     * An entry that was added to an inbox.
     *
     * @param flow the counters from then on
     * @param entry the entry with its number
     * @param wakes whether the workflow is due from now on, if its newest attempt is the one that waited and it is waiting for its
     *     inbox, or pending until later
     */
    public record Appended(StoredFlow flow, InboxEntry entry, boolean wakes) {}

    /**
     * Decides about a signal.
     *
     * @param state the state of the workflow's task, or null if it is not stored
     * @param accepted whether its key was accepted before, by this task or by one that {@link #isSharedByRuns} speaks of
     * @return the answer; the entry is added if it is {@link Submitted.Signalled#ACCEPTED} and the key is new
     */
    public Submitted.Signalled decide(@Nullable TaskState state, boolean accepted) {
        if (state == null) {
            return Submitted.Signalled.NOT_FOUND;
        }
        if (accepted) {
            return Submitted.Signalled.ACCEPTED;
        }
        if (!state.isOpen()) {
            return Submitted.Signalled.ENDED;
        }
        return lines + inbox >= Limits.HISTORY_LINES || bytes > Limits.HISTORY_BYTES
                ? Submitted.Signalled.FULL
                : Submitted.Signalled.ACCEPTED;
    }

    /**
     * Returns whether the key of a signal is recognised in the inboxes of earlier runs too: those of the task's series that are stored.
     * Otherwise a signal whose answer was lost would be delivered again if it is repeated after the workflow has ended and was run again.
     *
     * @param key the key of the signal
     * @return whether earlier runs are searched
     */
    public static boolean isSharedByRuns(String key) {
        return !key.startsWith(RESERVED_KEYS);
    }

    /**
     * Returns whether a workflow that is replaced is asked to cancel and may clean up, before the new task starts. One that has not begun has
     * nothing to clean up. One that is parked waits for a person, and ends at once like every parked task.
     *
     * @param state its state
     * @param begun whether it has an attempt
     * @param parked whether it waits for the resolution of an effect
     * @return whether an entry requests its cancellation, instead of ending it
     */
    public static boolean mayCleanUp(TaskState state, boolean begun, boolean parked) {
        return state.isOpen() && begun && !parked;
    }

    /**
     * Returns the entry that requests the cancellation of a workflow that is replaced.
     *
     * @param now the store's time
     * @return the entry, without a number
     */
    public static InboxEntry cancellation(Instant now) {
        return new InboxEntry(0, CANCEL, null, null, CANCEL_KEY, null, null, now);
    }

    /**
     * Returns the key of the entry for the resolution of an effect.
     *
     * @param effect the effect
     * @param attempt the attempt of the workflow that left it unknown
     * @param verdict the decision
     * @return the key, which is unique in an inbox
     */
    public static String resolvedKey(EffectId effect, int attempt, Resolution.Verdict verdict) {
        return RESERVED_KEYS + "resolved:" + attempt + ":" + verdict.word() + ":" + effect.label();
    }

    /**
     * Returns the entry for the resolution of an effect.
     *
     * @param operation the resolution
     * @param now the store's time
     * @return the entry, without a number. The result is in the ledger and not in the entry; the document has the label of the effect
     */
    public static InboxEntry resolved(Operation.Resolve operation, Instant now) {
        Resolution.Verdict verdict = operation.resolution().verdict();
        return new InboxEntry(
                0,
                RESOLVED,
                null,
                null,
                resolvedKey(operation.effect(), operation.left().attempt(), verdict),
                Json.quoted(operation.effect().label()),
                verdict == Resolution.Verdict.GIVE_UP ? operation.givenUp() : null,
                now);
    }

    /**
     * Returns the entry for a step that has ended.
     *
     * @param type its task type
     * @param step its id
     * @param state how it ended
     * @param result its result, or null
     * @param error its last error, or null
     * @param now the store's time
     * @return the entry, without a number
     */
    public static InboxEntry ended(
            String type, TaskId step, TaskState state, @Nullable String result, @Nullable String error, Instant now) {
        return new InboxEntry(0, type, step, state, null, result, state == TaskState.COMPLETED ? null : error, now);
    }

    /**
     * Returns the entry for a step that is answered by a task that has ended already.
     *
     * @param existing the task
     * @param error its last error, or null
     * @param now the store's time
     * @return the entry, without a number
     */
    public static InboxEntry ended(ExistingTask existing, @Nullable String error, Instant now) {
        if (!existing.dataGone()) {
            return ended(existing.type(), existing.taskId(), existing.state(), existing.result(), error, now);
        }
        String gone = "Task " + existing.taskId() + " ended as "
                + existing.state().word() + " at " + existing.finishedAt() + ", and its result is no longer stored.";
        return new InboxEntry(0, existing.type(), existing.taskId(), TaskState.FAILED, null, null, gone, now);
    }

    /**
     * Returns the entry for a step whose submission was rejected.
     *
     * @param step the step as it was to be submitted
     * @param existing the task that has its key
     * @param conflict whether the key was used with another input or type
     * @param now the store's time
     * @return the entry, without a number
     */
    public static InboxEntry rejected(NewTask step, ExistingTask existing, boolean conflict, Instant now) {
        String key = step.key() == null ? "" : step.key().identity().key();
        String why = conflict
                ? "was used before with another input or type, by task " + existing.taskId()
                : "has task " + existing.taskId() + ", which is "
                        + existing.state().word() + ", and the policy rejects another one";
        return new InboxEntry(
                0,
                step.type(),
                step.id(),
                TaskState.FAILED,
                null,
                null,
                "The step was not started: key \"" + key + "\" " + why + ".",
                now);
    }

    /**
     * Returns the entry for a step that was given up and that others still want.
     *
     * @param type its task type
     * @param step its id
     * @param now the store's time
     * @return the entry, without a number
     */
    public static InboxEntry leftToOthers(String type, TaskId step, Instant now) {
        return new InboxEntry(
                0,
                type,
                step,
                TaskState.CANCELLED,
                null,
                null,
                "The step was given up. It goes on, because this workflow did not create it, or another one waits for it.",
                now);
    }

    /**
     * Decides about a restart of a workflow.
     *
     * @param restart the restart
     * @param begun the document of the entry that began the generation behind the one that the restart replaces; null if none has begun
     * @return what the store does; never {@link Verdict#FULL}
     */
    public Verdict decide(Operation.Restart restart, @Nullable String begun) {
        if (begun != null) {
            // A workflow that continued as new keeps no line either, but nobody restarted it.
            return Generation.from(begun) == restart.from() && !Continuation.isBegunBy(begun)
                    ? Verdict.DONE_BEFORE
                    : Verdict.STALE;
        }
        return generation == restart.generation() && restart.from() <= lines + 1 ? Verdict.ADD : Verdict.STALE;
    }

    /**
     * Returns whether a workflow can be restarted in a state: it has begun, no attempt runs, and it has ended or waits for nothing but its
     * inbox, a time or a worker.
     *
     * @param state its state
     * @param begun whether it has an attempt
     * @param listening whether it waits for its inbox
     * @return whether it can be restarted
     */
    public static boolean mayRestart(TaskState state, boolean begun, boolean listening) {
        return switch (state) {
            case COMPLETED, FAILED, CANCELLED, TIMED_OUT, PENDING -> begun;
            case WAITING -> listening;
            case RUNNING -> false;
        };
    }

    /**
     * Begins the generation of a restart. From then on the workflow does not wait.
     *
     * @param restart the restart
     * @param superseded the lines that are not kept
     * @param now the store's time
     * @return the counters from then on, and the entry of the generation with its number; the store makes the task due
     */
    public Appended restarted(Operation.Restart restart, List<HistoryLine> superseded, Instant now) {
        long gone = superseded.stream().mapToLong(StoredFlow::bytes).sum();
        StoredFlow next =
                new StoredFlow(lines - superseded.size(), inbox, urgent, 0, waited, bytes - gone, generation + 1);
        return next.plus(Generation.entry(generation + 1, restart.from(), superseded, now));
    }

    /**
     * Returns the key of an entry that requested a cancellation, once a generation has begun that it does not concern. So the cancellation of
     * the new generation can be requested, under the key that it always has.
     *
     * @param ended the number of the generation that it concerned
     * @return the key
     */
    public static String formerCancelKey(int ended) {
        return CANCEL_KEY + ":" + ended;
    }

    /**
     * Ends an attempt whose code continues as new. From then on the workflow has no lines and does not wait.
     *
     * @param next the settlement
     * @param rest what becomes of its inbox
     * @param now the store's time
     * @return the counters from then on, and the entry of the generation with its number
     */
    public Appended continued(Settlement.Continue next, Continuation.Rest rest, Instant now) {
        StoredFlow begun = new StoredFlow(0, inbox, urgent, 0, next.lease().attempt(), rest.bytes(), generation + 1);
        return begun.plus(Continuation.entry(next, generation + 1, lines, now));
    }

    /**
     * Returns whether the number of the newest entry may say that the history is full although entries were deleted, so that those that are left
     * have to be counted.
     *
     * @param more how many lines and entries are to be added
     * @return whether the store counts them, for {@link #withEntries}
     */
    public boolean needsCount(int more) {
        return generation > 1 && lines + inbox + more > Limits.HISTORY_LINES;
    }

    /**
     * Returns counters by which it is decided whether the history is full.
     *
     * @param entries how many entries the inbox has
     * @return counters for a decision, which are not stored
     */
    public StoredFlow withEntries(int entries) {
        return new StoredFlow(lines, entries, urgent, wakeAfter, waited, bytes, generation);
    }

    static long bytes(InboxEntry entry) {
        return PER_LINE + entry.bytes();
    }

    private static long bytes(HistoryLine line) {
        return PER_LINE + bytes(line.document());
    }

    static long bytes(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}
