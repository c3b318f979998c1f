package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import dev.semel.store.Submitted;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a batch of submissions that waited too long for a lock: a caller's own transaction, which stays open, holds something
 * that one of its items needs. The batch is halved until that item is alone; it is answered as busy, and the others are done.
 * Later items of the same identity are busy as well, so that they do not come before it.
 */
final class PostgresBatchSplitter {

    /** Submits a part of a batch, as a whole or not at all. */
    interface Part {
        List<Submitted> submit(List<Asked> part) throws SQLException;
    }

    private PostgresBatchSplitter() {}

    static List<Submitted> submit(List<Asked> batch, PostgresFindings findings, Part part) throws SQLException {
        try {
            return part.submit(batch);
        } catch (SQLException e) {
            if (!PostgresFailures.isLockTimeout(e)) {
                throw e;
            }
        }
        if (batch.size() == 1) {
            if (batch.getFirst().task().key() != null) {
                findings.busy(RecordKey.of(batch.getFirst()));
            }
            return List.of(new Submitted.Busy());
        }
        int half = batch.size() / 2;
        List<Submitted> answers = new ArrayList<>(submit(batch.subList(0, half), findings, part));
        answers.addAll(submit(batch.subList(half, batch.size()), findings, part));
        return answers;
    }
}
