package dev.semel.postgresql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import javax.sql.DataSource;

/** Rows in every table of both stores that no operation of a test is about, and untrue statistics of these tables. */
final class PostgresBystanders {

    /** The server's statistics of a table. */
    enum Statistics {
        /** What an analysis leaves that meets a table of many pages while all its rows are gone. */
        EMPTY(0, 10_000),
        ONE_ROW(1, 10_000),
        BILLION(1_000_000_000, 10_000),
        NEVER_ANALYSED(-1, 0),
        /** Many rows that are alike in each of their columns but those that tell them apart. */
        ALIKE(100_000, 1_000),
        /** A different one of the others for each table. */
        MIXED(0, 0);

        private final long rows;
        private final int pages;

        Statistics(long rows, int pages) {
            this.rows = rows;
            this.pages = pages;
        }
    }

    private static final List<Statistics> UNIFORM = List.of(
            Statistics.EMPTY, Statistics.ONE_ROW, Statistics.BILLION, Statistics.NEVER_ANALYSED, Statistics.ALIKE);

    private static final List<String> FILL = List.of(
            "INSERT INTO semel.lane (queue, tenant, type) SELECT 'queue ' || n, 'default', 'type' FROM generate_series(1, 10000) n",
            "INSERT INTO semel.scope (tenant, kind, name) SELECT 'default', 'type', 'scope ' || n FROM generate_series(1, 10000) n",
            "INSERT INTO semel.mark (queue, mark) SELECT 'queue ' || n, 0 FROM generate_series(1, 10000) n",
            """
            INSERT INTO semel.task (id, seq, created_at, ttl, lane, run, scope, priority, input_hash, key, input)
            SELECT ID, nextval('semel.task_seq'), AGO, 1000, n % 100 + 1, 1, 1, 0, '\\x00', 'key ' || n, '{}' FROM ROWS""",
            """
            INSERT INTO semel.record (task, expires_at, scope, key)
            SELECT ID, CASE WHEN n % 5 = 0 THEN AGO ELSE AGO * 2 END, 1, 'key ' || n FROM ROWS""",
            """
            INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, state, worker)
            SELECT ID, CASE WHEN n % 5 = 0 THEN AGO ELSE AGO * 2 END, AGO, n % 100 + 1, 1,
              CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'completed' END, 'worker' FROM ROWS""",
            """
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect)
            SELECT OTHER, n, AGO, n % 100 + 1, n % 2, 0, 0, 0, false FROM ROWS""",
            """
            INSERT INTO semel.running (task, seq, order_at, started_at, claim, lane, attempt, failures, vanished, priority, asked,
              worker, mutex)
            SELECT OTHER, n, AGO * 2, AGO, n, n % 100 + 1, 1, 0, 0, 0, n % 1000 = 0, 'worker', 'mutex ' || n FROM ROWS""",
            """
            INSERT INTO semel.lease (lane, open, first_seq, last_seq, started_at, until, claim, worker, ended, tasks)
            SELECT n % 100 + 1, 1, n, n, AGO, AGO * 2, n, 'worker', '\\x00', ARRAY[OTHER] FROM ROWS""",
            """
            INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority, after, mutex)
            SELECT OTHER, n, AGO, n % 100 + 1, 0, 0, 0, 0, CASE WHEN n % 2 = 0 THEN OTHER END,
              CASE WHEN n % 2 = 1 THEN 'mutex ' || n END FROM ROWS""",
            """
            INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker, error)
            SELECT ID, 1, AGO, AGO, 'retried', 'worker', 'error' FROM ROWS""",
            "INSERT INTO semel.former (scope, key, task) SELECT 1, 'key ' || n, OTHER FROM ROWS",
            """
            INSERT INTO semel.effect (lineage, name, ordinal, task, attempt, known, intended_at)
            SELECT OTHER, 'charge', 0, OTHER, 1, CASE WHEN n % 2 = 0 THEN 'done' ELSE 'intended' END, AGO FROM ROWS""",
            """
            INSERT INTO semel.flow (task, lines, inbox, urgent, wake_after, waited, bytes)
            SELECT OTHER, 1, 1, 0, 0, 0, 0 FROM ROWS""",
            "INSERT INTO semel.history (task, number, at, kind, name) SELECT OTHER, 1, AGO, 'value', 'now' FROM ROWS",
            "INSERT INTO semel.inbox (task, number, at, name, key) SELECT OTHER, 1, AGO, 'go', 'key ' || n FROM ROWS",
            "INSERT INTO semel.watch (step, workflow, created) SELECT OTHER, ID, true FROM ROWS",
            "INSERT INTO semel.time_limit (task, at) SELECT OTHER, AGO * 2 FROM ROWS",
            "INSERT INTO semel.tag (tag, task, tenant) SELECT 'tag ' || n % 100, OTHER, 'default' FROM ROWS",
            "INSERT INTO semel.queue (name, layer, paused) SELECT 'queue ' || n, 'set', false FROM generate_series(1, 100) n",
            """
            INSERT INTO semel.guard (tenant, key, state, owner, began_at, changed_at, expires_at)
            SELECT 'default', 'key ' || n, 'success', ID, now(), now(), now() + ((n % 2 * 2 - 1) * 100) * interval '1 day'
            FROM ROWS""");

    private static final String ID = "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
    private static final String OTHER = "('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid";

    private static final String ALIKE = """
            UPDATE pg_catalog.pg_statistic SET stakind1 = 0, stakind2 = 0, stakind3 = 0, stakind4 = 0, stakind5 = 0,
              stadistinct = CASE WHEN staattnum IN (
                SELECT attnum FROM pg_catalog.pg_attribute
                WHERE attrelid = starelid AND (atttypid = 'uuid'::regtype OR attname IN ('seq', 'last_seq'))
                UNION
                SELECT indkey[indnkeyatts - 1] FROM pg_catalog.pg_index WHERE indrelid = starelid AND indisunique)
                THEN -1 ELSE 1 END
            WHERE starelid = 'TABLE'::regclass
            """;

    private static final String TABLES = "SELECT c.oid::regclass::text FROM pg_catalog.pg_class c"
            + " WHERE c.relkind = 'r' AND (c.relnamespace = 'semel'::regnamespace) ORDER BY 1";

    private PostgresBystanders() {}

    /** Makes the tables and fills them. */
    static void fill(DataSource database, int rows) throws SQLException {
        PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))
                .close();
        PostgresGuardStore.on(database);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = off");
            for (String table : tables(statement)) {
                statement.execute("ALTER TABLE " + table + " SET (autovacuum_enabled = false)");
            }
            for (String fill : FILL) {
                statement.execute(fill.replace("ID", ID)
                        .replace("OTHER", OTHER)
                        .replace("AGO", "(1700000000000 + n)")
                        .replace("ROWS", "generate_series(1, " + rows + ") n"));
            }
        }
    }

    /** Replaces the server's statistics of all tables and their indexes. */
    static void set(DataSource database, Statistics statistics) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            SplittableRandom random = new SplittableRandom(13);
            for (String table : tables(statement)) {
                Statistics of =
                        statistics == Statistics.MIXED ? UNIFORM.get(random.nextInt(UNIFORM.size())) : statistics;
                if (of == Statistics.ALIKE) {
                    statement.execute("ANALYZE " + table);
                    statement.execute(ALIKE.replace("TABLE", table));
                }
                statement.execute(String.format(
                        Locale.ROOT,
                        "UPDATE pg_catalog.pg_class SET reltuples = %d, relpages = %d WHERE oid = '%s'::regclass"
                                + " OR oid IN (SELECT indexrelid FROM pg_catalog.pg_index WHERE indrelid = '%s'::regclass)",
                        of.rows,
                        of.pages,
                        table,
                        table));
            }
        }
    }

    private static List<String> tables(Statement statement) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (ResultSet row = statement.executeQuery(TABLES)) {
            while (row.next()) {
                tables.add(row.getString(1));
            }
        }
        return tables;
    }
}
