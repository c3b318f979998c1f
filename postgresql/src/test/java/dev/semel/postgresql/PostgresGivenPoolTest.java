package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.storetests.Tasks;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pool of the user's that gives its connections back as they are. What they are set to is what the user's own code relies on:
 * it is the same after every call of the store.
 */
@Timeout(120)
class PostgresGivenPoolTest {

    /** A data source whose connections all begin alike. */
    private static FewConnections pool(boolean autoCommit, int isolation) {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        return new FewConnections(
                new FewConnections(database, 1) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        Connection connection = database.getConnection();
                        connection.setTransactionIsolation(isolation);
                        connection.setAutoCommit(autoCommit);
                        return connection;
                    }
                },
                1);
    }

    private static void everything(PostgresTaskStore store) {
        List<NewTask> large = new ArrayList<>(IntStream.range(0, 150)
                .mapToObj(i -> Tasks.keyed("large " + i, "{}"))
                .toList());
        store.submit(large);
        store.submit(List.of(Tasks.plain(), Tasks.keyed("a", "{}"), Tasks.keyed("large 1", "{}")));
        Claims claims = store.claim(Tasks.request(100));
        assertThat(claims.tasks()).hasSize(100);
        List<Settlement> moves = new ArrayList<>();
        claims.tasks().forEach(claimed -> moves.add(new Settlement.Complete(claimed.lease(), "1")));
        moves.set(7, new Settlement.Fail(claims.tasks().get(7).lease(), false, "broken"));
        store.settle(moves);
        assertThat(store.find(List.of(large.getFirst().id()))).hasSize(1);
        assertThat(store.queues()).isEmpty();
        assertThat(store.sweep(new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(1), 10))
                        .tasks())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionIsGivenBackAsItCame(boolean autoCommit) throws SQLException {
        for (int isolation : List.of(
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE)) {
            FewConnections pool = pool(autoCommit, isolation);
            try (PostgresTaskStore store =
                    PostgresTaskStore.open(pool, PostgresSettings.standard().withHints(false))) {
                assertUntouched(pool, autoCommit, isolation);
                everything(store);
            }
            assertUntouched(pool, autoCommit, isolation);
        }
    }

    @Test
    void rowsThatAPoolWantsToFetchInPartsComeAllTheSame() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        database.setDefaultRowFetchSize(2);
        try (PostgresTaskStore store =
                PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))) {
            everything(store);
            assertThat(store.claim(Tasks.request(100)).tasks()).hasSize(52);
        }
    }

    @Test
    void aKeyThatSomebodyHoldsIsBusyAlsoWhereTheServerFindsOutTheTypesOfTexts() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        database.setStringType("unspecified");
        PostgresSettings settings = PostgresSettings.standard().withHints(false);
        try (PostgresTaskStore store = PostgresTaskStore.open(new FewConnections(database, 2), settings);
                Connection other = database.getConnection()) {
            everything(store);
            for (int i = 0; i < 20; i++) {
                store.submit(List.of(Tasks.keyed("before " + i, "{}")));
            }
            other.setAutoCommit(false);
            store.joining().orElseThrow().join(other).submit(List.of(Tasks.keyed("held", "{}")));
            assertThat(store.submit(List.of(Tasks.keyed("held", "{}")))).containsExactly(new Submitted.Busy());
            other.rollback();
        }
    }

    private static void assertUntouched(DataSource pool, boolean autoCommit, int isolation) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
            assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
            try (var row = statement.executeQuery("SHOW enable_seqscan")) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("on");
            }
            if (!autoCommit) {
                connection.rollback();
            }
        }
    }
}
