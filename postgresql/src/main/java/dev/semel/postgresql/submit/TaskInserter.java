package dev.semel.postgresql.submit;

import dev.semel.postgresql.sql.BinaryCopy;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.table.KeyRecords;
import dev.semel.postgresql.table.TagRows;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.table.TimeLimitRows;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.NewTask;
import dev.semel.store.OptionsText;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Inserts new tasks: many with one statement, in their order, which is their order of creation. */
final class TaskInserter {

    private static final long MINUTE = 60_000;

    private static final String SEQS = "SELECT nextval('semel.task_seq') FROM generate_series(1, ?)";

    private static final String COPY_TASKS = """
            COPY semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, lineage, input_hash,
              key, retry, mutex, input, series)
            FROM STDIN (FORMAT binary)
            """;

    private static final int TASK_COLUMNS = 17;

    private static final String COPY_READY = """
            COPY semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            FROM STDIN (FORMAT binary)
            """;

    private static final int READY_COLUMNS = 10;

    private static final String COPY_READY_WATCHED = """
            COPY semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched)
            FROM STDIN (FORMAT binary)
            """;

    private static final String INSERT_PENDING = """
            WITH made AS (
              INSERT INTO semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input, series)
              SELECT id, nextval('semel.task_seq'), ?, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input, series
              FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS i (id, start_at, ttl, timeout, lane, scope, priority, input_hash, key, retry, mutex, input, run, lineage,
                  series)
              ON CONFLICT (id) DO NOTHING
              RETURNING id, seq, coalesce(start_at, created_at) - priority * 60000::bigint AS order_at, lane, priority,
                mutex
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            SELECT m.id, m.seq, m.order_at, m.lane, 0, 0, 0, m.priority, false,
              CASE WHEN m.mutex IS NOT NULL THEN (
                SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END
            FROM made m
            """;

    private static final String INSERT_WATCHED = """
            WITH made AS (
              INSERT INTO semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input, series)
              SELECT id, nextval('semel.task_seq'), ?, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input, series
              FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS i (id, start_at, ttl, timeout, lane, scope, priority, input_hash, key, retry, mutex, input, run, lineage,
                  series)
              ON CONFLICT (id) DO NOTHING
              RETURNING id, seq, coalesce(start_at, created_at) - priority * 60000::bigint AS order_at, lane, priority,
                mutex
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex, watched)
            SELECT m.id, m.seq, m.order_at, m.lane, 0, 0, 0, m.priority, false,
              CASE WHEN m.mutex IS NOT NULL THEN (
                SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END, true
            FROM made m
            """;

    private static final String INSERT_WAITING = """
            WITH made AS (
              INSERT INTO semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input, series)
              SELECT id, nextval('semel.task_seq'), ?, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input, series
              FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS i (id, start_at, ttl, timeout, lane, scope, priority, input_hash, key, retry, mutex, input, run, lineage,
                  series)
              ON CONFLICT (id) DO NOTHING
              RETURNING id, seq, coalesce(start_at, created_at) - priority * 60000::bigint AS order_at, lane, priority,
                mutex
            )
            INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority, after, mutex)
            SELECT m.id, m.seq, m.order_at, m.lane, 0, 0, 0, m.priority, ?,
              CASE WHEN m.mutex IS NOT NULL THEN (
                SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END
            FROM made m
            """;

    private TaskInserter() {}

    /** Inserts pending tasks; loses the race if one of them is stored already. */
    static void insertPending(Transaction tx, Collection<NewRun> tasks, RetryNotes notes) throws SQLException {
        insert(tx, tasks, false, notes);
    }

    /** The same for tasks whose ends workflows wait for. */
    static void insertWatched(Transaction tx, Collection<NewRun> tasks, RetryNotes notes) throws SQLException {
        insert(tx, tasks, true, notes);
    }

    private static void insert(Transaction tx, Collection<NewRun> tasks, boolean watched, RetryNotes notes)
            throws SQLException {
        if (tasks.isEmpty()) {
            return;
        }
        try {
            if (tasks.size() >= BinaryCopy.WORTH
                    && BinaryCopy.isPossible(tx.session().connection())) {
                copy(tx, tasks, watched);
            } else if (bind(tx, tx.sql(watched ? INSERT_WATCHED : INSERT_PENDING), tasks)
                            .update()
                    != tasks.size()) {
                throw lost(notes);
            }
        } catch (SQLException e) {
            throw lost(e, notes);
        }
        tasks.forEach(task -> tx.news().due(task.submission().task().queue()));
        saveRows(tx, tasks);
    }

    /** Returns whether a task has rows in other tables than other new tasks. */
    static boolean needsRows(NumberedTask submission) {
        TaskOptions options = submission.task().options();
        return options.limits() != null || !options.tags().isEmpty();
    }

    private static void saveRows(Transaction tx, Collection<NewRun> tasks) throws SQLException {
        SortedMap<TaskId, Long> times = new TreeMap<>();
        SortedMap<TaskId, NewTask> tagged = new TreeMap<>();
        for (NewRun run : tasks) {
            NewTask task = run.submission().task();
            TimeLimits limits = task.options().limits();
            Instant next = limits == null ? null : limits.next(tx.nowInstant(), 0);
            if (next != null) {
                times.put(task.id(), next.toEpochMilli());
            }
            if (!task.options().tags().isEmpty()) {
                tagged.put(task.id(), task);
            }
        }
        TimeLimitRows.save(tx, times);
        TagRows.add(tx, tagged.values());
    }

    private static SQLException lost(SQLException e, RetryNotes notes) {
        return ErrorTranslator.isTaken(e) ? lost(notes) : e;
    }

    private static Race lost(RetryNotes notes) {
        String what = "a task was submitted before, or at the same moment";
        boolean looked = notes.expectsRepeats();
        notes.expectRepeats();
        return looked ? Race.lost(what) : new Race(what);
    }

    /** Inserts one task, pending or waiting; loses the race if it is stored already. */
    static void insertOne(Transaction tx, NewRun task, RetryNotes notes) throws SQLException {
        if (task.after() == null) {
            insertPending(tx, List.of(task), notes);
            return;
        }
        if (bind(tx, tx.sql(INSERT_WAITING), List.of(task)).with(task.after()).update() != 1) {
            throw lost(notes);
        }
        saveRows(tx, List.of(task));
    }

    private static void copy(Transaction tx, Collection<NewRun> inserted, boolean watched) throws SQLException {
        Iterator<Long> seqs =
                tx.sql(SEQS).with(inserted.size()).list(row -> row.getLong(1)).iterator();
        BinaryCopy tasks = tx.session().copy(COPY_TASKS, TASK_COLUMNS);
        BinaryCopy ready = watched
                ? tx.session().copy(COPY_READY_WATCHED, READY_COLUMNS + 1)
                : tx.session().copy(COPY_READY, READY_COLUMNS);
        for (NewRun next : inserted) {
            NewTask task = next.submission().task();
            TaskOptions options = task.options();
            NewTask.KeyRequest request = task.key();
            RecordKey key = next.submission().key();
            Long seq = seqs.next();
            Integer lane = next.submission().lane().id();
            int priority = Limits.priority(options.priority());
            Long start = start(tx, task);
            tasks.row()
                    .with(task.id())
                    .with(seq)
                    .with((Long) tx.now())
                    .with(start)
                    .with(request == null ? null : (Long) request.ttl().toMillis())
                    .with(
                            options.timeout() == null
                                    ? null
                                    : (Long) options.timeout().toMillis())
                    .with(lane)
                    .with((Integer) next.run())
                    .with(key == null ? null : (Integer) key.scope())
                    .withSmall(priority)
                    .with(next.lineage())
                    .with(request == null ? null : request.inputHash().bytes())
                    .with(key == null ? null : key.key())
                    .with(OptionsText.of(options))
                    .with(options.mutex())
                    .with(task.input())
                    .with(next.series());
            ready.row()
                    .with(task.id())
                    .with(seq)
                    .with((Long) ((start == null ? tx.now() : start) - priority * MINUTE))
                    .with(lane)
                    .with((Integer) 0)
                    .with((Integer) 0)
                    .with((Integer) 0)
                    .withSmall(priority)
                    .with(false)
                    .with(TaskReader.mutex(next.submission().lane(), options.mutex()));
            if (watched) {
                ready.with(true);
            }
        }
        KeyRecords.checkAdded(tasks.send(), inserted.size());
        KeyRecords.checkAdded(ready.send(), inserted.size());
    }

    /** When a task is to start; null for at once. */
    private static @Nullable Long start(Transaction tx, NewTask task) {
        long start = task.start().dueAt(tx.nowInstant()).toEpochMilli();
        return start == tx.now() ? null : (Long) start;
    }

    private static SqlStatement bind(Transaction tx, SqlStatement insert, Collection<NewRun> tasks)
            throws SQLException {
        Columns columns = new Columns();
        for (NewRun task : tasks) {
            columns.add(task, start(tx, task.submission().task()));
        }
        return columns.bind(insert.with(tx.now()))
                .ints(columns.runs)
                .idsOrNull(columns.lineages)
                .idsOrNull(columns.series);
    }

    /** Submissions, column by column. */
    static final class Columns {

        private final List<TaskId> ids = new ArrayList<>();
        private final List<@Nullable Long> starts = new ArrayList<>();
        private final List<@Nullable Long> ttls = new ArrayList<>();
        private final List<@Nullable Long> timeouts = new ArrayList<>();
        private final List<Integer> lanes = new ArrayList<>();
        private final List<Integer> runs = new ArrayList<>();
        private final List<@Nullable Integer> scopes = new ArrayList<>();
        private final List<Integer> priorities = new ArrayList<>();
        private final List<@Nullable TaskId> lineages = new ArrayList<>();
        private final List<@Nullable TaskId> series = new ArrayList<>();
        private final List<byte @Nullable []> hashes = new ArrayList<>();
        private final List<@Nullable String> keys = new ArrayList<>();
        private final List<@Nullable String> retries = new ArrayList<>();
        private final List<@Nullable String> mutexes = new ArrayList<>();
        private final List<String> inputs = new ArrayList<>();

        void add(NewRun next, @Nullable Long start) {
            NewTask task = next.submission().task();
            RecordKey key = next.submission().key();
            TaskOptions options = task.options();
            NewTask.KeyRequest request = task.key();
            ids.add(task.id());
            starts.add(start);
            ttls.add(request == null ? null : (Long) request.ttl().toMillis());
            timeouts.add(
                    options.timeout() == null ? null : (Long) options.timeout().toMillis());
            lanes.add(next.submission().lane().id());
            runs.add(next.run());
            scopes.add(key == null ? null : (Integer) key.scope());
            priorities.add(Limits.priority(options.priority()));
            lineages.add(next.lineage());
            series.add(next.series());
            hashes.add(request == null ? null : request.inputHash().bytes());
            keys.add(key == null ? null : key.key());
            retries.add(OptionsText.of(options));
            mutexes.add(options.mutex());
            inputs.add(task.input());
        }

        /** Binds what each submission says itself. */
        SqlStatement bind(SqlStatement insert) throws SQLException {
            return insert.ids(ids)
                    .longs(starts)
                    .longs(ttls)
                    .longs(timeouts)
                    .ints(lanes)
                    .ints(scopes)
                    .ints(priorities)
                    .bytes(hashes)
                    .texts(keys)
                    .texts(retries)
                    .texts(mutexes)
                    .texts(inputs);
        }
    }
}
