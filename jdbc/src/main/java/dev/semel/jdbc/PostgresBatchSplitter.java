package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import dev.semel.store.Submitted;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits a batch of submissions that waited too long for a lock: a caller's own transaction, which stays open, holds a key that
 * one of its items needs. The batch is halved until that item is alone; it is answered as busy, and the others are done. Later
 * items of the same identity are busy as well, so that they do not come before it.
 *
 * <p>Where an item without a key cannot be stored, or too many wait for too long, it is no key that is held but a table. Then
 * the call fails, and may be repeated as a whole.
 */
final class PostgresBatchSplitter {

    // Enough for four keys of a batch of a thousand. Each costs the limit of a lock.
    private static final int MOST_WAITS = 40;

    /** Submits a part of a batch, as a whole or not at all. */
    interface Part {
        List<Submitted> submit(List<Asked> part) throws SQLException;
    }

    private final PostgresFindings findings;
    private final Part part;
    private int waits;

    private PostgresBatchSplitter(PostgresFindings findings, Part part) {
        this.findings = findings;
        this.part = part;
    }

    static List<Submitted> submit(List<Asked> batch, PostgresFindings findings, Part part) throws SQLException {
        return new PostgresBatchSplitter(findings, part).submit(batch);
    }

    private List<Submitted> submit(List<Asked> batch) throws SQLException {
        try {
            return part.submit(batch);
        } catch (SQLException e) {
            boolean keyless = batch.size() == 1 && batch.getFirst().task().key() == null;
            if (!PostgresFailures.isLockTimeout(e) || keyless || ++waits == MOST_WAITS) {
                throw e;
            }
        }
        if (batch.size() == 1) {
            findings.busy(RecordKey.of(batch.getFirst()));
            return List.of(new Submitted.Busy());
        }
        int half = batch.size() / 2;
        List<Submitted> answers = new ArrayList<>(submit(batch.subList(0, half)));
        answers.addAll(submit(batch.subList(half, batch.size())));
        return answers;
    }
}
