package dev.semel.postgresql;

import dev.semel.postgresql.PostgresSingleRoundTripSubmit.Result.Done;
import dev.semel.postgresql.PostgresSingleRoundTripSubmit.Result.NeedsLocks;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Submits batches, in the cheapest way that can answer them:
 *
 * <ol>
 *   <li>a small batch by single statements that take no lock but those of what they insert
 *       ({@link PostgresSingleRoundTripSubmit});
 *   <li>the duplicates of a large batch by a look that takes no lock ({@link PostgresDuplicateLookup}), and what is new by 3;
 *   <li>everything else in a transaction that locks first, then reads, then decides ({@link PostgresLockedSubmit}).
 * </ol>
 *
 * The first two answer only what changes no owner of a key. Otherwise the whole batch is submitted by the third, because an
 * earlier item of a batch may change what a later one meets.
 */
final class PostgresSubmitter {

    /** From this many on, {@code COPY} costs less than a statement that is bound to arrays. */
    static final int LARGE = 100;

    private final PostgresDatabase database;
    private final PostgresDuplicateLookup lookup;
    private final PostgresSingleRoundTripSubmit small;

    PostgresSubmitter(PostgresDatabase database) {
        this.database = database;
        this.lookup = new PostgresDuplicateLookup(database);
        this.small = new PostgresSingleRoundTripSubmit(database, lookup);
    }

    List<Submitted> submit(List<NewTask> tasks) {
        if (tasks.isEmpty()) {
            return List.of();
        }
        List<PostgresNumberedTask> batch = database.numbered(tasks);
        if (!areDifferent(batch)) {
            return submitLocked(batch, PostgresRetryNotes.empty());
        }
        return batch.size() < LARGE ? submitSmall(batch) : submitLarge(batch);
    }

    private List<Submitted> submitSmall(List<PostgresNumberedTask> batch) {
        return switch (small.submit(batch)) {
            case Done(List<Submitted> answers) -> answers;
            case NeedsLocks() -> submitLocked(batch, PostgresRetryNotes.expectingRepeats());
        };
    }

    private List<Submitted> submitLarge(List<PostgresNumberedTask> batch) {
        return switch (lookup.lookInHalves(batch)) {
            case PostgresDuplicateLookup.Result.Answers(Map<Integer, Submitted> duplicates) ->
                submitOthers(batch, duplicates);
            case PostgresDuplicateLookup.Result.NeedsLock() -> submitLocked(batch, PostgresRetryNotes.empty());
        };
    }

    private List<Submitted> submitOthers(List<PostgresNumberedTask> batch, Map<Integer, Submitted> duplicates) {
        List<PostgresNumberedTask> others = new ArrayList<>(batch.size() - duplicates.size());
        for (int position = 0; position < batch.size(); position++) {
            if (!duplicates.containsKey(position)) {
                others.add(batch.get(position));
            }
        }
        List<Submitted> created =
                others.isEmpty() ? List.of() : submitLocked(others, PostgresRetryNotes.expectingNew());
        Iterator<Submitted> next = created.iterator();
        List<Submitted> answers = new ArrayList<>(batch.size());
        for (int position = 0; position < batch.size(); position++) {
            Submitted duplicate = duplicates.get(position);
            answers.add(duplicate == null ? next.next() : duplicate);
        }
        return answers;
    }

    private List<Submitted> submitLocked(List<PostgresNumberedTask> batch, PostgresRetryNotes notes) {
        long lockMillis = database.settings().lockLimit().toMillis();
        try {
            return PostgresBatchSplitter.submit(
                    batch,
                    notes,
                    part -> database.writeOrThrow(lockMillis, tx -> new PostgresLockedSubmit(tx, notes).submit(part)));
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    /** Whether no two submissions are of the same task or have the same key. */
    private static boolean areDifferent(List<PostgresNumberedTask> batch) {
        Set<TaskId> ids = new HashSet<>(2 * batch.size());
        Set<PostgresRecordKey> keys = new HashSet<>(2 * batch.size());
        for (PostgresNumberedTask submission : batch) {
            PostgresRecordKey key = submission.key();
            if (!ids.add(submission.id()) || (key != null && !keys.add(key))) {
                return false;
            }
        }
        return true;
    }
}
