package dev.semel.postgresql.submit;

import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.submit.SingleRoundTripSubmit.Result.Done;
import dev.semel.postgresql.submit.SingleRoundTripSubmit.Result.NeedsLocks;
import dev.semel.postgresql.table.InboxRows;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.NewTask;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Submits batches, in the cheapest way that can answer them:
 *
 * <ol>
 *   <li>a small batch by single statements that take no lock but those of what they insert
 *       ({@link SingleRoundTripSubmit});
 *   <li>the duplicates of a large batch by a look that takes no lock ({@link DuplicateLookup}), and what is new by 3; without
 *       the look if the large batch before had no duplicates;
 *   <li>everything else, tasks with time limits or tags too, in a transaction that locks first, then reads, then decides ({@link LockedSubmit}).
 * </ol>
 *
 * The first two answer only what changes no owner of a key. Otherwise the whole batch is submitted by the third, because an
 * earlier item of a batch may change what a later one meets.
 */
public final class Submitter {

    /** From this many on, {@code COPY} costs less than a statement that is bound to arrays. */
    static final int LARGE = 100;

    private final Database database;
    private final DuplicateLookup lookup;
    private final SingleRoundTripSubmit small;

    // Nothing but speed depends on it, so it does not matter which of two concurrent batches is the last.
    private volatile boolean lastHadDuplicates;

    public Submitter(Database database) {
        this.database = database;
        this.lookup = new DuplicateLookup(database);
        this.small = new SingleRoundTripSubmit(database, lookup);
    }

    public List<Submitted> submit(List<NewTask> tasks) {
        if (tasks.isEmpty()) {
            return List.of();
        }
        List<NumberedTask> batch = database.numbered(tasks);
        if (!areDifferent(batch) || batch.stream().anyMatch(TaskInserter::needsRows)) {
            return submitLocked(batch, RetryNotes.empty());
        }
        return batch.size() < LARGE ? submitSmall(batch) : submitLarge(batch);
    }

    private List<Submitted> submitSmall(List<NumberedTask> batch) {
        return switch (small.submit(batch)) {
            case Done(List<Submitted> answers) -> answers;
            case NeedsLocks() -> submitLocked(batch, RetryNotes.expectingRepeats());
        };
    }

    private List<Submitted> submitLarge(List<NumberedTask> batch) {
        List<Submitted> answers =
                lastHadDuplicates ? submitAfterLook(batch) : submitLocked(batch, RetryNotes.expectingNew());
        if (batch.stream().anyMatch(submission -> submission.key() != null)) {
            lastHadDuplicates = !answers.stream().allMatch(Submitted.Created.class::isInstance);
        }
        return answers;
    }

    private List<Submitted> submitAfterLook(List<NumberedTask> batch) {
        return switch (lookup.lookInHalves(batch)) {
            case DuplicateLookup.Result.Answers(Map<Integer, Submitted> duplicates) -> submitOthers(batch, duplicates);
            case DuplicateLookup.Result.NeedsLock() -> submitLocked(batch, RetryNotes.empty());
        };
    }

    private List<Submitted> submitOthers(List<NumberedTask> batch, Map<Integer, Submitted> duplicates) {
        List<NumberedTask> others = new ArrayList<>(batch.size() - duplicates.size());
        for (int position = 0; position < batch.size(); position++) {
            if (!duplicates.containsKey(position)) {
                others.add(batch.get(position));
            }
        }
        List<Submitted> created = others.isEmpty() ? List.of() : submitLocked(others, RetryNotes.expectingNew());
        Iterator<Submitted> next = created.iterator();
        List<Submitted> answers = new ArrayList<>(batch.size());
        for (int position = 0; position < batch.size(); position++) {
            Submitted duplicate = duplicates.get(position);
            answers.add(duplicate == null ? next.next() : duplicate);
        }
        return answers;
    }

    private List<Submitted> submitLocked(List<NumberedTask> batch, RetryNotes notes) {
        try {
            return BatchSplitter.submit(
                    batch, notes, part -> database.writeOrThrow(tx -> new LockedSubmit(tx, notes).submit(part)));
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    /** Starts a workflow and delivers a signal to it, in one transaction. */
    public Submitted start(SubmitRequest.SignalWithStart start) {
        List<NumberedTask> task = database.numbered(List.of(start.task()));
        RetryNotes notes = RetryNotes.expectingRepeats();
        try {
            return database.writeOrThrow(tx ->
                    started(tx, start, new LockedSubmit(tx, notes).submit(task).getFirst()));
        } catch (SQLException e) {
            if (ErrorTranslator.isLockTimeout(e)) {
                return new Submitted.Busy();
            }
            throw database.translated(e);
        }
    }

    private static Submitted started(Transaction tx, SubmitRequest.SignalWithStart start, Submitted answer)
            throws SQLException {
        Optional<SubmitRequest.Signal> signal = start.signal(answer);
        if (signal.isEmpty()) {
            return answer;
        }
        return switch (InboxRows.signal(tx, signal.get())) {
            case ACCEPTED -> answer;
            case FULL -> Submitted.Signalled.FULL;
            case ENDED, NOT_FOUND -> {
                if (answer instanceof Submitted.Returned) {
                    throw new Race("a workflow ended while a signal was sent that starts it if it is not open");
                }
                yield answer; // sent again after its task has ended
            }
        };
    }

    /** Whether no two submissions are of the same task or have the same key. */
    private static boolean areDifferent(List<NumberedTask> batch) {
        Set<TaskId> ids = new HashSet<>(2 * batch.size());
        Set<RecordKey> keys = new HashSet<>(2 * batch.size());
        for (NumberedTask submission : batch) {
            RecordKey key = submission.key();
            if (!ids.add(submission.id()) || (key != null && !keys.add(key))) {
                return false;
            }
        }
        return true;
    }
}
