package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitting;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
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
import org.junit.jupiter.api.Timeout;

/** Submissions inside a transaction of the caller's own. */
@Timeout(60)
class PostgresJoiningTest {

    private static DataSource database;
    private static int schemas;

    private final ManualClock clock = new ManualClock();
    private String schema;
    private PostgresTaskStore store;
    private Connection connection;

    @BeforeAll
    static void connect() {
        database = PostgresServer.freshDatabase();
    }

    @BeforeEach
    void open() throws SQLException {
        schema = "joining" + ++schemas;
        store = PostgresTaskStore.open(
                database,
                PostgresSettings.standard()
                        .withSchema(schema)
                        .withHints(false)
                        .withClock(clock)
                        .withLockLimit(Duration.ofMillis(200)));
        connection = database.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + schema + ".orders (n serial, id text)");
        }
        connection.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        store.close();
    }

    @Test
    void aTaskIsThereIfAndOnlyIfTheTransactionCommits() throws SQLException {
        NewTask kept = Tasks.keyed("kept", "{}");
        order("kept");
        assertThat(joined(kept)).isInstanceOf(Submitted.Created.class);
        assertThat(store.find(List.of(kept.id()))).isEmpty();
        connection.commit();
        assertThat(store.find(List.of(kept.id()))).containsKey(kept.id());

        NewTask dropped = Tasks.keyed("dropped", "{}");
        order("dropped");
        joined(dropped);
        connection.rollback();
        assertThat(store.find(List.of(dropped.id()))).isEmpty();
        assertThat(store.record(Tasks.identity("dropped"))).isEmpty();
        assertThat(orders()).containsExactly("kept");
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(kept.id());
    }

    @Test
    void namesThatWereNewInATransactionThatStaysOpenHoldUpNobody() throws SQLException {
        store.joining(connection).submit(List.of(Tasks.of("tenant", "queue", "type")));
        NewTask task = Tasks.of("tenant", "queue", "type");
        assertThat(Tasks.submit(store, task)).isInstanceOf(Submitted.Created.class);
        connection.rollback();
        assertThat(Tasks.stored(store)).containsExactly(task.id());
    }

    @Test
    void aDuplicateOrAConflictLeavesTheTransactionAsItWas() throws SQLException {
        NewTask first = Tasks.keyed("key", "{\"a\":1}");
        Tasks.submit(store, first);
        order("before");
        assertThat(joined(Tasks.keyed("key", "{\"a\":1}")))
                .isInstanceOfSatisfying(Submitted.Returned.class, returned -> {
                    assertThat(returned.existing().taskId()).isEqualTo(first.id());
                });
        assertThat(joined(Tasks.keyed("key", "{\"a\":2}"))).isInstanceOf(Submitted.Conflicted.class);
        assertThat(joined(first)).isInstanceOf(Submitted.Created.class);
        order("after");
        connection.commit();
        assertThat(orders()).containsExactly("before", "after");
        assertThat(Tasks.stored(store)).containsExactly(first.id());
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
    void aBatchThatFailsLeavesTheTransactionAsItWas() throws SQLException {
        setting("CREATE FUNCTION " + schema + ".refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN IF NEW.input = '\"poison\"' THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$");
        setting("CREATE TRIGGER refuse BEFORE INSERT ON " + schema + ".task FOR EACH ROW EXECUTE FUNCTION " + schema
                + ".refuse()");
        connection.commit();
        order("before");
        assertThatThrownBy(
                        () -> store.joining(connection).submit(List.of(Tasks.plain(), Tasks.withInput("\"poison\""))))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("poison");
        order("after");
        connection.commit();
        assertThat(Tasks.stored(store)).isEmpty();
        assertThat(orders()).containsExactly("before", "after");
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
        assertThat(orders()).isEmpty();
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
    void aConnectionThatCannotBeJoinedIsRefused() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            other.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining(other))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("SQLite");
        }
        Submitting joined = store.joining(connection);
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> store.joining(connection))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("setAutoCommit(false)");
        assertThatThrownBy(() -> joined.submit(List.of(Tasks.plain()))).isInstanceOf(InvalidInput.class);
    }

    private Submitted joined(NewTask task) {
        return store.joining(connection).submit(List.of(task)).get(0);
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

    private void order(String id) throws SQLException {
        setting("INSERT INTO " + schema + ".orders (id) VALUES ('" + id + "')");
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

    private List<String> orders() throws SQLException {
        List<String> orders = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM " + schema + ".orders ORDER BY n")) {
            while (row.next()) {
                orders.add(row.getString(1));
            }
        }
        return orders;
    }
}
