package dev.semel.postgresql;

import dev.semel.store.ClaimRequest;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.storetests.Tasks;
import dev.semel.task.TaskId;
import dev.semel.testservers.PostgresServer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * What the shape of the storage costs: the same tasks through layouts of bare tables, and through the store, on one durable
 * server, over JDBC, from one thread. Every layout orders tasks by lane, time and number, keeps a lease for what runs, and
 * keeps a history that can be looked up by the task. The bare ones have nothing else: no keys, no fences, no retries.
 */
final class PostgresLayouts {

    static final int BATCH = 500;

    private static final String INPUT = "{\"order\":\"" + "x".repeat(88) + "\"}";

    /** A way to keep tasks. */
    interface Layout extends AutoCloseable {

        void submit(List<TaskId> ids) throws SQLException;

        /** Takes up to a batch of tasks, and completes them; tells how many. */
        int drainOne() throws SQLException;

        @Override
        default void close() {}
    }

    private static final String SUBMIT_ONE = """
            INSERT INTO task (id, lane, order_at, seq, state, attempt, input)
            SELECT id, 1, 1, nextval('seq'), 0, 0, ? FROM unnest(?::uuid[]) AS id
            """;

    /** One row for each task, updated by the claim and by the completion. */
    static final Bare UPDATED = new Bare("""
            CREATE TABLE task (id uuid PRIMARY KEY, seq bigint NOT NULL, order_at bigint NOT NULL, until bigint, claim bigint,
              started_at bigint, finished_at bigint, lane integer NOT NULL, attempt integer NOT NULL, worker integer,
              state smallint NOT NULL, input text NOT NULL);
            CREATE INDEX task_order ON task (lane, order_at, seq) WHERE state = 0;
            CREATE INDEX task_until ON task (lane, until) WHERE state = 1;
            """, SUBMIT_ONE, """
            WITH first AS MATERIALIZED (
              SELECT id FROM task WHERE state = 0 AND lane = 1 AND order_at <= 2 ORDER BY order_at, seq LIMIT ?
              FOR UPDATE SKIP LOCKED)
            UPDATE task SET state = 1, attempt = attempt + 1, until = 30000, started_at = 2, claim = ?, worker = 1
            WHERE id IN (SELECT id FROM first) RETURNING id, input
            """, """
            UPDATE task SET state = 2, finished_at = 3 FROM (SELECT ?::bigint) AS c (claim)
            WHERE id = ANY (?) AND state = 1 AND task.claim = c.claim
            """);

    /** The whole row moves from table to table. */
    static final Bare MOVED = new Bare("""
            CREATE TABLE task (id uuid PRIMARY KEY, seq bigint NOT NULL, order_at bigint NOT NULL, lane integer NOT NULL,
              attempt integer NOT NULL, state smallint NOT NULL, input text NOT NULL);
            CREATE INDEX task_order ON task (lane, order_at, seq);
            CREATE TABLE leased (id uuid PRIMARY KEY, seq bigint NOT NULL, until bigint NOT NULL, claim bigint NOT NULL,
              started_at bigint NOT NULL, lane integer NOT NULL, attempt integer NOT NULL, worker integer NOT NULL,
              input text NOT NULL);
            CREATE INDEX leased_until ON leased (lane, until);
            CREATE TABLE done (id uuid PRIMARY KEY, seq bigint NOT NULL, started_at bigint NOT NULL,
              finished_at bigint NOT NULL, lane integer NOT NULL, attempt integer NOT NULL, worker integer NOT NULL,
              input text NOT NULL);
            """, SUBMIT_ONE, """
            WITH first AS MATERIALIZED (
              SELECT id FROM task WHERE lane = 1 AND order_at <= 2 ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED
            ), taken AS (
              DELETE FROM task WHERE id IN (SELECT id FROM first) RETURNING id, seq, lane, attempt + 1 AS attempt, input
            )
            INSERT INTO leased (id, seq, until, claim, started_at, lane, attempt, worker, input)
            SELECT id, seq, 30000, ?, 2, lane, attempt, 1, input FROM taken RETURNING id, input
            """, """
            WITH ended AS (
              DELETE FROM leased USING (SELECT ?::bigint) AS c (claim) WHERE id = ANY (?) AND leased.claim = c.claim
              RETURNING id, seq, started_at, lane, attempt, worker, input
            )
            INSERT INTO done (id, seq, started_at, finished_at, lane, attempt, worker, input)
            SELECT id, seq, started_at, 3, lane, attempt, worker, input FROM ended
            """);

    /** What is large is written once; one lease for each claim; ends are appended. */
    static final Bare APART = new Bare("""
            CREATE TABLE task (id uuid PRIMARY KEY, seq bigint NOT NULL, order_at bigint NOT NULL, lane integer NOT NULL,
              attempt integer NOT NULL, state smallint NOT NULL, input text NOT NULL);
            CREATE TABLE ready (task uuid NOT NULL, seq bigint NOT NULL, order_at bigint NOT NULL, lane integer NOT NULL);
            CREATE INDEX ready_order ON ready (lane, order_at, seq);
            CREATE TABLE lease (claim bigint PRIMARY KEY, until bigint NOT NULL, started_at bigint NOT NULL,
              worker integer NOT NULL, tasks uuid[] NOT NULL);
            CREATE TABLE done (task uuid PRIMARY KEY, started_at bigint NOT NULL, finished_at bigint NOT NULL,
              attempt integer NOT NULL, worker integer NOT NULL);
            """, "WITH made AS (" + SUBMIT_ONE + """
             RETURNING id, seq, order_at, lane)
            INSERT INTO ready (task, seq, order_at, lane) SELECT id, seq, order_at, lane FROM made
            """, """
            WITH first AS MATERIALIZED (
              SELECT ctid FROM ready WHERE lane = 1 AND order_at <= 2 ORDER BY order_at, seq LIMIT ? FOR UPDATE SKIP LOCKED
            ), taken AS (
              DELETE FROM ready WHERE ctid = ANY (ARRAY(SELECT ctid FROM first)) RETURNING task
            ), leased AS (
              INSERT INTO lease (claim, until, started_at, worker, tasks)
              SELECT ?, 30000, 2, 1, array_agg(task) FROM taken HAVING count(*) > 0
            )
            SELECT task.id, task.input FROM taken JOIN task ON task.id = taken.task
            """, """
            WITH ended AS (
              DELETE FROM lease WHERE claim = ? RETURNING started_at, worker
            )
            INSERT INTO done (task, started_at, finished_at, attempt, worker)
            SELECT id, started_at, 3, 1, worker FROM ended, unnest(?::uuid[]) AS id
            """);

    private PostgresLayouts() {}

    /** A layout that is nothing but tables and three statements. */
    record Bare(String tables, String submit, String claim, String complete) {

        Layout on(DataSource database) throws SQLException {
            Connection connection = database.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE SEQUENCE seq");
                statement.execute(tables);
                // As the store does it: plans that are made for empty tables go by their indexes too.
                statement.execute("SET enable_seqscan = off");
                statement.execute("SET jit = off");
            }
            AtomicLong claims = new AtomicLong();
            return new Layout() {
                @Override
                public void submit(List<TaskId> ids) throws SQLException {
                    try (PreparedStatement insert = connection.prepareStatement(submit)) {
                        insert.setString(1, INPUT);
                        insert.setArray(2, array(ids.stream().map(TaskId::value).toArray(UUID[]::new)));
                        check(insert.executeUpdate(), ids.size());
                    }
                }

                @Override
                public int drainOne() throws SQLException {
                    long number = claims.incrementAndGet();
                    List<UUID> taken = new ArrayList<>();
                    try (PreparedStatement take = connection.prepareStatement(claim)) {
                        take.setInt(1, BATCH);
                        take.setLong(2, number);
                        try (ResultSet row = take.executeQuery()) {
                            while (row.next()) {
                                taken.add(row.getObject(1, UUID.class));
                                check(row.getString(2).length(), INPUT.length());
                            }
                        }
                    }
                    try (PreparedStatement end = connection.prepareStatement(complete)) {
                        end.setLong(1, number);
                        end.setArray(2, array(taken.toArray(UUID[]::new)));
                        check(end.executeUpdate(), taken.size());
                    }
                    return taken.size();
                }

                private Array array(UUID[] ids) throws SQLException {
                    return connection.createArrayOf("uuid", ids);
                }

                @Override
                public void close() {
                    try {
                        connection.close();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
        }
    }

    private static void check(int rows, int wanted) {
        if (rows != wanted) {
            throw new IllegalStateException("Expected " + wanted + ", but got " + rows);
        }
    }

    /** The store itself. */
    static Layout store(String url, boolean keyed) {
        PostgresTaskStore store =
                PostgresTaskStore.open(url, PostgresSettings.standard().withHints(false));
        AtomicLong claims = new AtomicLong();
        AtomicLong keys = new AtomicLong(100_000_000);
        return new Layout() {
            @Override
            public void submit(List<TaskId> ids) {
                List<NewTask> batch = new ArrayList<>();
                ids.forEach(id -> batch.add(Tasks.as(id, INPUT, keyed ? "order-" + keys.incrementAndGet() : null)));
                store.submit(batch);
            }

            @Override
            public int drainOne() {
                List<Settlement> ends = new ArrayList<>();
                store.claim(new ClaimRequest(
                                claims.incrementAndGet(),
                                false,
                                Set.of(Tasks.QUEUE),
                                null,
                                BATCH,
                                3,
                                Duration.ofSeconds(30),
                                "4711-worker"))
                        .tasks()
                        .forEach(task -> ends.add(new Settlement.Complete(task.lease(), null)));
                store.settle(ends);
                return ends.size();
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    /** What one layout did with its tasks: per second, and bytes of log for each. */
    record Measured(double submitted, double submitLog, double drained, double drainLog) {

        @Override
        public String toString() {
            return "submit %,8.0f/s %5.0f B   claim and complete %,8.0f/s %5.0f B"
                    .formatted(submitted, submitLog, drained, drainLog);
        }
    }

    static Measured measure(Layout layout, Connection watch, int tasks) throws SQLException {
        List<List<TaskId>> batches = new ArrayList<>();
        for (int i = 0; i < tasks; i += 2 * BATCH) {
            List<TaskId> batch = new ArrayList<>();
            for (int j = 0; j < 2 * BATCH; j++) {
                batch.add(Tasks.id());
            }
            batches.add(batch);
        }
        long log = log(watch);
        long begin = System.nanoTime();
        for (List<TaskId> batch : batches) {
            layout.submit(batch);
        }
        double submit = (System.nanoTime() - begin) / 1e9;
        long submitted = log(watch);
        begin = System.nanoTime();
        int drained = 0;
        for (int some = layout.drainOne(); some > 0; some = layout.drainOne()) {
            drained += some;
        }
        double drain = (System.nanoTime() - begin) / 1e9;
        check(drained, tasks);
        return new Measured(
                tasks / submit,
                (double) (submitted - log) / tasks,
                tasks / drain,
                (double) (log(watch) - submitted) / tasks);
    }

    private static long log(Connection watch) throws SQLException {
        try (Statement statement = watch.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Measures all in turns, so that what else the machine does meets all alike, and prints medians. */
    public static void main(String[] arguments) throws SQLException {
        int tasks = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 50_000;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        Map<String, Layout> layouts = new LinkedHashMap<>();
        layouts.put("A: one row, updated", UPDATED.on(PostgresServer.freshDatabase()));
        layouts.put("C: moved", MOVED.on(PostgresServer.freshDatabase()));
        layouts.put("E: apart", APART.on(PostgresServer.freshDatabase()));
        layouts.put("store", store(PostgresServer.freshDatabase().getURL() + "?user=postgres", false));
        layouts.put("store, with keys", store(PostgresServer.freshDatabase().getURL() + "?user=postgres", true));
        try (Connection watch = PostgresServer.freshDatabase().getConnection()) {
            Map<String, List<Measured>> all = new LinkedHashMap<>();
            for (int round = 0; round <= rounds; round++) {
                for (Map.Entry<String, Layout> layout : layouts.entrySet()) {
                    Measured measured = measure(layout.getValue(), watch, tasks);
                    if (round > 0) {
                        all.computeIfAbsent(layout.getKey(), name -> new ArrayList<>())
                                .add(measured);
                    }
                }
            }
            all.forEach((name, measured) -> System.out.printf("%-20s %s%n", name, median(measured)));
        }
        layouts.values().forEach(Layout::close);
    }

    private static Measured median(List<Measured> all) {
        return new Measured(
                median(all.stream().mapToDouble(Measured::submitted).toArray()),
                median(all.stream().mapToDouble(Measured::submitLog).toArray()),
                median(all.stream().mapToDouble(Measured::drained).toArray()),
                median(all.stream().mapToDouble(Measured::drainLog).toArray()));
    }

    private static double median(double[] values) {
        Double[] sorted = Arrays.stream(values).boxed().toArray(Double[]::new);
        Arrays.sort(sorted, Comparator.naturalOrder());
        return sorted[sorted.length / 2];
    }
}
