package dev.semel.benchmarks;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * Hand-written PostgreSQL: a connection for each thread, arrays with {@code unnest}, one auto-committed statement for
 * each claim, each batch of completions and each small batch of submissions. Large batches of submissions are appended
 * with {@code COPY}, which with keys takes three quarters of the server's time, and writes a third less to the log.
 *
 * <p>The layout is the best known one that keeps leases and history: a task is one row that is never changed; a narrow
 * row marks it as due, and the claim deletes that row; all tasks of a claim share one row with their lease; outcomes
 * are appended. With keys, one more row has the unique key and the hash of the input. It leaves out what Semel offers
 * in addition: tenants, priorities, fairness between queues, retries, the times and the worker of an attempt, leases
 * that end one by one, mutexes, limits, windows and lineages.
 *
 * <p>A claim locks nothing before it deletes. That is correct for any number of claimers, but concurrent claimers slow
 * each other down, so there is one in a process, as in Semel.
 */
public final class RawPostgres implements RawStore {

    private static final String TABLES = """
            CREATE SCHEMA IF NOT EXISTS raw;
            CREATE TABLE IF NOT EXISTS raw.task (
              id uuid PRIMARY KEY, due_at bigint NOT NULL, queue integer NOT NULL, input text NOT NULL);
            CREATE TABLE IF NOT EXISTS raw.ready (
              task uuid NOT NULL, due_at bigint NOT NULL, queue integer NOT NULL, attempt integer NOT NULL,
              PRIMARY KEY (queue, due_at, task))
              WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
            CREATE TABLE IF NOT EXISTS raw.lease (
              claim bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, until bigint NOT NULL, tasks uuid[] NOT NULL,
              attempts integer[] NOT NULL);
            ALTER TABLE raw.lease ALTER tasks SET STORAGE EXTERNAL, ALTER attempts SET STORAGE EXTERNAL;
            CREATE TABLE IF NOT EXISTS raw.done (
              task uuid PRIMARY KEY, finished_at bigint NOT NULL, attempt integer NOT NULL, state smallint NOT NULL,
              result text);
            CREATE TABLE IF NOT EXISTS raw.record (
              key text COLLATE "C" PRIMARY KEY, task uuid NOT NULL, input_hash bytea NOT NULL)
            """;

    private static final String INSERT = """
            WITH made AS (
              INSERT INTO raw.task (id, due_at, queue, input)
              SELECT id, ?, 1, input FROM unnest(?, ?) AS s (id, input)
              ON CONFLICT DO NOTHING RETURNING id, due_at)
            INSERT INTO raw.ready (task, due_at, queue, attempt) SELECT id, due_at, 1, 0 FROM made
            """;

    // Sorted by key: two batches that insert in different orders could deadlock, and neighbours share a page.
    private static final String INSERT_WITH_KEY = """
            WITH sent AS MATERIALIZED (
              SELECT id, key, hash, input FROM unnest(?, ?, ?, ?) AS s (id, key, hash, input)),
            recorded AS (
              INSERT INTO raw.record (key, task, input_hash) SELECT key, id, hash FROM sent ORDER BY key COLLATE "C"
              ON CONFLICT DO NOTHING RETURNING task),
            made AS (
              INSERT INTO raw.task (id, due_at, queue, input)
              SELECT id, ?, 1, input FROM sent JOIN recorded ON recorded.task = sent.id
              ON CONFLICT DO NOTHING RETURNING id, due_at)
            INSERT INTO raw.ready (task, due_at, queue, attempt) SELECT id, due_at, 1, 0 FROM made
            """;

    private static final String COPY_TASKS = "COPY raw.task (id, due_at, queue, input) FROM STDIN (FORMAT binary)";

    private static final String COPY_READY = "COPY raw.ready (task, due_at, queue, attempt) FROM STDIN (FORMAT binary)";

    private static final String COPY_RECORDS = "COPY raw.record (key, task, input_hash) FROM STDIN (FORMAT binary)";

    // Each COPY costs two more round trips, which pay off from about a hundred rows on.
    private static final int WORTH_A_COPY = 200;

    private static final String UNIQUE_VIOLATION = "23505";

    private static final String FIND = "SELECT key, task, input_hash FROM raw.record WHERE key = ANY (?)";

    private static final String CLAIM = """
            WITH taken AS (
              DELETE FROM raw.ready WHERE ctid = ANY (ARRAY (
                SELECT ctid FROM raw.ready WHERE queue = 1 AND due_at <= ? ORDER BY queue, due_at, task LIMIT ?))
              RETURNING task, attempt + 1 AS attempt),
            leased AS (
              INSERT INTO raw.lease (until, tasks, attempts)
              SELECT ?, array_agg(task), array_agg(attempt) FROM taken HAVING count(*) > 0 RETURNING claim)
            SELECT leased.claim, task.id, taken.attempt, task.input
            FROM leased, taken JOIN raw.task ON task.id = taken.task
            """;

    // The lease of the claim is the fence: only the statement that deletes it may record the outcome.
    private static final String COMPLETE = """
            WITH mine AS (DELETE FROM raw.lease WHERE claim = ? RETURNING claim)
            INSERT INTO raw.done (task, finished_at, attempt, state, result)
            SELECT s.task, ?, s.attempt, 2, s.result FROM mine, unnest(?, ?, ?) AS s (task, attempt, result)
            """;

    private static final long LEASE_MILLIS = 30_000;

    private final DataSource source;
    private final String schema;
    private final Connection connection;
    private final String copyTasksText;
    private final String copyReadyText;
    private final String copyRecordsText;
    private final String insertText;
    private final String insertWithKeyText;
    private final String findText;
    private final String claimText;
    private final String completeText;
    private boolean expectsDuplicates;

    /**
     * Opens a connection, and creates the tables if they do not exist.
     *
     * @param source the source of connections; not a pool, because the connections are kept
     * @param schema the schema of the tables: a plain lower-case name
     */
    public RawPostgres(DataSource source, String schema) {
        this(source, schema, true);
    }

    private RawPostgres(DataSource source, String schema, boolean make) {
        this.source = source;
        this.schema = schema;
        this.copyTasksText = inSchema(COPY_TASKS, schema);
        this.copyReadyText = inSchema(COPY_READY, schema);
        this.copyRecordsText = inSchema(COPY_RECORDS, schema);
        this.insertText = inSchema(INSERT, schema);
        this.insertWithKeyText = inSchema(INSERT_WITH_KEY, schema);
        this.findText = inSchema(FIND, schema);
        this.claimText = inSchema(CLAIM, schema);
        this.completeText = inSchema(COMPLETE, schema);
        Connection opened = null;
        try {
            opened = source.getConnection();
            opened.unwrap(PGConnection.class).setPrepareThreshold(1);
            try (Statement statement = opened.createStatement()) {
                // As durable as Semel, whatever the database's setting; and plans for empty tables are kept.
                statement.execute("SET synchronous_commit = on; SET enable_seqscan = off; SET enable_mergejoin = off;"
                        + " SET jit = off");
                if (make) {
                    statement.execute("SET client_min_messages = warning; " + inSchema(TABLES, schema));
                }
            }
            this.connection = opened;
        } catch (SQLException e) {
            PostgresUnderTest.closeQuietly(opened);
            throw PostgresUnderTest.failed(e);
        }
    }

    private static String inSchema(String text, String schema) {
        return text.replace("raw.", schema + ".").replace("EXISTS raw;", "EXISTS " + schema + ";");
    }

    @Override
    public int insert(List<Row> rows, boolean mostlyDuplicates) {
        try {
            boolean keyed = rows.getFirst().key() != null;
            List<Row> missing = keyed && (mostlyDuplicates || expectsDuplicates) ? missing(rows) : rows;
            if (missing.size() >= WORTH_A_COPY && copied(missing, keyed)) {
                return missing.size();
            }
            if (!keyed) {
                return insertPlain(missing);
            }
            int added = missing.isEmpty() ? 0 : insertWithKey(missing);
            // A row that was not inserted exists: a lookup after the insert also sees rows that the insert waited for.
            if (added < missing.size() && !missing(missing).isEmpty()) {
                throw new IllegalStateException("A row was neither inserted nor found");
            }
            return added;
        } catch (SQLException e) {
            throw PostgresUnderTest.failed(e);
        }
    }

    /** Appends rows. Returns false if one of them exists, in which case nothing is inserted. */
    private boolean copied(List<Row> rows, boolean keyed) throws SQLException {
        long now = System.currentTimeMillis();
        RawCopy records = new RawCopy(3);
        RawCopy tasks = new RawCopy(4);
        RawCopy ready = new RawCopy(4);
        for (Row row : rows) {
            tasks.row().with(row.id()).with(now).with(1).with(row.input().getBytes(StandardCharsets.UTF_8));
            ready.row().with(row.id()).with(now).with(1).with(0);
        }
        if (keyed) {
            // Sorted by key, as above.
            for (Row row : rows.stream().sorted(Comparator.comparing(Row::key)).toList()) {
                String key = Objects.requireNonNull(row.key());
                byte[] hash = Objects.requireNonNull(row.inputHash());
                records.row()
                        .with(key.getBytes(StandardCharsets.UTF_8))
                        .with(row.id())
                        .with(hash);
            }
        }
        connection.setAutoCommit(false);
        try {
            if (keyed) {
                records.send(connection, copyRecordsText);
            }
            tasks.send(connection, copyTasksText);
            ready.send(connection, copyReadyText);
            connection.commit();
            return true;
        } catch (SQLException e) {
            connection.rollback();
            if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
            expectsDuplicates = true; // from now on it looks up rows first
            return false;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private int insertPlain(List<Row> rows) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(insertText)) {
            insert.setLong(1, System.currentTimeMillis());
            insert.setArray(2, connection.createArrayOf("uuid", ids(rows)));
            insert.setArray(3, connection.createArrayOf("text", inputs(rows)));
            return insert.executeUpdate();
        }
    }

    private int insertWithKey(List<Row> rows) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(insertWithKeyText)) {
            insert.setArray(1, connection.createArrayOf("uuid", ids(rows)));
            insert.setArray(2, connection.createArrayOf("text", keys(rows)));
            insert.setArray(
                    3,
                    connection.createArrayOf(
                            "bytea", rows.stream().map(Row::inputHash).toArray(byte[][]::new)));
            insert.setArray(4, connection.createArrayOf("text", inputs(rows)));
            insert.setLong(5, System.currentTimeMillis());
            return insert.executeUpdate();
        }
    }

    /** Returns the rows whose key does not exist. */
    private List<Row> missing(List<Row> rows) throws SQLException {
        Map<String, byte[]> there = new HashMap<>();
        try (PreparedStatement find = connection.prepareStatement(findText)) {
            find.setArray(1, connection.createArrayOf("text", keys(rows)));
            try (ResultSet row = find.executeQuery()) {
                while (row.next()) {
                    if (row.getObject(2, UUID.class) != null) {
                        there.put(row.getString(1), row.getBytes(3));
                    }
                }
            }
        }
        return rows.stream().filter(row -> !there.containsKey(row.key())).toList();
    }

    private static UUID[] ids(List<Row> rows) {
        UUID[] ids = new UUID[rows.size()];
        for (int i = 0; i < ids.length; i++) {
            ByteBuffer id = ByteBuffer.wrap(rows.get(i).id());
            ids[i] = new UUID(id.getLong(), id.getLong());
        }
        return ids;
    }

    private static String[] keys(List<Row> rows) {
        return rows.stream().map(Row::key).toArray(String[]::new);
    }

    private static String[] inputs(List<Row> rows) {
        return rows.stream().map(Row::input).toArray(String[]::new);
    }

    @Override
    public Claim claim(int limit) {
        try (PreparedStatement claim = connection.prepareStatement(claimText)) {
            long now = System.currentTimeMillis();
            claim.setLong(1, now);
            claim.setInt(2, limit);
            claim.setLong(3, now + LEASE_MILLIS);
            List<Taken> taken = new ArrayList<>(limit);
            long lease = 0;
            try (ResultSet row = claim.executeQuery()) {
                while (row.next()) {
                    lease = row.getLong(1);
                    taken.add(new Taken(row.getObject(2, UUID.class), row.getInt(3), row.getString(4)));
                }
            }
            return new Claim(lease, taken);
        } catch (SQLException e) {
            throw PostgresUnderTest.failed(e);
        }
    }

    @Override
    public void complete(Claim claim) {
        List<Taken> tasks = claim.tasks();
        try (PreparedStatement complete = connection.prepareStatement(completeText)) {
            complete.setLong(1, claim.lease());
            complete.setLong(2, System.currentTimeMillis());
            complete.setArray(
                    3,
                    connection.createArrayOf(
                            "uuid", tasks.stream().map(Taken::task).toArray(UUID[]::new)));
            complete.setArray(
                    4,
                    connection.createArrayOf(
                            "int4", tasks.stream().map(Taken::attempt).toArray(Integer[]::new)));
            complete.setArray(5, connection.createArrayOf("text", new String[tasks.size()]));
            if (complete.executeUpdate() != tasks.size()) {
                throw new IllegalStateException("A completion was refused");
            }
        } catch (SQLException e) {
            throw PostgresUnderTest.failed(e);
        }
    }

    @Override
    public RawStore beside() {
        return new RawPostgres(source, schema, false);
    }

    @Override
    public boolean isConcurrent() {
        return true;
    }

    @Override
    public long logged() {
        try {
            return PostgresUnderTest.logged(connection);
        } catch (SQLException e) {
            throw PostgresUnderTest.failed(e);
        }
    }

    @Override
    public Map<String, String> facts() {
        try {
            return PostgresUnderTest.settings(connection, List.of("synchronous_commit"));
        } catch (SQLException e) {
            throw PostgresUnderTest.failed(e);
        }
    }

    @Override
    public void close() {
        PostgresUnderTest.closeQuietly(connection);
    }
}
