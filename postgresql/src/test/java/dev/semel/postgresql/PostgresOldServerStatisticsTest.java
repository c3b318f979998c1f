package dev.semel.postgresql;

import dev.semel.postgresql.PostgresBystanders.Statistics;
import dev.semel.testservers.PostgresCluster;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link PostgresStatisticsTest} on an old server, with the statistics that were met in life and a mixture. */
@EnabledIf("isThere")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class PostgresOldServerStatisticsTest {

    private PostgresCluster server;
    private PostgresCosts costs;

    static boolean isThere() {
        return OldPostgres.isThere();
    }

    @BeforeAll
    void fill() throws SQLException {
        server = OldPostgres.start();
        costs = new PostgresCosts(server.database());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"EMPTY", "MIXED"})
    void everyStatementLooksUpWhatItIsAbout(Statistics statistics) throws Exception {
        costs.areSmall(statistics, 2_000);
    }
}
