package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
            fill(statement);
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

    /** Ids rise, as they do in life: so the indexes are as dense, and quickly made. */
    private static void fill(Statement statement) throws SQLException {
        String id = "('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
        String ended = " FROM generate_series(1, " + ENDED + ") n";
        statement.execute(
                "INSERT INTO semel.task (id, seq, created_at, ttl, lane, run, scope, priority, input_hash, key,"
                        + " input) SELECT " + id + ", n, n, 1000, n % 5, 1, 1, 0, '\\x00', 'key ' || n, '{}'" + ended);
        statement.execute(
                "INSERT INTO semel.record (task, expires_at, scope, key) SELECT " + id + ", n, 1, 'key ' || n" + ended);
        statement.execute("INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, state, worker) SELECT "
                + id + ", n, n, n % 5, 1, 'completed', 'worker'" + ended);
        statement.execute("INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority,"
                + " suspect) SELECT gen_random_uuid(), n, n, n % 5, 0, 0, 0, 0, false FROM generate_series(1, "
                + PENDING + ") n");
        statement.execute("VACUUM ANALYZE");
    }

    private static String claim(Connection connection) throws SQLException {
        try (PreparedStatement fetch =
                connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + PostgresTurns.FETCH)) {
            fetch.setArray(1, connection.createArrayOf("int4", new Integer[] {1, 2, 3}));
            for (int i = 2; i <= 10; i++) {
                if (i == 4 || i == 7 || i == 10) {
                    fetch.setInt(i, LIMIT);
                } else {
                    fetch.setLong(i, PENDING);
                }
            }
            return plan(fetch);
        }
    }

    private static String probe(Connection connection) throws SQLException {
        try (PreparedStatement probe =
                connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + PostgresRecords.PROBE)) {
            probe.setArray(1, connection.createArrayOf("int4", new Integer[] {1, 1}));
            probe.setArray(2, connection.createArrayOf("text", new String[] {"key 1", "key 500000"}));
            return plan(probe);
        }
    }

    private static String plan(PreparedStatement statement) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                plan.append(row.getString(1)).append('\n');
            }
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
