package dev.semel.postgresql.submit;

import dev.semel.jdbc.Answer;
import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.table.KeyRecords;
import dev.semel.postgresql.table.KeyRecords.Found;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.store.Submitted;
import dev.semel.task.Decision;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks up, in one round trip and without a lock, which submissions of a batch are duplicates that change nothing, and answers
 * them.
 */
public final class DuplicateLookup {

    // The first statement sets how the second one is planned. Both are one transaction, which ends with the second,
    // because nothing says that it ends before. The columns from task to last_duplicate_at are those of
    // KeyRecords.found.
    public static final String LOOK = """
            SELECT stamp, set_config('lock_timeout', (?::bigint)::text, true),
              set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
              set_config('jit', 'off', true), set_config('enable_hashjoin', 'off', true),
              set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)
            FROM (SELECT stamp FROM semel.change LIMIT 1) c;
            SELECT r.task, coalesce(t.lane, r.lane) AS lane, coalesce(t.input_hash, r.input_hash) AS input_hash,
              coalesce(t.run, r.run) AS run, coalesce(r.series, t.series, r.task) AS series,
              coalesce(t.lineage, r.lineage) AS lineage, coalesce(t.created_at, r.created_at) AS created_at, r.expires_at,
              CASE WHEN d.task IS NOT NULL THEN d.state
                WHEN r.state IS NOT NULL THEN r.state
                WHEN (SELECT 1 FROM semel.ready q WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                    AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) = 1
                  OR (SELECT 1 FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0 LIMIT 1) = 1 THEN 'pending'
                WHEN (SELECT 1 FROM semel.waiting w WHERE w.task = t.id LIMIT 1) = 1 THEN 'waiting'
                ELSE 'running' END AS state,
              coalesce(d.finished_at, r.finished_at) AS finished_at, r.state IS NULL AS stored,
              r.state IS NOT NULL OR coalesce(d.bare, false) AS data_gone, d.result,
              coalesce(r.duplicates, 0) AS duplicates, r.last_duplicate_at,
              p.position, a.id IS NOT NULL AS accepted,
              coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
            FROM unnest(?, ?, ?, ?) AS p (id, scope, key, position)
            CROSS JOIN LATERAL (SELECT * FROM semel.record x WHERE x.scope = p.scope AND x.key = p.key LIMIT 1) r
            LEFT JOIN LATERAL (SELECT id FROM semel.task x WHERE x.id = p.id LIMIT 1) a ON true
            LEFT JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = r.task AND r.state IS NULL LIMIT 1) t ON true
            LEFT JOIN LATERAL (SELECT * FROM semel.done x WHERE x.task = r.task LIMIT 1) d ON true
            """;

    /** What a look shows of a batch. */
    sealed interface Result {

        /** No submission changes the owner of a key. Those that have no answer here have a free key, or none. */
        record Answers(Map<Integer, Submitted> byPosition) implements Result {}

        /** A submission changes the owner of its key, or repeats one that has lost its key since: that takes a lock. */
        record NeedsLock() implements Result {}
    }

    /** The holder of the key of the submission at a position, and whether the submission's own task is stored as well. */
    private record Holding(int position, boolean accepted, long now, Found found) {}

    private final Database database;

    DuplicateLookup(Database database) {
        this.database = database;
    }

    /**
     * Looks up a large batch in two halves at the same time, on two connections: with one look at a time, a batch of 1,000
     * duplicates takes a third longer.
     */
    Result lookInHalves(List<NumberedTask> batch) {
        List<Integer> keyed = keyed(batch);
        if (keyed.isEmpty()) {
            return new Result.Answers(Map.of());
        }
        int half = keyed.size() / 2;
        Answer<Result> other = new Answer<>();
        Thread.startVirtualThread(() -> {
            try {
                other.complete(look(batch, keyed.subList(half, keyed.size())));
            } catch (Throwable e) {
                other.fail(e);
            }
        });
        Result first;
        try {
            first = look(batch, keyed.subList(0, half));
        } catch (RuntimeException e) {
            // Waited for as well, so that no connection is in use after the call.
            try {
                Result unused = other.join();
            } catch (RuntimeException too) {
                e.addSuppressed(too);
            }
            throw e;
        }
        return together(first, other.join());
    }

    private static Result together(Result first, Result second) {
        if (first instanceof Result.Answers(Map<Integer, Submitted> some)
                && second instanceof Result.Answers(Map<Integer, Submitted> others)) {
            Map<Integer, Submitted> all = new HashMap<>(some);
            all.putAll(others);
            return new Result.Answers(all);
        }
        return new Result.NeedsLock();
    }

    private Result look(List<NumberedTask> batch, List<Integer> positions) {
        try {
            return database.single(session -> look(session, batch, positions));
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    /** The positions of the submissions with a key. */
    static List<Integer> keyed(List<NumberedTask> batch) {
        List<Integer> keyed = new ArrayList<>(batch.size());
        for (int position = 0; position < batch.size(); position++) {
            if (batch.get(position).key() != null) {
                keyed.add(position);
            }
        }
        return keyed;
    }

    /** Looks up the submissions at these positions, which have keys. */
    Result look(Session session, List<NumberedTask> batch, List<Integer> positions) throws SQLException {
        if (positions.isEmpty()) {
            return new Result.Answers(Map.of());
        }
        List<Holding> holdings = holdings(session, batch, positions);
        Map<Integer, Submitted> answers = new HashMap<>();
        for (Holding holding : holdings) {
            NumberedTask submission = batch.get(holding.position());
            Found found = holding.found();
            if (found.taskId().equals(submission.id())) {
                answers.put(holding.position(), found.created());
                continue;
            }
            Decider decider = new Decider(session, database.names(), holding.now());
            Decision decision = decider.decide(submission, found);
            if (holding.accepted() || Decider.changesOwner(decision)) {
                return new Result.NeedsLock();
            }
            answers.put(holding.position(), decider.answer(decision, found, decider::storedInput));
        }
        return new Result.Answers(answers);
    }

    private List<Holding> holdings(Session session, List<NumberedTask> batch, List<Integer> positions)
            throws SQLException {
        List<TaskId> ids = new ArrayList<>(positions.size());
        List<RecordKey> keys = new ArrayList<>(positions.size());
        for (int position : positions) {
            NumberedTask submission = batch.get(position);
            RecordKey key = submission.key();
            if (key == null) {
                throw new IllegalArgumentException("Task " + submission.id() + " has no key to look up");
            }
            ids.add(submission.id());
            keys.add(key);
        }
        List<Long> stamps = new ArrayList<>();
        List<Holding> holdings = new ArrayList<>(positions.size());
        session.sql(LOOK)
                .with(database.lockMillis())
                .withLong(database.clockMillis())
                .ids(ids)
                .ints(keys.stream().map(RecordKey::scope).toList())
                .texts(keys.stream().map(RecordKey::key).toList())
                .ints(positions)
                .results(row -> stamps.add(row.getLong(1)), row -> holdings.add(holding(row)));
        database.checkStamp(session, stamps);
        return holdings;
    }

    private static Holding holding(ResultSet row) throws SQLException {
        int next = KeyRecords.FOUND_COLUMNS;
        return new Holding(
                row.getInt(next + 1), row.getBoolean(next + 2), row.getLong(next + 3), KeyRecords.found(row));
    }
}
