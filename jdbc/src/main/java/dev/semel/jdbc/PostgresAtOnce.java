package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.jdbc.PostgresInserts.Columns;
import dev.semel.jdbc.PostgresInserts.Place;
import dev.semel.jdbc.PostgresRecords.Found;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * A small batch of submissions in one round trip: one statement tells who holds which keys, another one adds records and tasks
 * for those whose key nobody holds. Where all are new, or all are duplicates, the one that is needed goes alone; which it will be
 * follows the batches before. That is all there is to do for tasks that are new, and for duplicates that are answered with what
 * is there. What asks for more (a key that changes hands, a task that was accepted before, an identity twice in the batch) is
 * then done step by step by {@link PostgresSubmissions}, which answers what was added here as created.
 */
final class PostgresAtOnce {

    /** From this many on, appending with {@code COPY} costs less; then only batches of duplicates are dealt with here. */
    static final int MOST_ADDED = 100;

    // The winner of a race may be gone when it is looked for, and then the next one's.
    private static final int MOST_ROUNDS = 10;

    private static final String NOW = "coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)";

    // Items come in the order of their identities, in which records are locked by adding them; n is their order in the
    // batch, which is the order of creation.
    private static final String ITEMS = """
            WITH s AS MATERIALIZED (
              SELECT\s""" + NOW + """
               AS now
            ), i AS MATERIALIZED (
              SELECT p.id, CASE WHEN p.delay > 0 THEN s.now + p.delay WHEN p.start_at > s.now THEN p.start_at END AS start_at, p.ttl,
                p.timeout, p.lane, p.scope, p.priority, p.input_hash, p.key, p.retry, p.mutex, p.input, p.n, s.now
            """;

    private static final String GIVEN = """
             FROM s CROSS JOIN unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                AS p (id, start_at, ttl, timeout, lane, scope, priority, input_hash, key, retry, mutex, input, delay, n, keeps)
            """;

    // Whether the key may change hands: unless its holder is open, or has completed, and the item leaves it the key
    // then.
    private static final String LOOSE = """
            , r.task IS NOT NULL AS held, r.task IS NOT NULL AND NOT
                CASE WHEN coalesce(d.state, r.state) IS NULL THEN p.keeps & 1 > 0
                  WHEN coalesce(d.state, r.state) = 'completed' THEN p.keeps & 2 > 0 AND r.expires_at > s.now
                  ELSE false END AS loose
            """;

    private static final String TASKS = """
            made AS (
              INSERT INTO semel.task (id, seq, created_at, start_at, ttl, timeout, lane, run, scope, priority, input_hash, key,
                retry, mutex, input)
              SELECT i.id, nextval('semel.task_seq'), i.now, i.start_at, i.ttl, i.timeout, i.lane, 1, i.scope, i.priority,
                i.input_hash, i.key, i.retry, i.mutex, i.input
              FROM i\s""";

    private static final String THERE = " LEFT JOIN LATERAL (SELECT id FROM semel.task x WHERE x.id = i.id LIMIT 1) a ";

    private static final String PENDING = """
             ORDER BY i.n
              RETURNING id, seq,\s""" + PostgresInserts.ORDER_AT + """
               AS order_at, lane, priority, mutex
            ), pending AS (
            """ + PostgresInserts.READY + """
            )
            SELECT s.now, m.id FROM s LEFT JOIN made m ON true
            """;

    static final String ADD_WITHOUT_KEYS =
            ITEMS + GIVEN + ")," + TASKS + THERE + "ON true WHERE a.id IS NULL " + PENDING;

    // Nothing, if a key may change hands: that may come first in the batch.
    static final String ADD =
            ITEMS + LOOSE + GIVEN + " LEFT" + PostgresRecords.RECORD + """
             LEFT JOIN LATERAL (SELECT state FROM semel.done x WHERE x.task = r.task LIMIT 1) d ON true
            ), fresh AS (
              INSERT INTO semel.record (scope, key, task, expires_at)
              SELECT scope, key, id, now + ttl FROM i
              WHERE key IS NOT NULL AND NOT held AND NOT EXISTS (SELECT 1 FROM i WHERE loose)
              ON CONFLICT (scope, key) DO NOTHING
              RETURNING task
            ),\s""" + TASKS + THERE + """
            ON i.key IS NULL WHERE CASE WHEN i.key IS NULL THEN a.id IS NULL AND NOT EXISTS (SELECT 1 FROM i WHERE loose)
              ELSE i.id IN (SELECT task FROM fresh) END
            """ + PENDING;

    static final String LOOK =
            "SELECT " + NOW + ", p.n, a.id IS NOT NULL," + PostgresRecords.FOUND + """
            FROM unnest(?, ?, ?, ?) AS p (id, scope, key, n)
            """ + PostgresRecords.RECORD
                    + "LEFT JOIN LATERAL (SELECT id FROM semel.task x WHERE x.id = p.id LIMIT 1) a ON true"
                    + PostgresRecords.HELD;

    // Each with the settings that it needs, in one round trip.
    private static final String ADD_AT_ONCE = PostgresDatabase.SETTINGS + ";" + ADD;
    private static final String ADD_WITHOUT_KEYS_AT_ONCE = PostgresDatabase.SETTINGS + ";" + ADD_WITHOUT_KEYS;
    private static final String LOOK_AT_ONCE = PostgresDatabase.SETTINGS + ";" + LOOK;
    private static final String BOTH_AT_ONCE = LOOK_AT_ONCE + ";" + ADD;

    // What an item leaves with whom it is.
    private static final int WHILE_OPEN = 1;
    private static final int ONCE_COMPLETED = 2;

    /** What is sent in one round trip. */
    private enum Step {
        ADD,
        LOOK,
        BOTH
    }

    /** Who holds the key of the item n, by the time of the look, and whether the item's own task is there all the same. */
    private record Holding(int n, long now, boolean accepted, Found found) {}

    private final PostgresDatabase database;
    private final PostgresFindings findings;

    PostgresAtOnce(PostgresDatabase database, PostgresFindings findings) {
        this.database = database;
        this.findings = findings;
    }

    /** Submits a batch if it can be done in this way; otherwise null, and some of it may have been done. */
    @Nullable
    List<Submitted> submit(List<Asked> batch) {
        if (batch.size() >= MOST_ADDED) {
            return database.duplicates().areAlmostAll() ? answersOfMany(batch) : null;
        }
        List<Integer> order = order(batch);
        if (order == null) {
            return null;
        }
        try {
            return database.atOnce(session -> Optional.ofNullable(new Sent(session, batch).submit(order)))
                    .orElse(null);
        } catch (SQLException e) {
            if (PostgresFailures.isLockTimeout(e)) {
                return null; // step by step it shows which key was waited for
            }
            if (PostgresFailures.isTaken(e)) {
                findings.expectRepeats();
                return null;
            }
            throw database.translated(e);
        }
    }

    /** The answers to a large batch if it has only duplicates, by two looks at the same time; otherwise null. */
    private @Nullable List<Submitted> answersOfMany(List<Asked> batch) {
        List<Integer> all = IntStream.range(0, batch.size()).boxed().toList();
        if (batch.stream().anyMatch(asked -> asked.task().key() == null)) {
            return null;
        }
        int half = all.size() / 2;
        Answer<Map<Integer, Submitted>> second = new Answer<>();
        Thread.startVirtualThread(() -> {
            try {
                second.complete(answers(batch, all.subList(half, all.size())));
            } catch (Throwable e) {
                second.fail(e);
            }
        });
        SortedMap<Integer, Submitted> answers = new TreeMap<>(answers(batch, all.subList(0, half)));
        answers.putAll(second.join());
        return answers.size() == batch.size() ? List.copyOf(answers.values()) : null;
    }

    private Map<Integer, Submitted> answers(List<Asked> batch, List<Integer> items) {
        try {
            return database.atOnce(session -> {
                Sent sent = new Sent(session, batch);
                return sent.look(items) ? sent.answers : Map.of();
            });
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    /** The items in the order of their identities; null if two are about the same. */
    private static @Nullable List<Integer> order(List<Asked> batch) {
        List<@Nullable RecordKey> keys = new ArrayList<>(batch.size());
        List<Integer> order = new ArrayList<>(batch.size());
        Set<TaskId> ids = new HashSet<>();
        for (Asked asked : batch) {
            ids.add(asked.task().id());
            order.add(order.size());
            keys.add(asked.task().key() == null ? null : RecordKey.of(asked));
        }
        order.sort(Comparator.comparing(keys::get, Comparator.nullsFirst(Comparator.naturalOrder())));
        RecordKey before = null;
        for (int n : order) {
            RecordKey key = keys.get(n);
            if (key != null && key.equals(before)) {
                return null;
            }
            before = key;
        }
        return ids.size() == batch.size() ? order : null;
    }

    /** A batch on its way, on one connection. */
    private final class Sent {

        private final PostgresSession session;
        private final List<Asked> batch;
        private final SortedMap<Integer, Submitted> answers = new TreeMap<>();
        private int made;

        Sent(PostgresSession session, List<Asked> batch) {
            this.session = session;
            this.batch = batch;
        }

        @Nullable
        List<Submitted> submit(List<Integer> order) throws SQLException {
            if (isSimple(session.connection())) {
                return null;
            }
            Step step = first(order);
            List<Integer> left = order;
            boolean plain = true;
            for (int round = 0; round < MOST_ROUNDS && plain && !left.isEmpty(); round++) {
                plain = switch (step) {
                    case ADD -> add(left);
                    case LOOK -> look(left.stream().filter(this::hasKey).toList());
                    case BOTH -> lookAndAdd(left);
                };
                step = step == Step.LOOK ? Step.ADD : Step.LOOK;
                left = left.stream().filter(n -> answers.get(n) == null).toList();
            }
            if (!left.isEmpty()) {
                return null;
            }
            database.duplicates().note(batch.size() - made, batch.size());
            return List.copyOf(answers.values());
        }

        private Step first(List<Integer> items) {
            if (database.duplicates().areFew() || items.stream().noneMatch(this::hasKey)) {
                return Step.ADD;
            }
            return database.duplicates().areAlmostAll() ? Step.LOOK : Step.BOTH;
        }

        /** Whether the driver sends statements one by one: then the settings are gone when the second one comes. */
        private static boolean isSimple(Connection connection) throws SQLException {
            return connection.isWrapperFor(PGConnection.class)
                    && connection.unwrap(PGConnection.class).getPreferQueryMode() == PreferQueryMode.SIMPLE;
        }

        private boolean hasKey(int n) {
            return batch.get(n).task().key() != null;
        }

        /** Adds those whose keys are free; false if a task without a key is there already. */
        private boolean add(List<Integer> items) throws SQLException {
            boolean keys = items.stream().anyMatch(this::hasKey);
            Map<TaskId, Submitted> added = new HashMap<>();
            bindAdding(begin(keys ? ADD_AT_ONCE : ADD_WITHOUT_KEYS_AT_ONCE), items)
                    .results(row -> {}, row -> readAdded(row, added));
            return noteAdded(items, added, keys);
        }

        private PostgresStatement bindAdding(PostgresStatement statement, List<Integer> items) throws SQLException {
            Columns columns = new Columns();
            List<Long> delays = new ArrayList<>(items.size());
            List<Integer> keeps = new ArrayList<>(items.size());
            for (int n : items) {
                NewTask task = batch.get(n).task();
                NewTask.Start start = task.start();
                columns.add(Place.first(batch.get(n)), start instanceof NewTask.Start.At at ? millis(at) : null);
                delays.add(
                        start instanceof NewTask.Start.After after
                                ? after.delay().toMillis()
                                : 0L);
                keeps.add(task.key() == null ? 0 : keeps(task.key().policy()));
            }
            return columns.bind(statement.withLong(database.clockMillis()))
                    .longs(delays)
                    .ints(items)
                    .ints(keeps);
        }

        private static int keeps(ReusePolicy policy) {
            boolean open = Stream.of(policy.pending(), policy.running(), policy.waiting())
                    .noneMatch(ReusePolicy.WhileOpen.REPLACE::equals);
            return (open ? WHILE_OPEN : 0) + (policy.completed() == ReusePolicy.AfterEnd.RERUN ? 0 : ONCE_COMPLETED);
        }

        private static void readAdded(ResultSet row, Map<TaskId, Submitted> added) throws SQLException {
            TaskId id = PostgresStatement.idOrNull(row, 2);
            if (id != null) {
                Instant now = Instant.ofEpochMilli(row.getLong(1));
                added.put(id, new Submitted.Created(id, 1, TaskState.PENDING, now));
            }
        }

        private boolean noteAdded(List<Integer> items, Map<TaskId, Submitted> added, boolean keys) {
            StoreNews news = new StoreNews();
            boolean repeats = false;
            for (int n : items) {
                NewTask task = batch.get(n).task();
                Submitted answer = added.get(task.id());
                if (answer != null) {
                    made++;
                    news.due(task.queue());
                    answers.put(n, answer);
                }
                repeats |= answer == null && task.key() == null;
            }
            database.tell(news);
            if (repeats && (!keys || !added.isEmpty())) {
                findings.expectRepeats();
                return false;
            }
            return true;
        }

        /** A time that has passed is none. */
        private static @Nullable Long millis(NewTask.Start.At start) {
            return start.time().isBefore(Instant.EPOCH)
                    ? null
                    : (Long) start.time().toEpochMilli();
        }

        /** Answers those whose keys are held; false if that asks for more than an answer. */
        private boolean look(List<Integer> items) throws SQLException {
            if (items.isEmpty()) {
                return true;
            }
            List<Holding> holding = new ArrayList<>();
            bindLooking(begin(LOOK_AT_ONCE), items).results(row -> {}, row -> holding.add(holding(row)));
            return answer(holding);
        }

        /** Answers those whose keys are held, and adds the others: what was added between the two is left over. */
        private boolean lookAndAdd(List<Integer> items) throws SQLException {
            List<Holding> holding = new ArrayList<>();
            Map<TaskId, Submitted> added = new HashMap<>();
            PostgresStatement both = begin(BOTH_AT_ONCE);
            bindAdding(bindLooking(both, items.stream().filter(this::hasKey).toList()), items)
                    .results(row -> {}, row -> holding.add(holding(row)), row -> readAdded(row, added));
            boolean unseen = noteAdded(items, added, true);
            return answer(holding) && unseen;
        }

        private PostgresStatement bindLooking(PostgresStatement statement, List<Integer> items) throws SQLException {
            List<TaskId> ids = new ArrayList<>(items.size());
            List<Integer> scopes = new ArrayList<>(items.size());
            List<String> keys = new ArrayList<>(items.size());
            for (int n : items) {
                Asked asked = batch.get(n);
                ids.add(asked.task().id());
                scopes.add(asked.scope());
                keys.add(asked.request().identity().key());
            }
            return statement
                    .withLong(database.clockMillis())
                    .ids(ids)
                    .ints(scopes)
                    .texts(keys)
                    .ints(items);
        }

        private PostgresStatement begin(String sql) throws SQLException {
            return session.sql(sql).with(database.settings().lockLimit().toMillis());
        }

        private static Holding holding(ResultSet row) throws SQLException {
            return new Holding(row.getInt(2), row.getLong(1), row.getBoolean(3), PostgresRecords.found(row, 4));
        }

        private boolean answer(List<Holding> holding) throws SQLException {
            for (Holding other : holding) {
                // A key that was held and is free a moment later has been taken: that is the newer answer.
                if (!answers.containsKey(other.n())) {
                    Submitted answer = answer(batch.get(other.n()), other);
                    if (answer == null) {
                        return false;
                    }
                    answers.put(other.n(), answer);
                }
            }
            return true;
        }

        private @Nullable Submitted answer(Asked asked, Holding other) throws SQLException {
            if (other.found().taskId().equals(asked.task().id())) {
                return other.found().created();
            }
            return other.accepted()
                    ? null
                    : PostgresSubmissions.unchanged(
                            new PostgresTransaction(database, session, other.now(), PostgresQueues.UNREAD),
                            asked,
                            other.found());
        }
    }
}
