package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Applied;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TransactingStore.Work;
import dev.semel.store.Transition;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Completing a task in one transaction with the handler's own writes. */
@Timeout(120)
class PostgresTransactingTest {

    private static PostgresCluster server;
    private static PostgresSchemas schemas;

    private final ManualClock clock = new ManualClock();
    private PostgresTaskStore store;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresCluster.newest();
        schemas = new PostgresSchemas(server.database());
    }

    @AfterAll
    static void stop() {
        schemas.close();
        server.close();
    }

    @BeforeEach
    void open() throws SQLException {
        String schema = schemas.next();
        store = PostgresTaskStore.open(
                schemas.pool(), PostgresSchemas.settings(schema).withClock(clock));
        execute("DROP TABLE IF EXISTS orders");
        execute("CREATE TABLE orders (id text UNIQUE)");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = schemas.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> orders() throws SQLException {
        List<String> orders = new ArrayList<>();
        try (Connection connection = schemas.pool().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM orders ORDER BY id")) {
            while (row.next()) {
                orders.add(row.getString(1));
            }
        }
        return orders;
    }

    private static void order(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
    }

    private Lease begun() {
        assertThat(Tasks.submit(store, Tasks.plain())).isInstanceOf(Submitted.Created.class);
        return store.claim(Tasks.request(1)).tasks().getFirst().lease();
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
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    order(connection, "a");
                    return null;
                }))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("duplicate key");
        assertUntouched(lease);
    }

    @Test
    void aLeaseThatIsLostInTheMiddleRollsEverythingBack() throws Exception {
        Lease first = begun();
        List<Lease> second = new ArrayList<>();
        Applied answer = store.complete(first, connection -> {
            order(connection, "a");
            clock.advance(Tasks.LEASE.plusSeconds(1));
            second.add(store.claim(Tasks.request(1)).tasks().getFirst().lease());
            return null;
        });
        assertThat(answer).isEqualTo(Applied.STALE);
        assertThat(store.complete(new Lease(Tasks.id(), 1), connection -> null)).isEqualTo(Applied.NOT_FOUND);
        assertUntouched(second.getFirst());
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
    void aHandlerThatEndsTheTransactionItselfIsRefused() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    connection.commit();
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("commit");
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("ROLLBACK");
                    }
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("ended it before");
        assertUntouched(lease);
    }

    @Test
    void aHandlerThatGoesOnAfterAFailedStatementIsToldWhatToDo() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> store.complete(lease, connection -> {
                    order(connection, "a");
                    assertThatThrownBy(() -> order(connection, "a")).isInstanceOf(SQLException.class);
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("savepoint");
        Applied answer = store.complete(lease, connection -> {
            order(connection, "b");
            Savepoint before = connection.setSavepoint();
            assertThatThrownBy(() -> order(connection, "b")).isInstanceOf(SQLException.class);
            connection.rollback(before);
            return null;
        });
        assertThat(answer).isEqualTo(Applied.APPLIED);
        assertThat(orders()).containsExactly("b");
    }

    @Test
    void aSubmissionThatJoinsIsThereWithTheRest() throws Exception {
        Lease lease = begun();
        var next = Tasks.plain();
        assertThat(store.complete(lease, connection -> {
                    assertThat(store.joining(connection).submit(List.of(next)).getFirst())
                            .isInstanceOf(Submitted.Created.class);
                    return null;
                }))
                .isEqualTo(Applied.APPLIED);
        assertThat(store.find(List.of(next.id()))).containsKey(next.id());
    }
}
