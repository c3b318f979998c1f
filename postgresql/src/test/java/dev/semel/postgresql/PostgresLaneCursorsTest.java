package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.TaskOptions;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Claims while a transaction of somebody else stays open, so that the entries of claimed tasks cannot be removed. */
@Timeout(120)
class PostgresLaneCursorsTest {

    private static final int DEAD = 60_000;
    private static final int CLAIMS = 10;
    private static final int LIMIT = 100;

    private final PGSimpleDataSource database = PostgresServer.freshDatabase();

    @BeforeEach
    void makeTables() {
        open().close();
    }

    private PostgresTaskStore open() {
        // Connections that are closed after each call: then they tell how much they have read.
        return PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false));
    }

    @Test
    void claimsDoNotReadPastAllThatIsDeadAgainAndAgain() throws SQLException {
        try (Connection pin = pin()) {
            List<TaskId> live = leaveDead();
            long before = entriesRead();
            List<TaskId> taken = new ArrayList<>();
            try (PostgresTaskStore store = open()) {
                for (int i = 0; i < CLAIMS; i++) {
                    taken.addAll(claim(store, LIMIT));
                }
            }
            assertThat(taken).isEqualTo(live.subList(0, CLAIMS * LIMIT));
            // Once or twice from the beginning, and not ten times. On a busy machine the pauses between reads from
            // there end sooner than the claims.
            assertThat(entriesRead() - before).isBetween((long) DEAD, CLAIMS / 2L * DEAD);
            pin.rollback();
        }
    }

    @Test
    void whatBelongsInFrontIsFoundBeforeAClaimSaysThatThereIsNoMore() throws SQLException {
        try (Connection pin = pin()) {
            List<TaskId> live = leaveDead();
            try (PostgresTaskStore store = open()) {
                List<TaskId> taken = new ArrayList<>(claim(store, LIMIT));
                NewTask urgent = new NewTask(
                        Tasks.id(),
                        Identity.DEFAULT_TENANT,
                        Tasks.QUEUE,
                        Tasks.TYPE,
                        "{}",
                        NewTask.Start.now(),
                        new TaskOptions(9, null, null, null),
                        null);
                store.submit(List.of(urgent));
                taken.addAll(claim(store, 2 * live.size()));
                assertThat(taken)
                        .containsExactlyInAnyOrderElementsOf(Stream.concat(live.stream(), Stream.of(urgent.id()))
                                .toList());
            }
            pin.rollback();
        }
    }

    /** A transaction that sees the present state for as long as it is open. */
    private Connection pin() throws SQLException {
        Connection connection = database.getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1 FROM semel.change");
        }
        return connection;
    }

    /** Has many tasks done, and gives those that are left behind them. */
    private List<TaskId> leaveDead() {
        List<TaskId> live = new ArrayList<>();
        try (PostgresTaskStore store = open()) {
            for (int done = 0; done < DEAD; done += 1_000) {
                submit(store, 1_000);
                store.settle(store.claim(Tasks.request(1_000)).tasks().stream()
                        .map(claimed -> new Settlement.Complete(claimed.lease(), null))
                        .toList());
            }
            live.addAll(submit(store, 2 * CLAIMS * LIMIT));
        }
        return live;
    }

    private static List<TaskId> submit(PostgresTaskStore store, int number) {
        List<NewTask> batch = Stream.generate(Tasks::plain).limit(number).toList();
        store.submit(batch);
        return batch.stream().map(NewTask::id).toList();
    }

    private static List<TaskId> claim(PostgresTaskStore store, int limit) {
        return store.claim(Tasks.request(limit)).tasks().stream()
                .map(Claimed::task)
                .map(task -> task.id())
                .toList();
    }

    /** How many index entries claims have read, once their connections are gone and have told it. */
    private long entriesRead() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            // This one and the one that stays open.
            await().until(() -> number(
                            statement,
                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND backend_type = 'client backend'")
                    == 2);
            return number(
                    statement, "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'ready_order'");
        }
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
