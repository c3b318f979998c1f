package dev.semel.postgresql.submit;

import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.store.Submitted;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a batch of submissions that waited too long for a lock: a caller's open transaction holds a key that one of its items
 * needs. The batch is halved until that item is alone. That item is answered as busy, and the others are done. Later items of
 * the same identity are busy as well, so that they do not overtake it.
 *
 * <p>If an item without a key waits too long, or too many items do, another transaction holds a table and not a key. Then the
 * call fails, and may be repeated as a whole.
 */
final class BatchSplitter {

    // Enough for four keys of a batch of a thousand. Each costs the limit of a lock.
    private static final int MOST_WAITS = 40;

    /** Submits a part of a batch, as a whole or not at all. */
    interface Part {
        List<Submitted> submit(List<NumberedTask> part) throws SQLException;
    }

    private final RetryNotes notes;
    private final Part part;
    private int waits;

    private BatchSplitter(RetryNotes notes, Part part) {
        this.notes = notes;
        this.part = part;
    }

    static List<Submitted> submit(List<NumberedTask> batch, RetryNotes notes, Part part) throws SQLException {
        return new BatchSplitter(notes, part).submit(batch);
    }

    private List<Submitted> submit(List<NumberedTask> batch) throws SQLException {
        try {
            return part.submit(batch);
        } catch (SQLException e) {
            RecordKey key = batch.getFirst().key();
            boolean single = batch.size() == 1;
            if (!ErrorTranslator.isLockTimeout(e) || (single && key == null) || ++waits == MOST_WAITS) {
                throw e;
            }
            if (single && key != null) {
                notes.busy(key);
                return List.of(new Submitted.Busy());
            }
        }
        int half = batch.size() / 2;
        List<Submitted> answers = new ArrayList<>(submit(batch.subList(0, half)));
        answers.addAll(submit(batch.subList(half, batch.size())));
        return answers;
    }
}
