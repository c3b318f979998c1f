package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.PostgresLayouts.Layout;
import dev.semel.postgresql.PostgresLayouts.Measured;
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
            try (Layout layout = bare.on(PostgresServer.freshDatabase())) {
                // It throws if it were more or fewer.
                assertThat(measured(layout, 2 * PostgresLayouts.BATCH).drainLog())
                        .isPositive();
            }
        }
    }

    @Test
    void theWholeLifeOfATaskWithAKeyWritesLessThanAKilobyteOfLog() throws SQLException {
        try (Layout layout =
                PostgresLayouts.store(PostgresServer.freshDatabase().getURL() + "?user=postgres", true)) {
            Measured first = measured(layout, TASKS);
            Measured second = measured(layout, TASKS);
            // The first tasks write the first pages of all tables, and a checkpoint may fall into one of the two.
            assertThat(Math.min(first.submitLog() + first.drainLog(), second.submitLog() + second.drainLog()))
                    .isLessThan(1_000);
        }
    }

    private static Measured measured(Layout layout, int tasks) throws SQLException {
        try (Connection watch = PostgresServer.freshDatabase().getConnection()) {
            return PostgresLayouts.measure(layout, watch, tasks);
        }
    }
}
