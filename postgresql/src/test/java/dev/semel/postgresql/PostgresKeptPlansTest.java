package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.submit.DuplicateLookup;
import dev.semel.postgresql.submit.SingleRoundTripSubmit;
import dev.semel.postgresql.transaction.Database;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * The statements that come before the settings of a transaction: the server decides by itself whether it keeps their plans, and
 * planning them costs more than running them.
 */
class PostgresKeptPlansTest {

    private static final int EXECUTIONS = 20;

    // As many as the server always makes before it compares.
    private static final int FIRST_PLANS = 5;

    @Test
    void theFirstStatementsOfTransactionsAreNotPlannedEachTime() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))
                .close();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(plans(statement, Database.BEGIN)).isEqualTo(FIRST_PLANS);
            assertThat(plans(statement, SingleRoundTripSubmit.ADD)).isEqualTo(FIRST_PLANS);
            assertThat(plans(statement, SingleRoundTripSubmit.ADD_WITHOUT_KEYS)).isEqualTo(FIRST_PLANS);
            assertThat(plans(statement, DuplicateLookup.LOOK)).isEqualTo(FIRST_PLANS);
        }
    }

    /** How many plans the server makes for the executions of the first of some statements. */
    private static int plans(Statement statement, String sql) throws SQLException {
        String first = sql.split(";", 2)[0].replace("?", "$1");
        statement.execute("PREPARE first (bigint) AS " + first);
        for (int i = 0; i < EXECUTIONS; i++) {
            statement.execute("EXECUTE first (250)");
        }
        try (ResultSet row =
                statement.executeQuery("SELECT custom_plans FROM pg_prepared_statements WHERE name = 'first'")) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        } finally {
            statement.execute("DEALLOCATE first");
        }
    }
}
