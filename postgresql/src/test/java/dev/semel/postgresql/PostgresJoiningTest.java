package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import dev.semel.storetests.JoiningContract;
import dev.semel.storetests.Tasks;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The laws of joining, and what is special about PostgreSQL: an open transaction holds up only who needs its locks. */
class PostgresJoiningTest extends JoiningContract {

    private static DataSource database;
    private static int schemas;

    private ManualClock clock;
    private String schema;
    private PostgresTaskStore store;
    private Connection connection;

    @BeforeAll
    static void freshDatabase() {
        database = PostgresServer.freshDatabase();
    }

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        schema = "joining" + ++schemas;
        store = PostgresTaskStore.open(
                database,
                PostgresSettings.standard()
                        .withSchema(schema)
                        .withHints(false)
                        .withClock(clock)
                        .withLockLimit(Duration.ofMillis(200)));
        return store;
    }

    @Override
    protected Connection connect() throws SQLException {
        return database.getConnection();
    }

    @Override
    protected void poison(String document) throws SQLException {
        PostgresSchemas.refuse(database, schema + ".task", "input", document);
    }

    @BeforeEach
    void begin() throws SQLException {
        connection = connect();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void end() throws SQLException {
        connection.close();
    }

    @Test
    void aConnectionToAnotherDatabaseIsRefusedAlsoIfItHasASchemaOfTheSameName() throws SQLException {
        DataSource other = PostgresServer.freshDatabase();
        PostgresSettings same = PostgresSettings.standard().withSchema(schema).withHints(false);
        NewTask task = Tasks.keyed("key", "{}");
        try (PostgresTaskStore elsewhere = PostgresTaskStore.open(other, same);
                Connection wrong = other.getConnection()) {
            wrong.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining().orElseThrow().join(wrong).submit(List.of(task)))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("another database");
            // The caller's transaction is as it was, and can go on.
            wrong.commit();
            assertThat(Tasks.stored(elsewhere)).isEmpty();
        }
        assertThat(Tasks.stored(store)).isEmpty();
    }

    @Test
    void aConnectionToADatabaseWithoutTheTablesIsRefused() throws SQLException {
        try (Connection wrong = PostgresServer.freshDatabase().getConnection()) {
            wrong.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining().orElseThrow().join(wrong).submit(List.of(Tasks.plain())))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("without the tables");
            wrong.commit();
        }
    }

    @Test
    void aTransactionOfWhichAStatementHasFailedIsNotTakenForTablesOfAnotherVersion() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(() -> joined(Tasks.plain()))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("a statement has failed");
        connection.rollback();
    }

    @Test
    void namesThatWereNewInATransactionThatStaysOpenHoldUpNobody() throws SQLException {
        store.joining().orElseThrow().join(connection).submit(List.of(Tasks.of("tenant", "queue", "type")));
        NewTask task = Tasks.of("tenant", "queue", "type");
        assertThat(Tasks.submit(store, task)).isInstanceOf(Submitted.Created.class);
        connection.rollback();
        assertThat(Tasks.stored(store)).containsExactly(task.id());
    }

    @Test
    void theSettingsOfTheCallersTransactionStayAsTheyWere() throws SQLException {
        setting("SET LOCAL lock_timeout = '7s'");
        setting("SET LOCAL enable_seqscan = on");
        joined(Tasks.keyed("key", "{}"));
        assertThat(shown("lock_timeout")).isEqualTo("7s");
        assertThat(shown("enable_seqscan")).isEqualTo("on");
        connection.commit();
    }

    @Test
    void anIdentityThatAnOpenTransactionHoldsLeavesItsBatchAsBusyAndTheOthersGoOn() throws SQLException {
        NewTask holder = Tasks.keyed("held", "{}");
        joined(holder);
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            batch.add(Tasks.keyed(i == 13 ? "held" : "free " + i, "{}"));
        }
        batch.add(Tasks.plain());
        List<Submitted> answers = store.submit(batch);
        for (int i = 0; i < batch.size(); i++) {
            assertThat(answers.get(i)).isInstanceOf(i == 13 ? Submitted.Busy.class : Submitted.Created.class);
        }
        assertThat(store.submit(List.of(batch.get(13)))).containsExactly(new Submitted.Busy());
        connection.commit();
        assertThat(Tasks.submit(store, batch.get(13)))
                .isInstanceOfSatisfying(
                        Submitted.Returned.class,
                        returned -> assertThat(returned.existing().taskId()).isEqualTo(holder.id()));
        assertThat(Tasks.stored(store)).hasSize(21);
    }

    @Test
    void whoWaitsForATransactionDecidesAgainWhenItEnds() throws Exception {
        try (PostgresTaskStore patient = PostgresTaskStore.open(
                database,
                PostgresSettings.standard()
                        .withSchema(schema)
                        .withHints(false)
                        .withClock(clock)
                        .withLockLimit(Duration.ofSeconds(30)))) {
            for (boolean commits : new boolean[] {true, false}) {
                NewTask first = Tasks.keyed("key " + commits, "{}");
                NewTask second = Tasks.keyed("key " + commits, "{}");
                joined(first);
                CompletableFuture<Submitted> waiting =
                        CompletableFuture.supplyAsync(() -> Tasks.submit(patient, second));
                awaitLockWait();
                if (commits) {
                    connection.commit();
                    assertThat(waiting.get())
                            .isInstanceOfSatisfying(
                                    Submitted.Returned.class,
                                    returned -> assertThat(returned.existing().taskId())
                                            .isEqualTo(first.id()));
                } else {
                    connection.rollback();
                    assertThat(waiting.get()).isInstanceOf(Submitted.Created.class);
                }
            }
        }
    }

    @Test
    void aTransactionThatSeesAnOlderStateIsToldToBeginAgain() throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        setting("SELECT count(*) FROM " + schema + ".task"); // sees this state from now on
        Tasks.submit(store, Tasks.keyed("key", "{}"));
        assertThatThrownBy(() -> joined(Tasks.keyed("key", "{}")))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("Roll it back")
                .hasMessageContaining("READ COMMITTED");
        connection.rollback();
        assertThat(joined(Tasks.keyed("key", "{}"))).isInstanceOf(Submitted.Returned.class);
        connection.commit();
        assertThat(Tasks.stored(store)).hasSize(1);
    }

    @Test
    void aConnectionToAnotherDatabaseIsRefused() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            other.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining().orElseThrow().join(other))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("SQLite");
        }
    }

    private Submitted joined(NewTask task) {
        return store.joining()
                .orElseThrow()
                .join(connection)
                .submit(List.of(task))
                .get(0);
    }

    /** Waits until somebody waits for a lock of another transaction. */
    private static void awaitLockWait() throws SQLException {
        try (Connection looker = database.getConnection();
                Statement statement = looker.createStatement()) {
            boolean waits = false;
            while (!waits) {
                try (ResultSet row = statement.executeQuery("SELECT count(*) > 0 FROM pg_stat_activity"
                        + " WHERE wait_event_type = 'Lock' AND datname = current_database()")) {
                    row.next();
                    waits = row.getBoolean(1);
                }
            }
        }
    }

    private void setting(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String shown(String setting) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW " + setting)) {
            row.next();
            return row.getString(1);
        }
    }
}
