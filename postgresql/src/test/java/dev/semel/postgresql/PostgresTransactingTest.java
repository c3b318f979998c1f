package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.TransactingContract;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The laws of transactions of handlers, and what is special about PostgreSQL. */
class PostgresTransactingTest extends TransactingContract {

    private static PostgresCluster server;
    private static PostgresSchemas schemas;

    private ManualClock clock;
    private String schema;
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

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        schema = schemas.next();
        store = PostgresTaskStore.open(
                schemas.pool(), PostgresSchemas.settings(schema).withClock(clock));
        return store;
    }

    @Override
    protected Connection connect() throws SQLException {
        return schemas.pool().getConnection();
    }

    @Override
    protected void poison(String document) throws SQLException {
        PostgresSchemas.refuse(schemas.pool(), schema + ".done", "result", document);
    }

    @BeforeEach
    void createTable() throws SQLException {
        execute("DROP TABLE IF EXISTS orders");
        execute("CREATE TABLE orders (id text UNIQUE)");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = schemas.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> paid() throws SQLException {
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

    private static void pay(Connection connection, String id) throws SQLException {
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
        assertThat(paid()).isEmpty();
        assertThat(task(lease).state()).isEqualTo(TaskState.RUNNING);
        assertThat(store.settle(List.of(new Settlement.Complete(lease, null)))).containsExactly(Settled.APPLIED);
    }

    @Test
    void aLeaseThatIsLostInTheMiddleRollsEverythingBack() throws Exception {
        Lease first = begun();
        List<Lease> second = new ArrayList<>();
        Settled answer = store.transacting().orElseThrow().complete(first, connection -> {
            pay(connection, "a");
            clock.advance(Tasks.LEASE.plusSeconds(1));
            second.add(store.claim(Tasks.request(1)).tasks().getFirst().lease());
            return null;
        });
        assertThat(answer).isEqualTo(Settled.STALE);
        assertThat(store.transacting().orElseThrow().complete(new Lease(Tasks.id(), 1, 1), connection -> null))
                .isEqualTo(Settled.NOT_FOUND);
        assertUntouched(second.getFirst());
    }

    @Test
    void aHandlerThatEndsTheTransactionItselfIsRefused() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, connection -> {
                    pay(connection, "a");
                    connection.commit();
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("commit");
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, connection -> {
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
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, connection -> {
                    pay(connection, "a");
                    assertThatThrownBy(() -> pay(connection, "a")).isInstanceOf(SQLException.class);
                    return null;
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("savepoint");
        Settled answer = store.transacting().orElseThrow().complete(lease, connection -> {
            pay(connection, "b");
            Savepoint before = connection.setSavepoint();
            assertThatThrownBy(() -> pay(connection, "b")).isInstanceOf(SQLException.class);
            connection.rollback(before);
            return null;
        });
        assertThat(answer).isEqualTo(Settled.APPLIED);
        assertThat(paid()).containsExactly("b");
    }

    @Test
    void aConnectionThatBreaksUnderAHandlersStatementCostsItsTaskNothing() {
        worked(
                (context, input) -> context.transaction(connection -> {
                    if (context.attempt() == 1) {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("SELECT pg_terminate_backend(pg_backend_pid())");
                        }
                    }
                    return "done";
                }),
                TaskState.COMPLETED);
    }
}
