package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.store.NewTask;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Time limits that pass while other transactions are at work: they hold up no claim, and no limit is lost. */
@Timeout(120)
class PostgresTimeLimitsTest {

    private static final Duration START_BY = Duration.ofMinutes(1);

    private final PGSimpleDataSource database = PostgresServer.freshDatabase();
    private final ManualClock clock = new ManualClock();
    private PostgresTaskStore store;
    private Connection connection;
    private Statement other;

    @BeforeEach
    void open() throws SQLException {
        store = PostgresTaskStore.open(
                database,
                PostgresSettings.standard()
                        .withHints(false)
                        .withClock(clock)
                        .withLockLimit(Duration.ofSeconds(30)));
        connection = database.getConnection();
        other = connection.createStatement();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        store.close();
    }

    private static NewTask limited() {
        return new NewTask(
                Tasks.id(),
                Identity.DEFAULT_TENANT,
                Tasks.QUEUE,
                Tasks.TYPE,
                "{}",
                NewTask.Start.now(),
                TaskOptions.NONE.withLimits(TimeLimits.of(null, START_BY)),
                null);
    }

    private long number(String query) throws SQLException {
        try (ResultSet row = other.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void sweep() {
        store.sweep(SweepRequest.ofVanished());
    }

    @Test
    void aTaskThatIsRedrivenWhileItsOldLimitIsLookedAtKeepsItsFreshLimit() throws Exception {
        NewTask task = limited();
        Tasks.submit(store, task);
        Tasks.idsOf(store.claim(Tasks.request(1)));
        clock.advance(START_BY);
        // As a redrive does, behind the look at the task and before its row is removed.
        long fresh = clock.instant().plus(START_BY).toEpochMilli();
        connection.setAutoCommit(false);
        other.executeUpdate("UPDATE semel.time_limit SET at = " + fresh);
        CompletableFuture<Void> sweep = CompletableFuture.runAsync(this::sweep);
        await().until(() -> number("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE wait_event_type = 'Lock' AND datname = current_database()")
                == 1);
        connection.commit();
        sweep.join();
        assertThat(number("SELECT at FROM semel.time_limit")).isEqualTo(fresh);
    }
}
