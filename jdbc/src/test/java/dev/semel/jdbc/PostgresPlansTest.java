package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which way claims and look-ups take through large tables. */
@Timeout(120)
class PostgresPlansTest {

    private static final int ROWS = 200_000;

    @Test
    void aClaimAndALookUpOfKeysGoByTheirIndexes() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))
                .close();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO semel.ready SELECT gen_random_uuid(), n, n, n % 5, 0, 0, 0, 0, false, NULL"
                    + " FROM generate_series(1, " + ROWS + ") n");
            statement.execute(
                    "INSERT INTO semel.record (scope, key, task, lane, created_at, expires_at, run, input_hash)"
                            + " SELECT 1, 'key ' || n, gen_random_uuid(), 1, 0, 0, 1, '\\x00' FROM generate_series(1, "
                            + ROWS
                            + ") n");
            statement.execute(
                    "INSERT INTO semel.done SELECT task, 0, 0, 1, 1, 0, 0, false, false, 'completed', 'completed',"
                            + " 'w' FROM semel.record");
            statement.execute("ANALYZE semel.ready, semel.record, semel.done, semel.running, semel.waiting");
            assertThat(claim(connection))
                    .contains("Index Scan using ready_order on ready")
                    .doesNotContain("Seq Scan on ready");
            assertThat(probe(connection))
                    .contains("record_pkey")
                    .contains("done_pkey")
                    .doesNotContain("Seq Scan on record")
                    .doesNotContain("Seq Scan on done");
            // As in the store's transactions: a plan that is kept goes by indexes also where a table is empty just now.
            statement.execute("SET plan_cache_mode = force_generic_plan");
            statement.execute("SET enable_seqscan = off");
            assertThat(claim(connection))
                    .contains("Index Scan using running_order on running")
                    .doesNotContain("Seq Scan")
                    .doesNotContain("Sort");
            assertThat(probe(connection)).doesNotContain("Seq Scan");
        }
    }

    private static String claim(Connection connection) throws SQLException {
        try (PreparedStatement fetch = connection.prepareStatement("EXPLAIN " + PostgresTurns.FETCH)) {
            fetch.setArray(1, connection.createArrayOf("int4", new Integer[] {1, 2, 3}));
            for (int i = 2; i <= 10; i++) {
                if (i == 4 || i == 7 || i == 10) {
                    fetch.setInt(i, 100);
                } else {
                    fetch.setLong(i, ROWS);
                }
            }
            return plan(fetch);
        }
    }

    private static String probe(Connection connection) throws SQLException {
        try (PreparedStatement probe = connection.prepareStatement("EXPLAIN " + PostgresRecords.PROBE)) {
            probe.setArray(1, connection.createArrayOf("int4", new Integer[] {1, 1}));
            probe.setArray(2, connection.createArrayOf("text", new String[] {"key 1", "key 2"}));
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
}
