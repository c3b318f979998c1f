package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.store.NewTask;
import dev.semel.store.TaskOptions;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inserts new tasks: many with one statement, in their order, which is their order of creation. */
final class PostgresInserts {

    private static final String TASKS = """
            WITH made AS (
              INSERT INTO semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input)
              SELECT id, nextval('semel.task_seq'), ?, start_at, ttl, timeout, lane, run, scope, priority, lineage,
                input_hash, key, retry, mutex, input
              FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS i (id, start_at, ttl, timeout, lane, run, scope, priority, lineage, input_hash, key, retry, mutex, input)
              ON CONFLICT (id) DO NOTHING
              RETURNING id, seq, start_at, lane, priority, mutex
            )
            """;

    private static final String PENDING = TASKS + """
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            SELECT m.id, m.seq, m.start_at - m.priority * 60000::bigint, m.lane, 0, 0, 0, m.priority, false,
              CASE WHEN m.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END
            FROM made m
            RETURNING task
            """;

    private static final String WAITING = TASKS + """
            INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority, after, mutex)
            SELECT m.id, m.seq, m.start_at - m.priority * 60000::bigint, m.lane, 0, 0, 0, m.priority, ?,
              CASE WHEN m.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || m.mutex FROM semel.lane l WHERE l.id = m.lane) END
            FROM made m
            RETURNING task
            """;

    /** What becomes of a submission in the table: everything that it does not say itself. */
    record Place(
            Asked asked,
            int run,
            @Nullable TaskId lineage,
            @Nullable TaskId after) {

        static Place first(Asked asked) {
            return new Place(asked, 1, null, null);
        }
    }

    private PostgresInserts() {}

    /** Inserts pending tasks, and gives the ids of those that were not there before. */
    static Set<TaskId> pending(PostgresTransaction tx, List<Place> places) throws SQLException {
        if (places.isEmpty()) {
            return Set.of();
        }
        PostgresStatement insert = bind(tx, tx.sql(PENDING), places);
        Set<TaskId> made = new HashSet<>(insert.list(row -> PostgresStatement.id(row, 1)));
        for (Place place : places) {
            if (made.contains(place.asked().task().id())) {
                tx.news().due(place.asked().task().queue());
            }
        }
        return made;
    }

    /** Inserts one task, pending or waiting; false if it was there before. */
    static boolean one(PostgresTransaction tx, Place place) throws SQLException {
        if (place.after() == null) {
            return pending(tx, List.of(place)).size() == 1;
        }
        return bind(tx, tx.sql(WAITING), List.of(place))
                        .with(place.after())
                        .list(row -> 1)
                        .size()
                == 1;
    }

    private static PostgresStatement bind(PostgresTransaction tx, PostgresStatement insert, List<Place> places)
            throws SQLException {
        Columns columns = new Columns();
        for (Place place : places) {
            columns.add(tx, place);
        }
        return insert.with(tx.now())
                .ids(columns.ids)
                .longs(columns.starts)
                .longs(columns.ttls)
                .longs(columns.timeouts)
                .ints(columns.lanes)
                .ints(columns.runs)
                .ints(columns.scopes)
                .ints(columns.priorities)
                .idsOrNull(columns.lineages)
                .bytes(columns.hashes)
                .texts(columns.keys)
                .texts(columns.retries)
                .texts(columns.mutexes)
                .texts(columns.inputs);
    }

    private static final class Columns {

        private final List<TaskId> ids = new ArrayList<>();
        private final List<Long> starts = new ArrayList<>();
        private final List<@Nullable Long> ttls = new ArrayList<>();
        private final List<@Nullable Long> timeouts = new ArrayList<>();
        private final List<Integer> lanes = new ArrayList<>();
        private final List<Integer> runs = new ArrayList<>();
        private final List<@Nullable Integer> scopes = new ArrayList<>();
        private final List<Integer> priorities = new ArrayList<>();
        private final List<@Nullable TaskId> lineages = new ArrayList<>();
        private final List<byte @Nullable []> hashes = new ArrayList<>();
        private final List<@Nullable String> keys = new ArrayList<>();
        private final List<@Nullable String> retries = new ArrayList<>();
        private final List<@Nullable String> mutexes = new ArrayList<>();
        private final List<String> inputs = new ArrayList<>();

        void add(PostgresTransaction tx, Place place) {
            NewTask task = place.asked().task();
            TaskOptions options = task.options();
            NewTask.KeyRequest key = task.key();
            ids.add(task.id());
            starts.add(task.start().dueAt(tx.nowInstant()).toEpochMilli());
            ttls.add(key == null ? null : (Long) key.ttl().toMillis());
            timeouts.add(
                    options.timeout() == null ? null : (Long) options.timeout().toMillis());
            lanes.add(place.asked().lane().id());
            runs.add(place.run());
            scopes.add(key == null ? null : (Integer) place.asked().scope());
            priorities.add(Limits.priority(options.priority()));
            lineages.add(place.lineage());
            hashes.add(key == null ? null : key.inputHash().bytes());
            keys.add(key == null ? null : key.identity().key());
            retries.add(options.retry() == null ? null : options.retry().text());
            mutexes.add(options.mutex());
            inputs.add(task.input());
        }
    }
}
