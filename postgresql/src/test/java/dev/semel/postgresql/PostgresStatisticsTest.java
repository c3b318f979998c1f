package dev.semel.postgresql;

import dev.semel.postgresql.PostgresBystanders.Statistics;
import dev.semel.testservers.PostgresServer;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The cost of a statement follows its items, and not the server's statistics of the tables. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class PostgresStatisticsTest {

    private PostgresCosts costs;

    @BeforeAll
    void fill() throws SQLException {
        costs = new PostgresCosts(PostgresServer.freshDatabase());
    }

    @ParameterizedTest
    @EnumSource
    void everyStatementLooksUpWhatItIsAbout(Statistics statistics) throws Exception {
        // What grows faster than it should shows with small batches as well; large ones take their time.
        costs.areSmall(statistics, statistics == Statistics.EMPTY ? 10_000 : 2_000);
    }
}
