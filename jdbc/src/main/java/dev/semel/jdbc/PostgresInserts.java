package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.store.NewTask;
import dev.semel.store.TaskOptions;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Inserts new tasks: many with one statement, in their order, which is their order of creation. */
final class PostgresInserts {

    private static final long MINUTE = 60_000;

    private static final String COLUMNS =
            "id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, lineage,"
                    + " input_hash, key, retry, mutex, input, series";

    private static final String READY_COLUMNS =
            "task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex";

    private static final String SEQS = "SELECT nextval('semel.task_seq') FROM generate_series(1, ?)";

    private static final String COPY_TASKS = "COPY semel.task (" + COLUMNS + ") FROM STDIN (FORMAT binary)";

    private static final String COPY_READY = "COPY semel.ready (" + READY_COLUMNS + ") FROM STDIN (FORMAT binary)";

    /** The place of a new task in the order of claims. */
    static final String ORDER_AT = "coalesce(start_at, created_at) - priority * 60000::bigint";

    private static final String TASKS =
            "WITH made AS (INSERT INTO semel.task (" + COLUMNS + ") " + """
              SELECT id, nextval('semel.task_seq'), ?, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input, series
              FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS i (id, start_at, ttl, timeout, lane, scope, priority, input_hash, key, retry, mutex, input, run, lineage, series)
              ON CONFLICT (id) DO NOTHING
              RETURNING id, seq,\s""" + ORDER_AT + """
               AS order_at, lane, priority, mutex
            )
            """;

    private static final String MUTEX = """
            CASE WHEN m.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END
            """;

    /** Makes those pending that {@code made} has. */
    static final String READY = "INSERT INTO semel.ready (" + READY_COLUMNS + ") " + """
            SELECT m.id, m.seq, m.order_at, m.lane, 0, 0, 0, m.priority, false,\s""" + MUTEX + " FROM made m";

    private static final String PENDING = TASKS + READY;

    private static final String WAITING = TASKS + """
            INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority, after, mutex)
            SELECT m.id, m.seq, m.order_at, m.lane, 0, 0, 0, m.priority, ?,\s""" + MUTEX + " FROM made m";

    /** What becomes of a submission in the table: everything that it does not say itself. */
    record Place(
            Asked asked,
            int run,
            @Nullable TaskId series,
            @Nullable TaskId lineage,
            @Nullable TaskId after) {

        static Place first(Asked asked) {
            return new Place(asked, 1, null, null, null);
        }
    }

    private PostgresInserts() {}

    /** Inserts pending tasks; loses the race if one of them is there. */
    static void pending(PostgresTransaction tx, Collection<Place> places, PostgresFindings findings)
            throws SQLException {
        if (places.isEmpty()) {
            return;
        }
        try {
            if (places.size() >= PostgresCopy.WORTH
                    && PostgresCopy.isPossible(tx.session().connection())) {
                copy(tx, places);
            } else if (bind(tx, tx.sql(PENDING), places).update() != places.size()) {
                throw lost(findings);
            }
        } catch (SQLException e) {
            throw lost(e, findings);
        }
        places.forEach(place -> tx.news().due(place.asked().task().queue()));
    }

    private static SQLException lost(SQLException e, PostgresFindings findings) {
        return PostgresFailures.isTaken(e) ? lost(findings) : e;
    }

    private static PostgresFailures.Race lost(PostgresFindings findings) {
        String what = "a task was submitted before, or at the same moment";
        boolean looked = findings.expectsRepeats();
        findings.expectRepeats();
        return looked ? PostgresFailures.Race.lost(what) : new PostgresFailures.Race(what);
    }

    /** Inserts one task, pending or waiting; loses the race if it is there. */
    static void one(PostgresTransaction tx, Place place, PostgresFindings findings) throws SQLException {
        if (place.after() == null) {
            pending(tx, List.of(place), findings);
            return;
        }
        if (bind(tx, tx.sql(WAITING), List.of(place)).with(place.after()).update() != 1) {
            throw lost(findings);
        }
    }

    private static void copy(PostgresTransaction tx, Collection<Place> places) throws SQLException {
        Iterator<Long> seqs =
                tx.sql(SEQS).with(places.size()).list(row -> row.getLong(1)).iterator();
        PostgresCopy tasks = tx.session().copy(COPY_TASKS, 17);
        PostgresCopy ready = tx.session().copy(COPY_READY, 10);
        for (Place place : places) {
            NewTask task = place.asked().task();
            TaskOptions options = task.options();
            NewTask.KeyRequest key = task.key();
            Long seq = seqs.next();
            Integer lane = place.asked().lane().id();
            int priority = Limits.priority(options.priority());
            Long start = start(tx, task);
            tasks.row()
                    .with(task.id())
                    .with(seq)
                    .with((Long) tx.now())
                    .with(start)
                    .with(key == null ? null : (Long) key.ttl().toMillis())
                    .with(
                            options.timeout() == null
                                    ? null
                                    : (Long) options.timeout().toMillis())
                    .with(lane)
                    .with((Integer) place.run())
                    .with(key == null ? null : (Integer) place.asked().scope())
                    .withSmall(priority)
                    .with(place.lineage())
                    .with(key == null ? null : key.inputHash().bytes())
                    .with(key == null ? null : key.identity().key())
                    .with(options.retry() == null ? null : options.retry().text())
                    .with(options.mutex())
                    .with(task.input())
                    .with(place.series());
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
                    .with(PostgresTasks.mutex(place.asked().lane(), options.mutex()));
        }
        PostgresRecords.checkAdded(tasks.send(), places.size());
        PostgresRecords.checkAdded(ready.send(), places.size());
    }

    /** When a task is to start; null for at once. */
    private static @Nullable Long start(PostgresTransaction tx, NewTask task) {
        long start = task.start().dueAt(tx.nowInstant()).toEpochMilli();
        return start == tx.now() ? null : (Long) start;
    }

    private static PostgresStatement bind(PostgresTransaction tx, PostgresStatement insert, Collection<Place> places)
            throws SQLException {
        Columns columns = new Columns();
        for (Place place : places) {
            columns.add(place, start(tx, place.asked().task()));
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

        void add(Place place, @Nullable Long start) {
            NewTask task = place.asked().task();
            TaskOptions options = task.options();
            NewTask.KeyRequest key = task.key();
            ids.add(task.id());
            starts.add(start);
            ttls.add(key == null ? null : (Long) key.ttl().toMillis());
            timeouts.add(
                    options.timeout() == null ? null : (Long) options.timeout().toMillis());
            lanes.add(place.asked().lane().id());
            runs.add(place.run());
            scopes.add(key == null ? null : (Integer) place.asked().scope());
            priorities.add(Limits.priority(options.priority()));
            lineages.add(place.lineage());
            series.add(place.series());
            hashes.add(key == null ? null : key.inputHash().bytes());
            keys.add(key == null ? null : key.identity().key());
            retries.add(options.retry() == null ? null : options.retry().text());
            mutexes.add(options.mutex());
            inputs.add(task.input());
        }

        /** Binds what each submission says itself. */
        PostgresStatement bind(PostgresStatement insert) throws SQLException {
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
