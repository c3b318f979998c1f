package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Applied;
import dev.semel.store.Claims;
import dev.semel.store.EffectOutcome;
import dev.semel.store.NewTask;
import dev.semel.store.QueueSettings;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TransactingStore.Work;
import dev.semel.store.Transition;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;

/** Completing a task in one transaction with the handler's own writes. */
@Timeout(120)
class SqliteTransactingTest {

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private Path file;
    private SqliteTaskStore store;

    @BeforeEach
    void open() throws SQLException {
        file = directory.resolve("semel.db");
        store = SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id TEXT UNIQUE)");
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }

    private Lease begun() {
        return begun(Tasks.plain());
    }

    private Lease begun(NewTask task) {
        assertThat(Tasks.submit(store, task)).isInstanceOf(Submitted.Created.class);
        Claims.Claimed claimed = store.claim(Tasks.request(1)).tasks().getFirst();
        assertThat(claimed.task().id()).isEqualTo(task.id());
        return claimed.lease();
    }

    private static void order(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
    }

    private List<String> orders() throws SQLException {
        List<String> orders = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM orders ORDER BY rowid")) {
            while (row.next()) {
                orders.add(row.getString(1));
            }
        }
        return orders;
    }

    private Task task(Lease lease) {
        return store.find(List.of(lease.taskId())).get(lease.taskId());
    }

    private void assertUntouched(Lease lease) throws SQLException {
        assertThat(orders()).isEmpty();
        assertThat(task(lease).state()).isEqualTo(TaskState.RUNNING);
        assertThat(store.apply(List.of(new Transition.Complete(lease, null)))).containsExactly(Applied.APPLIED);
    }

    @Test
    void theWritesAndTheCompletionAreThereTogetherAfterTheCommitAndNotBefore() throws Exception {
        Lease lease = begun();
        Applied answer = store.complete(lease, connection -> {
            order(connection, "a");
            assertThat(orders()).isEmpty();
            assertThat(task(lease).state()).isEqualTo(TaskState.RUNNING);
            return "{\"paid\":true}";
        });
        assertThat(answer).isEqualTo(Applied.APPLIED);
        assertThat(orders()).containsExactly("a");
        assertThat(task(lease).state()).isEqualTo(TaskState.COMPLETED);
        assertThat(task(lease).progress().result()).isEqualTo("{\"paid\":true}");
        assertThat(store.attempts(lease.taskId())).hasSize(1);
    }

    @Test
    void whatTheHandlerThrowsIsThrownAsItIsAndNothingIsWritten() throws Exception {
        Lease lease = begun();
        Exception own = new Exception("out of stock");
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    throw own;
                }))
                .isSameAs(own);
        Error error = new AssertionError("an error too");
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    throw error;
                }))
                .isSameAs(error);
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    order(connection, "a");
                    return null;
                }))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("UNIQUE");
        assertUntouched(lease);
    }

    @Test
    void aLeaseThatIsLostIsNoticedBeforeTheHandlerWrites() throws Exception {
        Lease first = begun();
        clock.advance(Tasks.LEASE.plusSeconds(1));
        Lease second = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        Work never = connection -> {
            throw new AssertionError("must not run");
        };
        assertThat(store.complete(first, never)).isEqualTo(Applied.STALE);
        assertThat(store.complete(new Lease(Tasks.id(), 1), never)).isEqualTo(Applied.NOT_FOUND);
        clock.advance(Tasks.LEASE.plusSeconds(1));
        assertThat(store.complete(second, connection -> null))
                .as("ran out, but nobody else has begun")
                .isEqualTo(Applied.APPLIED);
    }

    @Test
    void aCompletionThatWasCommittedIsNotDoneTwice() throws Exception {
        Lease lease = begun();
        Work work = connection -> {
            order(connection, "a" + orders().size());
            return null;
        };
        assertThat(store.complete(lease, work)).isEqualTo(Applied.APPLIED);
        assertThat(store.complete(lease, work)).isEqualTo(Applied.STALE);
        assertThat(orders()).containsExactly("a0");
    }

    @Test
    void aTaskThatWasAskedToCancelCompletesIfItsTransactionDoes() throws Exception {
        Lease lease = begun();
        assertThat(store.apply(List.of(new Transition.Cancel(lease.taskId()))))
                .containsExactly(Applied.CANCEL_REQUESTED);
        assertThat(store.complete(lease, connection -> null)).isEqualTo(Applied.APPLIED);
        assertThat(task(lease).state()).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    void allThatAnyCompletionDoesIsDone() throws Exception {
        store.apply(List.of(new Transition.SetQueue(
                Tasks.QUEUE, QueueSettings.builder().retention(Duration.ZERO).build())));
        LinkedBlockingQueue<TaskId> ended = new LinkedBlockingQueue<>();
        store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {}

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                ended.addAll(ids);
            }
        });
        Lease lease = begun(Tasks.keyed("key", "{}"));
        EffectId charge = new EffectId(lease.taskId(), "charge", 0);
        EffectOutcome done = new EffectOutcome.Done("1", EffectOutcome.How.RAN);
        store.apply(List.of(new Transition.Intend(lease, charge, null), new Transition.Conclude(lease, charge, done)));
        assertThat(store.effects(List.of(lease.taskId()))).hasSize(1);
        store.complete(lease, connection -> {
            assertThat(ended).isEmpty();
            return "\"result\"";
        });
        assertThat(ended.poll(30, TimeUnit.SECONDS)).isEqualTo(lease.taskId());
        assertThat(task(lease).dataGone()).isTrue();
        assertThat(task(lease).progress().result()).isNull();
        assertThat(store.record(Tasks.identity("key")).orElseThrow().dataGone()).isTrue();
        assertThat(store.effects(List.of(lease.taskId()))).isEmpty();
    }

    @Test
    void tasksSubmittedInsideAreThereIfAndOnlyIfItCommits() throws Exception {
        Lease lease = begun();
        NewTask dropped = Tasks.keyed("next", "{}");
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    assertThat(store.joining(connection).submit(List.of(dropped)))
                            .singleElement()
                            .isInstanceOf(Submitted.Created.class);
                    throw new IllegalStateException("after the submission");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(store.find(List.of(dropped.id()))).isEmpty();

        NewTask kept = Tasks.keyed("next", "{}");
        store.complete(lease, connection -> {
            order(connection, "a");
            store.joining(connection).submit(List.of(kept));
            assertThat(store.find(List.of(kept.id()))).isEmpty();
            return null;
        });
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(kept.id());
    }

    @Test
    void aHandlerThatWantsToEndItsTransactionItselfIsRefusedAndCanGoOn() throws Exception {
        Lease lease = begun();
        store.complete(lease, connection -> {
            order(connection, "a");
            List<SqlAction> refused = List.of(
                    Connection::commit,
                    Connection::rollback,
                    Connection::close,
                    any -> any.setAutoCommit(true),
                    any -> any.abort(Runnable::run));
            for (SqlAction action : refused) {
                assertThatThrownBy(() -> action.on(connection))
                        .isInstanceOf(InvalidInput.class)
                        .hasMessageContaining("ends with its task")
                        .hasMessageContaining("Return to commit, throw to roll back");
            }
            connection.setAutoCommit(false);
            assertThat(connection.getAutoCommit()).isFalse();
            Savepoint savepoint = connection.setSavepoint();
            order(connection, "b");
            connection.rollback(savepoint);
            return null;
        });
        assertThat(orders()).containsExactly("a");
        assertThat(task(lease).state()).isEqualTo(TaskState.COMPLETED);
    }

    @FunctionalInterface
    private interface SqlAction {
        void on(Connection connection) throws SQLException;
    }

    @Test
    void aTransactionThatTheHandlerEndsBySqlIsNoticedAndItsTaskNotCompleted() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("COMMIT");
                    }
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("has committed it before");
        assertThat(orders()).containsExactly("a");
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("ROLLBACK");
                        assertThatThrownBy(() -> statement.execute("INSERT INTO orders VALUES ('alone')"))
                                .isInstanceOf(SQLException.class)
                                .hasMessageContaining("rolled back");
                    }
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("rolled back");
        assertThat(orders()).containsExactly("a");
        assertThat(task(lease).state()).isEqualTo(TaskState.RUNNING);
    }

    @Test
    void statementsThatAreLeftOpenAreClosedAndTheConnectionIsOfNoUseAfterwards() throws Exception {
        Lease lease = begun();
        List<Statement> left = new ArrayList<>();
        AtomicReference<Connection> kept = new AtomicReference<>();
        store.complete(lease, connection -> {
            kept.set(connection);
            for (int i = 0; i < 200; i++) {
                // Half read: SQLite refuses to commit while one like this is open.
                PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?) RETURNING id");
                insert.setString(1, "order-" + i);
                assertThat(insert.executeQuery().next()).isTrue();
                left.add(insert);
            }
            return null;
        });
        assertThat(orders()).hasSize(200);
        assertThat(kept.get().isClosed()).isTrue();
        assertThatThrownBy(() -> kept.get().createStatement())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("is over");
        for (Statement statement : left) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT 1")).isInstanceOf(SQLException.class);
            statement.close();
        }
    }

    @Test
    void aCommitThatIsNotAnsweredSaysThatNothingIsKnown() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    // Behind the back of the connection that closes what is left open.
                    SQLiteConnection behind = connection.unwrap(SQLiteConnection.class);
                    behind.createStatement()
                            .executeQuery("INSERT INTO orders VALUES ('a'), ('b') RETURNING id")
                            .next();
                    return null;
                }))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("is not known")
                .hasMessageContaining("either both were or neither");
        assertUntouched(lease);
    }

    @Test
    void foreignKeysAreEnforcedIfTheSettingsSaySo() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item (order_id TEXT REFERENCES orders (id) DEFERRABLE INITIALLY DEFERRED)");
        }
        Work orphan = connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO item VALUES ('nobody')");
            }
            return null;
        };
        assertThat(store.complete(begun(), orphan)).isEqualTo(Applied.APPLIED);
        Lease lease = begun();
        try (SqliteTaskStore strict = SqliteTaskStore.open(
                file,
                SqliteSettings.standard().withClock(clock).withElapsed(clock).withForeignKeys(true))) {
            assertThatThrownBy(() -> strict.complete(lease, orphan))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("FOREIGN KEY");
            assertUntouched(lease);
        }
    }

    @Test
    void twoTransactionsInsideOneAnotherAreRefused() throws Exception {
        Lease outer = begun();
        Lease inner = begun();
        assertThatThrownBy(() -> store.complete(outer, connection -> {
                    store.complete(inner, another -> null);
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("one transaction");
        assertThat(task(outer).state()).isEqualTo(TaskState.RUNNING);
        assertThat(task(inner).state()).isEqualTo(TaskState.RUNNING);
    }

    @Test
    void whatWouldWaitForItsOwnTransactionIsRefusedAtOnceAndReadingIsNot() throws Exception {
        Lease lease = begun();
        store.complete(lease, connection -> {
            assertThatThrownBy(() -> Tasks.submit(store, Tasks.plain()))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("semel.joining(connection)");
            assertThat(Tasks.stored(store)).containsExactly(lease.taskId());
            return null;
        });
        Tasks.submit(store, Tasks.plain());
    }

    @Test
    void aCompletionThatFailsRollsBack() throws Exception {
        Lease lease = begun();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE UPDATE ON semel_task WHEN NEW.result = '\"poison\"'"
                    + " BEGIN SELECT RAISE(ABORT, 'poison'); END");
        }
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    return "\"poison\"";
                }))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("poison");
        assertUntouched(lease);
    }
}
