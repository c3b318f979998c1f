package dev.semel.postgresql.operate;

import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.submit.DeadLetters;
import dev.semel.postgresql.table.EffectLedger;
import dev.semel.postgresql.table.KeyRecords;
import dev.semel.postgresql.table.TagRows;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.OptionsText;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Removes old tasks and records. Candidates are found without locks; then their records are locked, as every change of a key's
 * owner does, and those that are still there and still old are deleted.
 */
public final class Sweeper {

    // Old rows lie together, and a summary of each range of pages tells where; that is found by bitmaps only.
    private static final String BY_BITMAPS =
            "SET LOCAL enable_bitmapscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL plan_cache_mode = auto";

    // What is removed is looked up by its key, as everywhere.
    private static final String BY_KEYS = "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off;"
            + " SET LOCAL plan_cache_mode = force_generic_plan";

    private static final String OLD_TASKS = """
            SELECT d.task, d.finished_at, t.scope, t.key FROM semel.done d
            CROSS JOIN LATERAL (SELECT x.queue FROM semel.lane x WHERE x.id = d.lane LIMIT 1) l
            CROSS JOIN LATERAL (SELECT x.scope, x.key, x.retry FROM semel.task x WHERE x.id = d.task LIMIT 1) t
            LEFT JOIN unnest(?, ?) AS q (queue, kept) ON q.queue = l.queue
            WHERE d.finished_at <= ? AND d.finished_at + CASE WHEN d.state IN ('failed', 'timed_out') THEN ?
              ELSE coalesce(q.kept, CASE WHEN left(t.retry, 1) = '~'
                OR (SELECT 1 FROM semel.flow f WHERE f.task = d.task LIMIT 1) IS NOT NULL THEN ? ELSE ? END) END <= ?
            LIMIT ?
            """;

    private static final String REMOVE_TASKS = """
            WITH gone AS (
              DELETE FROM semel.done d USING unnest(?, ?) AS o (task, finished_at)
              WHERE d.task = ANY (ARRAY[o.task]) AND d.finished_at = o.finished_at RETURNING d.task, d.state, d.finished_at
            ), data AS (
              DELETE FROM semel.task t USING gone g WHERE t.id = ANY (ARRAY[g.task])
              RETURNING t.id, t.lane, t.input_hash, t.run, t.series, t.lineage, t.created_at, t.scope, t.key, t.retry,
                g.state, g.finished_at
            ), attempts AS (
              DELETE FROM semel.attempt a USING gone g WHERE a.task = ANY (ARRAY[g.task])
            ), flow AS (
              DELETE FROM semel.flow f USING gone g WHERE f.task = ANY (ARRAY[g.task])
            ), history AS (
              DELETE FROM semel.history h USING gone g WHERE h.task = ANY (ARRAY[g.task])
            ), inbox AS (
              DELETE FROM semel.inbox i USING gone g WHERE i.task = ANY (ARRAY[g.task])
            ), watch AS (
              DELETE FROM semel.watch w USING gone g WHERE w.workflow = ANY (ARRAY[g.task])
            ), remembered AS (
              UPDATE semel.record r SET state = t.state, finished_at = t.finished_at, lane = t.lane,
                input_hash = t.input_hash, run = t.run, series = coalesce(r.series, t.series), lineage = t.lineage,
                created_at = t.created_at
              FROM data t WHERE r.scope = ANY (ARRAY[t.scope]) AND r.key = t.key AND r.task = t.id
            ), formers AS (
              DELETE FROM semel.former f USING data t
              WHERE f.scope = ANY (ARRAY[t.scope]) AND f.key = t.key AND f.task = t.id
            )
            SELECT coalesce(lineage, id) AS lineage, id, retry FROM data
            """;

    private static final String FINISHED_AT = "SELECT finished_at FROM semel.done WHERE task = ?";

    // A record of an open task is found by the lack of its end. Records whose window is open are not looked into.
    private static final String OLD_RECORDS = """
            SELECT r.scope, r.key FROM semel.record r
            WHERE r.expires_at <= ?
              AND (r.state IS NOT NULL OR (SELECT 1 FROM semel.done d WHERE d.task = r.task LIMIT 1) IS NOT NULL)
              AND (
                SELECT 1 FROM semel.former f
                WHERE f.scope = r.scope AND f.key = r.key
                  AND (SELECT 1 FROM semel.done e WHERE e.task = f.task LIMIT 1) IS NULL LIMIT 1) IS NULL
            LIMIT ?
            """;

    // The same conditions, because a record may have changed before it was locked. A task that is still there is an
    // earlier one of its identity from then on.
    private static final String REMOVE_RECORDS = """
            WITH gone AS (
              DELETE FROM semel.record r USING unnest(?, ?) AS o (scope, key)
              WHERE r.scope = ANY (ARRAY[o.scope]) AND r.key = o.key AND r.expires_at <= ?
                AND (r.state IS NOT NULL OR (SELECT 1 FROM semel.done d WHERE d.task = r.task LIMIT 1) IS NOT NULL)
                AND (
                  SELECT 1 FROM semel.former f
                  WHERE f.scope = r.scope AND f.key = r.key
                    AND (SELECT 1 FROM semel.done e WHERE e.task = f.task LIMIT 1) IS NULL LIMIT 1) IS NULL
              RETURNING r.scope, r.key, r.task, r.state, r.lineage
            ), formers AS (
              INSERT INTO semel.former (scope, key, task) SELECT scope, key, task FROM gone WHERE state IS NULL
              ON CONFLICT DO NOTHING
            )
            SELECT CASE WHEN state IS NOT NULL THEN coalesce(lineage, task) END AS lineage FROM gone
            """;

    private record Old(
            TaskId task, long finishedAt, @Nullable RecordKey key) {}

    private Sweeper() {}

    public static Swept sweep(Transaction tx, SweepRequest request) throws SQLException {
        // Without this, a queue without workers would keep a replaced task, and the task that waits for it, for ever.
        DeadLetters.submit(tx, TaskEnds.endVanishedInAllLanes(tx, request.vanishedLimit()));
        if (request.removesNothing()) {
            return Swept.NOTHING;
        }
        List<Old> tasks = oldTasks(tx, request);
        boolean more = tasks.size() > request.limit();
        int removedTasks = removeTasks(tx, more ? tasks.subList(0, request.limit()) : tasks);
        if (more && removedTasks > 0) {
            // Records are looked for when there are no more tasks: a search that finds none has read all summaries in
            // vain.
            return new Swept(removedTasks, 0, true);
        }
        List<RecordKey> keys = oldRecords(tx, request);
        more |= keys.size() > request.limit();
        int removedRecords = removeRecords(tx, keys.size() > request.limit() ? keys.subList(0, request.limit()) : keys);
        // What others have locked at this moment is left for the next sweep. Without progress there is no further step.
        return new Swept(removedTasks, removedRecords, more && removedTasks + removedRecords > 0);
    }

    private static void plan(Transaction tx, String settings) throws SQLException {
        try (Statement statement = tx.session().connection().createStatement()) {
            statement.execute(settings);
        }
    }

    private static List<RecordKey> oldRecords(Transaction tx, SweepRequest request) throws SQLException {
        plan(tx, BY_BITMAPS);
        List<RecordKey> old = tx.session()
                .planned(OLD_RECORDS)
                .with(tx.now())
                .with(request.limit() + 1)
                .list(row -> new RecordKey(row.getInt("scope"), row.getString("key")));
        plan(tx, BY_KEYS);
        return old;
    }

    private static List<Old> oldTasks(Transaction tx, SweepRequest request) throws SQLException {
        List<String> queues = List.copyOf(request.byQueue().keySet());
        List<Long> kept = new ArrayList<>();
        queues.forEach(queue ->
                kept.add(request.byQueue().getOrDefault(queue, Duration.ZERO).toMillis()));
        long dead = request.deadRetention().toMillis();
        long others = request.retention().toMillis();
        long workflows = request.workflowRetention().toMillis();
        long shortest = kept.stream().reduce(Math.min(Math.min(dead, workflows), others), Math::min);
        plan(tx, BY_BITMAPS);
        List<Old> old = tx.session()
                .planned(OLD_TASKS)
                .texts(queues)
                .longs(kept)
                .with(tx.now() - shortest)
                .with(dead)
                .with(workflows)
                .with(others)
                .with(tx.now())
                .with(request.limit() + 1)
                .list(row -> {
                    String key = row.getString("key");
                    return new Old(
                            SqlStatement.id(row, "task"),
                            row.getLong("finished_at"),
                            key == null ? null : new RecordKey(row.getInt("scope"), key));
                });
        plan(tx, BY_KEYS);
        return old;
    }

    private static int removeTasks(Transaction tx, List<Old> candidates) throws SQLException {
        if (candidates.isEmpty()) {
            return 0;
        }
        Set<RecordKey> keyed = new TreeSet<>();
        candidates.forEach(task -> {
            if (task.key() != null) {
                keyed.add(task.key());
            }
        });
        Set<RecordKey> free = keyed.isEmpty() ? Set.of() : KeyRecords.lockFree(tx, keyed);
        List<Old> old = candidates.stream()
                .filter(task -> task.key() == null || free.contains(task.key()))
                .toList();
        List<TaskId> lineages = remove(
                tx,
                old.stream().map(Old::task).toList(),
                old.stream().map(Old::finishedAt).toList());
        EffectLedger.forget(tx, lineages);
        return lineages.size();
    }

    /** Deletes tasks with all that belongs to them, and returns their lineages. */
    private static List<TaskId> remove(Transaction tx, List<TaskId> tasks, List<Long> finishedAt) throws SQLException {
        Map<TaskId, List<String>> tags = new HashMap<>();
        List<TaskId> lineages = tx.sql(REMOVE_TASKS)
                .ids(tasks)
                .longs(finishedAt)
                .list(row -> {
                    String options = row.getString("retry");
                    if (options != null) {
                        tags.put(
                                SqlStatement.id(row, "id"),
                                OptionsText.options(0, options, null, null).tags());
                    }
                    return SqlStatement.id(row, "lineage");
                });
        TagRows.remove(tx, tags);
        return lineages;
    }

    /** Deletes the data of one task that has ended, whose record is locked; false if it is there no more. */
    static boolean erase(Transaction tx, TaskId id, TaskId lineage) throws SQLException {
        Long finishedAt = tx.sql(FINISHED_AT).with(id).first(row -> row.getLong("finished_at"));
        if (finishedAt == null) {
            return false;
        }
        List<TaskId> removed = remove(tx, List.of(id), List.of(finishedAt));
        EffectLedger.forget(tx, removed);
        EffectLedger.eraseUnlessStored(tx, lineage);
        return !removed.isEmpty();
    }

    private static int removeRecords(Transaction tx, List<RecordKey> old) throws SQLException {
        if (old.isEmpty()) {
            return 0;
        }
        Set<RecordKey> free = KeyRecords.lockFree(tx, old);
        List<Optional<TaskId>> tombstones = tx.sql(REMOVE_RECORDS)
                .ints(free.stream().map(RecordKey::scope).toList())
                .texts(free.stream().map(RecordKey::key).toList())
                .with(tx.now())
                .list(row -> Optional.ofNullable(SqlStatement.idOrNull(row, "lineage")));
        EffectLedger.forget(tx, tombstones.stream().flatMap(Optional::stream).toList());
        return tombstones.size();
    }
}
