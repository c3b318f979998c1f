package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.claim.DueTasks;
import dev.semel.postgresql.submit.DuplicateLookup;
import dev.semel.postgresql.submit.SingleRoundTripSubmit;
import dev.semel.postgresql.table.KeyRecords;
import dev.semel.postgresql.table.SharedLeases;
import dev.semel.postgresql.transaction.Database;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which way claims and look-ups take through large tables, and how much they read on it. */
@Timeout(240)
class PostgresPlansTest {

    // Tasks that have ended, with keys; and tasks that are pending.
    private static final int ENDED = 1_000_000;
    private static final int PENDING = 200_000;
    private static final int LIMIT = 100;

    private static final Pattern BLOCKS = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    @Test
    void aClaimAndALookUpOfKeysGoByTheirIndexesAndReadLittle() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))
                .close();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            fill(statement, ENDED, PENDING);
            statement.execute("VACUUM ANALYZE");
            assertThat(claim(connection))
                    .contains("Index Scan using ready_order on ready")
                    .doesNotContain("Seq Scan on ready");
            assertThat(probe(connection))
                    .contains("record_pkey")
                    .contains("task_pkey")
                    .contains("done_pkey")
                    .doesNotContain("Seq Scan on record")
                    .doesNotContain("Seq Scan on task")
                    .doesNotContain("Seq Scan on done");
            // As in the store's transactions: a plan that is kept goes by indexes also where a table is empty just now.
            statement.execute("SET plan_cache_mode = force_generic_plan");
            statement.execute("SET enable_seqscan = off");
            String claim = claim(connection);
            assertThat(claim)
                    .contains("Index Scan using running_order on running")
                    .doesNotContain("Seq Scan")
                    .doesNotContain("Sort");
            // Three lanes with a limit of one hundred each: a few blocks of the index, and at most one for each row.
            assertThat(blocks(claim)).isBetween(1, 3 * LIMIT * 4);
            String probe = probe(connection);
            assertThat(probe).doesNotContain("Seq Scan");
            // For each of two keys the way down three indexes, and three rows.
            assertThat(blocks(probe)).isBetween(1, 2 * 3 * 6);
        }
    }

    /** Statements that look things up, with the types of their parameters, and values that find nothing or two keys. */
    private enum Kept {
        CLAIM(
                DueTasks.FETCH,
                "bigint, int[], bigint[], bigint[], boolean, boolean, int, int, int",
                "0, '{1,2,3}', '{0,0,0}', '{0,0,0}', false, true, 1, 1, 1"),
        CLAIM_UNLESS_ASKED(
                DueTasks.FETCH,
                "bigint, int[], bigint[], bigint[], boolean, boolean, int, int, int",
                "0, '{1,2,3}', '{0,0,0}', '{0,0,0}', true, true, 1, 1, 1"),
        PROBE(KeyRecords.PROBE, "int[], text[]", "'{1,1}', '{key 1,key 500}'"),
        LOOK(
                second(DuplicateLookup.LOOK),
                "bigint, uuid[], int[], text[], int[]",
                "1, '{00000000-0000-4000-8000-000000000001,00000000-0000-4000-8000-000000000002}', '{1,1}',"
                        + " '{key 1,key 500}', '{0,1}'"),
        LEASES(SharedLeases.LOCK, "bigint[]", "'{1,2}'"),
        ADD(second(SingleRoundTripSubmit.ADD), ITEM_TYPES, ITEM_VALUES),
        ADD_WITHOUT_KEYS(second(SingleRoundTripSubmit.ADD_WITHOUT_KEYS), ITEM_TYPES, ITEM_VALUES);

        private final String sql;
        private final String types;
        private final String values;

        Kept(String sql, String types, String values) {
            String numbered = sql;
            for (int n = 1; numbered.contains("?"); n++) {
                numbered = numbered.replaceFirst("\\?", "\\$" + n);
            }
            this.sql = numbered;
            this.types = types;
            this.values = values;
        }
    }

    /** The statement behind the one that says how to plan. */
    private static String second(String sql) {
        return sql.substring(sql.indexOf(';') + 1);
    }

    private static final String ITEM_TYPES =
            "bigint, uuid[], bigint[], bigint[], bigint[], int[], int[], int[], bytea[], text[], text[], text[], text[],"
                    + " bigint[], int[], int[]";

    private static final String ITEM_VALUES =
            "1, '{00000000-0000-7000-8000-000000000001}', '{NULL}', '{1000}', '{NULL}', '{1}', '{1}', '{0}', '{\"\\\\x00\"}',"
                    + " '{key 1}', '{NULL}', '{NULL}', '{\"{}\"}', '{0}', '{0}', '{3}'";

    @Test
    void aPlanThatWasMadeForEmptyTablesReadsLittleOfFullOnes() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))
                .close();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : List.of("task", "record", "done", "ready", "running", "lease", "waiting")) {
                // An analysis by the server would have the plans made anew.
                statement.execute("ALTER TABLE semel." + table + " SET (autovacuum_enabled = false)");
                statement.execute("ANALYZE semel." + table);
            }
            connection.setAutoCommit(false);
            statement.execute(Database.BEGIN.replace("?", "1000"));
            for (Kept kept : Kept.values()) {
                statement.execute("PREPARE " + kept + " (" + kept.types + ") AS " + kept.sql);
                explained(statement, kept);
            }
            fill(statement, 20_000, 20_000);
            for (Kept kept : Kept.values()) {
                String plan = explained(statement, kept);
                // The tables have some 1,500 blocks.
                assertThat(blocks(plan)).as(plan).isBetween(0, 60);
            }
            assertThat(explained(statement, Kept.LEASES)).contains("Index Scan using lease_claim on lease");
        }
    }

    /** Runs it and takes back what it did. */
    private static String explained(Statement statement, Kept kept) throws SQLException {
        statement.execute("SAVEPOINT before");
        try (ResultSet row =
                statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS) EXECUTE " + kept + " (" + kept.values + ")")) {
            return lines(row);
        } finally {
            statement.execute("ROLLBACK TO before");
        }
    }

    /** Ids rise, as they do in life: so the indexes are as dense, and quickly made. */
    private static void fill(Statement statement, int tasks, int pending) throws SQLException {
        String id = "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
        String ended = " FROM generate_series(1, " + tasks + ") n";
        statement.execute(
                "INSERT INTO semel.task (id, seq, created_at, ttl, lane, run, scope, priority, input_hash, key,"
                        + " input) SELECT " + id + ", n, n, 1000, n % 5, 1, 1, 0, '\\x00', 'key ' || n, '{}'" + ended);
        statement.execute(
                "INSERT INTO semel.record (task, expires_at, scope, key) SELECT " + id + ", n, 1, 'key ' || n" + ended);
        statement.execute("INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, state, worker) SELECT "
                + id + ", n, n, n % 5, 1, 'completed', 'worker'" + ended);
        statement.execute("INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority,"
                + " suspect) SELECT gen_random_uuid(), n, n, n % 5, 0, 0, 0, 0, false FROM generate_series(1, "
                + pending + ") n");
        statement.execute("INSERT INTO semel.lease (lane, open, first_seq, last_seq, started_at, until, claim, worker,"
                + " ended, tasks) SELECT n % 5, 1, n, n, n, n, n, 'worker', '\\x00', ARRAY[" + id
                + "] FROM generate_series(1, " + pending / 4 + ") n");
    }

    private static String claim(Connection connection) throws SQLException {
        try (PreparedStatement fetch = connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + DueTasks.FETCH)) {
            Long[] beginning = {Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE};
            fetch.setLong(1, PENDING);
            fetch.setArray(2, connection.createArrayOf("int4", new Integer[] {1, 2, 3}));
            fetch.setArray(3, connection.createArrayOf("int8", beginning));
            fetch.setArray(4, connection.createArrayOf("int8", beginning));
            fetch.setBoolean(5, true);
            fetch.setBoolean(6, false);
            for (int i = 7; i <= 9; i++) {
                fetch.setInt(i, LIMIT);
            }
            return plan(fetch);
        }
    }

    private static String probe(Connection connection) throws SQLException {
        try (PreparedStatement probe = connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + KeyRecords.PROBE)) {
            probe.setArray(1, connection.createArrayOf("int4", new Integer[] {1, 1}));
            probe.setArray(2, connection.createArrayOf("text", new String[] {"key 1", "key 500000"}));
            return plan(probe);
        }
    }

    private static String plan(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return lines(row);
        }
    }

    private static String lines(ResultSet row) throws SQLException {
        StringBuilder plan = new StringBuilder();
        while (row.next()) {
            plan.append(row.getString(1)).append('\n');
        }
        return plan.toString();
    }

    /** How many blocks the whole statement has touched: the first line of the plan that says so. */
    private static int blocks(String plan) {
        Matcher matcher = BLOCKS.matcher(plan);
        assertThat(matcher.find()).as(plan).isTrue();
        return Integer.parseInt(matcher.group(1)) + (matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2)));
    }
}
