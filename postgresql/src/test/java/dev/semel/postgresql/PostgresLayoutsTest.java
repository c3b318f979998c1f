package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.PostgresLayouts.Layout;
import dev.semel.postgresql.PostgresLayouts.Measured;
import dev.semel.testservers.PostgresCluster;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the layout costs in bytes of log, which do not depend on how busy the machine is. */
@Timeout(300)
class PostgresLayoutsTest {

    private static final int TASKS = 10_000;

    @Test
    void everyLayoutGivesAndEndsEachTaskOnce() throws SQLException {
        for (PostgresLayouts.Bare bare :
                List.of(PostgresLayouts.UPDATED, PostgresLayouts.MOVED, PostgresLayouts.APART)) {
            try (Layout layout = bare.on(PostgresServer.freshDatabase());
                    Connection watch = PostgresServer.freshDatabase().getConnection()) {
                // It throws if it were more or fewer.
                assertThat(PostgresLayouts.measure(layout, watch, 2 * PostgresLayouts.BATCH)
                                .drainLog())
                        .isPositive();
            }
        }
    }

    @Test
    void theWholeLifeOfATaskWithAKeyWritesLessThanAKilobyteOfLog() throws SQLException {
        // The log belongs to the server as a whole, so nothing else may write to it: no other test, vacuum or
        // checkpoint.
        try (PostgresCluster server =
                        PostgresCluster.newest("autovacuum=off", "checkpoint_timeout=1h", "max_wal_size=4GB");
                Layout layout = PostgresLayouts.store(server.database().getURL() + "?user=postgres", true);
                Connection watch = server.database().getConnection()) {
            PostgresLayouts.measure(layout, watch, TASKS); // the first tasks write the first pages of all tables
            Measured measured = PostgresLayouts.measure(layout, watch, TASKS);
            assertThat(measured.submitLog() + measured.drainLog()).isLessThan(1_000);
        }
    }
}
