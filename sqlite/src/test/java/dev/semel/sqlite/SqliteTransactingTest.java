package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting.Work;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.TransactingContract;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;

/** The laws of transactions of handlers, and what is special about SQLite. */
class SqliteTransactingTest extends TransactingContract {

    @TempDir
    Path directory;

    private ManualClock clock;
    private Path file;
    private SqliteTaskStore store;

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        file = directory.resolve("semel.db");
        store = SqliteTaskStore.open(
                file,
                SqliteSettings.standard().withClock(clock).withElapsed(clock).withLockLimit(Duration.ofSeconds(5)));
        return store;
    }

    @Override
    protected Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }

    @Override
    protected void poison(String document) throws SQLException {
        execute("CREATE TRIGGER refuse BEFORE UPDATE ON semel_task WHEN NEW.result = '" + document
                + "' BEGIN SELECT RAISE(ABORT, 'poison'); END");
    }

    @BeforeEach
    void createTable() throws SQLException {
        execute("CREATE TABLE orders (id TEXT UNIQUE)");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
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

    private static void pay(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
    }

    private List<String> paid() throws SQLException {
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
        assertThat(paid()).isEmpty();
        assertThat(task(lease).state()).isEqualTo(TaskState.RUNNING);
        assertThat(store.settle(List.of(new Settlement.Complete(lease, null)))).containsExactly(Settled.APPLIED);
    }

    @Test
    void aLeaseThatIsLostIsNoticedBeforeTheHandlerWrites() throws Exception {
        Lease first = begun();
        clock.advance(Tasks.LEASE.plusSeconds(1));
        Lease second = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        Work never = connection -> {
            throw new AssertionError("must not run");
        };
        assertThat(store.transacting().orElseThrow().complete(first, never)).isEqualTo(Settled.STALE);
        assertThat(store.transacting().orElseThrow().complete(new Lease(Tasks.id(), 1, 1), never))
                .isEqualTo(Settled.NOT_FOUND);
        clock.advance(Tasks.LEASE.plusSeconds(1));
        assertThat(store.transacting().orElseThrow().complete(second, connection -> null))
                .as("ran out, but nobody else has begun")
                .isEqualTo(Settled.APPLIED);
    }

    @Test
    void aTransactionThatTheHandlerEndsBySqlIsNoticedAndItsTaskNotCompleted() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, connection -> {
                    pay(connection, "a");
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("COMMIT");
                    }
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("has committed it before");
        assertThat(paid()).containsExactly("a");
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, connection -> {
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
        assertThat(paid()).containsExactly("a");
        assertThat(task(lease).state()).isEqualTo(TaskState.RUNNING);
    }

    @Test
    void aCommitThatIsNotAnsweredSaysThatNothingIsKnown() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, connection -> {
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
        assertThat(store.transacting().orElseThrow().complete(begun(), orphan)).isEqualTo(Settled.APPLIED);
        Lease lease = begun();
        try (SqliteTaskStore strict = SqliteTaskStore.open(
                file,
                SqliteSettings.standard().withClock(clock).withElapsed(clock).withForeignKeys(true))) {
            assertThatThrownBy(() -> strict.transacting().orElseThrow().complete(lease, orphan))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("FOREIGN KEY");
            assertUntouched(lease);
        }
    }

    @Test
    void twoTransactionsInsideOneAnotherAreRefused() throws Exception {
        Lease outer = begun();
        Lease inner = begun();
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(outer, connection -> {
                    store.transacting().orElseThrow().complete(inner, another -> null);
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
        store.transacting().orElseThrow().complete(lease, connection -> {
            assertThatThrownBy(() -> Tasks.submit(store, Tasks.plain()))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("semel.joining(connection)");
            assertThat(Tasks.stored(store)).containsExactly(lease.taskId());
            return null;
        });
        Tasks.submit(store, Tasks.plain());
    }

    @Test
    void aLockThatAnotherProgramHoldsOnTheFileCostsATaskNothing() throws Exception {
        try (Connection other = connect();
                Statement statement = other.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 30000");
            worked(
                    (context, input) -> {
                        if (context.attempt() > 1) {
                            return context.transaction(connection -> "done");
                        }
                        statement.execute("BEGIN IMMEDIATE");
                        try {
                            return context.transaction(connection -> "not before the lock is free");
                        } finally {
                            statement.execute("ROLLBACK");
                        }
                    },
                    TaskState.COMPLETED);
        }
    }
}
