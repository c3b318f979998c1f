package dev.semel.postgresql.submit;

import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.submit.DuplicateLookup.Result.Answers;
import dev.semel.postgresql.submit.DuplicateLookup.Result.NeedsLock;
import dev.semel.postgresql.submit.TaskInserter.Columns;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.store.NewTask;
import dev.semel.store.StoreNews;
import dev.semel.store.Submitted;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Submits a small batch in a single round trip if all of its tasks are new, or all are duplicates, and in two otherwise: one
 * statement adds what is new, another one answers duplicates ({@link DuplicateLookup}). Neither changes the owner of a
 * key.
 *
 * <p>Adding goes first, unless the batch before had only duplicates. One statement for both would cost more of the
 * server's time where only one is needed (docs/reference/performance.md, the ways of a submission).
 */
public final class SingleRoundTripSubmit {

    // The first statement sets how the second one is planned, and that its commit is durable. Both are one transaction,
    // which ends with the second, because nothing says that it ends before. The lock time-out is bound as a number,
    // because a driver that leaves the types of texts to the server asks for them in between, and that would end it.
    //
    // Submissions come in the order of their keys, in which records are locked by inserting them; their position is
    // their order in the batch, which is the order of creation. A submission "keeps" (1) an open and (2) a completed
    // holder of its key. If that does not cover every holder, the owner of a key may change, and nothing is added:
    // that may come first in the batch. PostgresDecisionCellsTest compares this with Decision, cell by cell.
    public static final String ADD = """
            SELECT stamp, set_config('lock_timeout', (?::bigint)::text, true),
              set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
              set_config('jit', 'off', true), set_config('enable_hashjoin', 'off', true),
              set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
              CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END
            FROM (SELECT stamp FROM semel.change LIMIT 1) c;
            WITH s AS MATERIALIZED (
              SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
            ), i AS MATERIALIZED (
              SELECT p.id, p.ttl, p.timeout, p.lane, p.scope, p.priority, p.input_hash, p.key, p.retry, p.mutex, p.input,
                p.position, s.now,
                CASE WHEN p.delay > 0 THEN s.now + p.delay WHEN p.start_at > s.now THEN p.start_at END AS start_at,
                r.task IS NOT NULL AS held,
                r.task IS NOT NULL AND NOT CASE
                  WHEN coalesce(d.state, r.state) IS NULL THEN p.keeps & 1 > 0
                  WHEN coalesce(d.state, r.state) = 'completed' THEN p.keeps & 2 > 0 AND r.expires_at > s.now
                  ELSE false END AS owner_may_change
              FROM s CROSS JOIN unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS p (id, start_at, ttl, timeout, lane, scope, priority, input_hash, key, retry, mutex, input, delay,
                  position, keeps)
              LEFT JOIN LATERAL (SELECT * FROM semel.record x WHERE x.scope = p.scope AND x.key = p.key LIMIT 1) r ON true
              LEFT JOIN LATERAL (SELECT state FROM semel.done x WHERE x.task = r.task LIMIT 1) d ON true
            ), fresh AS (
              INSERT INTO semel.record (scope, key, task, expires_at)
              SELECT scope, key, id, now + ttl FROM i
              WHERE key IS NOT NULL AND NOT held AND NOT EXISTS (SELECT 1 FROM i WHERE owner_may_change)
              ON CONFLICT (scope, key) DO NOTHING
              RETURNING task
            ), made AS (
              INSERT INTO semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, input_hash,
                key, retry, mutex, input)
              SELECT i.id, nextval('semel.task_seq'), i.now, i.start_at, i.ttl, i.timeout, i.lane, 1, i.scope, i.priority,
                i.input_hash, i.key, i.retry, i.mutex, i.input
              FROM i LEFT JOIN LATERAL (SELECT id FROM semel.task x WHERE x.id = i.id LIMIT 1) a ON i.key IS NULL
              WHERE CASE
                WHEN i.key IS NULL THEN a.id IS NULL AND NOT EXISTS (SELECT 1 FROM i WHERE owner_may_change)
                ELSE i.id IN (SELECT task FROM fresh) END
              ORDER BY i.position
              RETURNING id, seq, coalesce(start_at, created_at) - priority * 60000::bigint AS order_at, lane, priority,
                mutex
            ), pending AS (
              INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
              SELECT m.id, m.seq, m.order_at, m.lane, 0, 0, 0, m.priority, false,
                CASE WHEN m.mutex IS NOT NULL THEN (
                  SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END
              FROM made m
            )
            SELECT s.now, m.id FROM s LEFT JOIN made m ON true
            """;

    // The same for a batch without keys.
    public static final String ADD_WITHOUT_KEYS = """
            SELECT stamp, set_config('lock_timeout', (?::bigint)::text, true),
              set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
              set_config('jit', 'off', true), set_config('enable_hashjoin', 'off', true),
              set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
              CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END
            FROM (SELECT stamp FROM semel.change LIMIT 1) c;
            WITH s AS MATERIALIZED (
              SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
            ), i AS MATERIALIZED (
              SELECT p.id, p.ttl, p.timeout, p.lane, p.scope, p.priority, p.input_hash, p.key, p.retry, p.mutex, p.input,
                p.position, s.now,
                CASE WHEN p.delay > 0 THEN s.now + p.delay WHEN p.start_at > s.now THEN p.start_at END AS start_at
              FROM s CROSS JOIN unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS p (id, start_at, ttl, timeout, lane, scope, priority, input_hash, key, retry, mutex, input, delay,
                  position, keeps)
            ), made AS (
              INSERT INTO semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, input_hash,
                key, retry, mutex, input)
              SELECT i.id, nextval('semel.task_seq'), i.now, i.start_at, i.ttl, i.timeout, i.lane, 1, i.scope, i.priority,
                i.input_hash, i.key, i.retry, i.mutex, i.input
              FROM i LEFT JOIN LATERAL (SELECT id FROM semel.task x WHERE x.id = i.id LIMIT 1) a ON true
              WHERE a.id IS NULL
              ORDER BY i.position
              RETURNING id, seq, coalesce(start_at, created_at) - priority * 60000::bigint AS order_at, lane, priority,
                mutex
            ), pending AS (
              INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
              SELECT m.id, m.seq, m.order_at, m.lane, 0, 0, 0, m.priority, false,
                CASE WHEN m.mutex IS NOT NULL THEN (
                  SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END
              FROM made m
            )
            SELECT s.now, m.id FROM s LEFT JOIN made m ON true
            """;

    private static final int KEEPS_OPEN = 1;
    private static final int KEEPS_COMPLETED = 2;

    /** What became of a batch. */
    sealed interface Result {

        /** All of it is done. */
        record Done(List<Submitted> answers) implements Result {}

        /** The batch needs locks; some of it may be stored already, and is answered as such if it is submitted again. */
        record NeedsLocks() implements Result {}
    }

    private final Database database;
    private final DuplicateLookup lookup;

    // Nothing but speed depends on it, so it does not matter which of two concurrent batches is the last.
    private volatile boolean lastWereDuplicates;

    SingleRoundTripSubmit(Database database, DuplicateLookup lookup) {
        this.database = database;
        this.lookup = lookup;
    }

    /** Submits a batch of different tasks with different keys. */
    Result submit(List<NumberedTask> batch) {
        try {
            return database.single(session -> submit(session, batch));
        } catch (SQLException e) {
            // Under locks it shows which key a caller's transaction holds, and which task is stored already.
            if (ErrorTranslator.isLockTimeout(e) || ErrorTranslator.isTaken(e)) {
                return new Result.NeedsLocks();
            }
            throw database.translated(e);
        }
    }

    private Result submit(Session session, List<NumberedTask> batch) throws SQLException {
        if (session.sendsStatementsSingly()) {
            return new Result.NeedsLocks(); // the settings would be gone when the second statement comes
        }
        List<Integer> keyed = DuplicateLookup.keyed(batch);
        SortedMap<Integer, Submitted> answers = new TreeMap<>();
        boolean lookFirst = lastWereDuplicates && keyed.size() == batch.size();
        if (lookFirst && !look(session, batch, keyed, answers)) {
            return new Result.NeedsLocks();
        }
        if (answers.size() < batch.size()) {
            Map<Integer, Submitted> added = add(session, batch, unanswered(batch, answers), !keyed.isEmpty());
            answers.putAll(added);
            if (!keyed.isEmpty()) {
                lastWereDuplicates = added.isEmpty();
            }
        }
        keyed.removeAll(answers.keySet());
        if (!lookFirst && !look(session, batch, keyed, answers)) {
            return new Result.NeedsLocks();
        }
        if (answers.size() < batch.size()) {
            return new Result.NeedsLocks(); // a task without a key is stored already, or another caller took a key
        }
        return new Result.Done(List.copyOf(answers.values()));
    }

    /** Answers duplicates; false if the owner of a key changes. */
    private boolean look(
            Session session, List<NumberedTask> batch, List<Integer> keyed, SortedMap<Integer, Submitted> answers)
            throws SQLException {
        return switch (lookup.look(session, batch, keyed)) {
            case Answers(Map<Integer, Submitted> byPosition) -> {
                answers.putAll(byPosition);
                yield true;
            }
            case NeedsLock() -> false;
        };
    }

    private static List<Integer> unanswered(List<NumberedTask> batch, Map<Integer, Submitted> answers) {
        return IntStream.range(0, batch.size())
                .boxed()
                .filter(position -> !answers.containsKey(position))
                .toList();
    }

    /** Adds those whose keys are free, and those without a key that are not stored yet. */
    private Map<Integer, Submitted> add(
            Session session, List<NumberedTask> batch, List<Integer> positions, boolean withKeys) throws SQLException {
        List<Integer> sorted = new ArrayList<>(positions);
        sorted.sort(Comparator.comparing(
                position -> batch.get(position).key(), Comparator.nullsFirst(Comparator.naturalOrder())));
        List<Long> stamps = new ArrayList<>();
        Map<TaskId, Submitted> added = new HashMap<>();
        bind(session.sql(withKeys ? ADD : ADD_WITHOUT_KEYS), batch, sorted)
                .results(row -> stamps.add(row.getLong(1)), row -> readAdded(row, added));
        StoreNews news = new StoreNews();
        Map<Integer, Submitted> answers = new HashMap<>();
        for (int position : positions) {
            NewTask task = batch.get(position).task();
            Submitted answer = added.get(task.id());
            if (answer != null) {
                answers.put(position, answer);
                news.due(task.queue());
            }
        }
        database.tell(news);
        database.checkStamp(session, stamps);
        return answers;
    }

    private SqlStatement bind(SqlStatement statement, List<NumberedTask> batch, List<Integer> positions)
            throws SQLException {
        Columns columns = new Columns();
        List<Long> delays = new ArrayList<>(positions.size());
        List<Integer> keeps = new ArrayList<>(positions.size());
        for (int position : positions) {
            NumberedTask submission = batch.get(position);
            NewTask task = submission.task();
            NewTask.Start start = task.start();
            columns.add(NewRun.first(submission), start instanceof NewTask.Start.At at ? millis(at) : null);
            delays.add(
                    start instanceof NewTask.Start.After after ? after.delay().toMillis() : 0L);
            keeps.add(task.key() == null ? 0 : keeps(task.key().policy()));
        }
        statement.with(database.lockMillis()).withLong(database.clockMillis());
        return columns.bind(statement).longs(delays).ints(positions).ints(keeps);
    }

    /** A time before 1970 has passed: the task starts at once. */
    private static @Nullable Long millis(NewTask.Start.At start) {
        return start.time().isBefore(Instant.EPOCH) ? null : (Long) start.time().toEpochMilli();
    }

    private static int keeps(ReusePolicy policy) {
        boolean open = Stream.of(policy.pending(), policy.running(), policy.waiting())
                .noneMatch(ReusePolicy.WhileOpen.REPLACE::equals);
        boolean completed = policy.completed() != ReusePolicy.AfterEnd.RERUN;
        return (open ? KEEPS_OPEN : 0) + (completed ? KEEPS_COMPLETED : 0);
    }

    private static void readAdded(ResultSet row, Map<TaskId, Submitted> added) throws SQLException {
        TaskId id = SqlStatement.idOrNull(row, 2);
        if (id != null) {
            Instant now = Instant.ofEpochMilli(row.getLong(1));
            added.put(id, new Submitted.Created(id, 1, TaskState.PENDING, now));
        }
    }
}
