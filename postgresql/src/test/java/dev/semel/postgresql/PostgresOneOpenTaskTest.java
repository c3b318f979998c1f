package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.testservers.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The database itself refuses a second pending or running task under one key, whatever the program does. */
@Timeout(60)
class PostgresOneOpenTaskTest {

    private static final String REFUSED = "cannot change hands while a task of its identity is open";

    private DataSource database;

    @BeforeEach
    void connect() {
        database = PostgresServer.freshDatabase();
    }

    @Test
    void aKeyStaysWithAnOpenTask() throws SQLException {
        try (PostgresTaskStore store = open()) {
            NewTask holder = Tasks.keyed("k", "{}");
            Tasks.submit(store, holder);
            assertRefused("UPDATE semel.record SET task = gen_random_uuid()");
            assertRefused("DELETE FROM semel.record");
            Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
            assertRefused("UPDATE semel.record SET task = gen_random_uuid()");
            store.settle(List.of(new Settlement.Complete(lease, null)));
            execute("DELETE FROM semel.record");
            assertThat(store.record(Tasks.identity("k"))).isEmpty();
        }
    }

    @Test
    void aKeyStaysWhileAReplacedTaskRuns() throws SQLException {
        try (PostgresTaskStore store = open()) {
            NewTask first = Tasks.keyed("k", "{}");
            Tasks.submit(store, first);
            Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
            NewTask second = Tasks.replacing("k", "{}");
            assertThat(Tasks.submit(store, second)).isInstanceOf(Submitted.Created.class);
            store.operate(List.of(new Operation.Cancel(second.id())));
            assertRefused("DELETE FROM semel.record");
            assertRefused("UPDATE semel.record SET task = gen_random_uuid()");
            store.settle(List.of(new Settlement.Complete(lease, null)));
            execute("DELETE FROM semel.record");
        }
    }

    @Test
    void aRunOfASeriesIsThereOnce() throws SQLException {
        try (PostgresTaskStore store = open()) {
            NewTask first = Tasks.keyed("k", "{}");
            Tasks.submit(store, first);
            store.operate(List.of(new Operation.Cancel(first.id())));
            Tasks.submit(store, Tasks.keyed("k", "{}"));
            assertThatThrownBy(() -> execute("INSERT INTO semel.task (id, seq, created_at, lane, run, priority, series)"
                            + " SELECT gen_random_uuid(), seq + 100, created_at, lane, run, priority, series FROM semel.task"
                            + " WHERE run = 2"))
                    .hasMessageContaining("task_series");
        }
    }

    @Test
    void tasksOfTheFirstSchemaAreCarriedOn() throws SQLException, IOException {
        execute("CREATE SCHEMA semel");
        execute("CREATE TABLE semel.schema_version (version integer PRIMARY KEY, readable_from integer NOT NULL,"
                + " applied_at timestamptz NOT NULL DEFAULT clock_timestamp())");
        execute(script());
        execute("INSERT INTO semel.schema_version VALUES (1, 1)");
        TaskId old = Tasks.id();
        String hash = InputHash.of(Json.parse("{}"), List.of()).toString().substring("sha256:".length());
        execute("INSERT INTO semel.lane (queue, tenant, type) VALUES ('" + Tasks.QUEUE + "', 'default', '" + Tasks.TYPE
                + "')");
        execute("INSERT INTO semel.scope (tenant, kind, name) VALUES ('default', 'type', '" + Tasks.TYPE + "')");
        execute(
                "INSERT INTO semel.task (id, seq, created_at, ttl, lane, run, scope, priority, input_hash, key, input) VALUES ('"
                        + old + "', 1, 0, 864000000, 1, 3, 1, 0, decode('" + hash + "', 'hex'), 'k', '{}')");
        execute("INSERT INTO semel.record (task, expires_at, scope, key) VALUES ('" + old
                + "', 99999999999999, 1, 'k')");
        execute("INSERT INTO semel.done (task, finished_at, lane, attempt, state) VALUES ('" + old
                + "', 1, 1, 1, 'failed')");
        try (PostgresTaskStore store = open()) {
            NewTask next = Tasks.keyed("k", "{}");
            assertThat(((Submitted.Created) Tasks.submit(store, next)).run()).isEqualTo(4);
            assertThat(store.find(List.of(next.id())).get(next.id()).series()).isEqualTo(old);
        }
    }

    private PostgresTaskStore open() {
        return PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false));
    }

    private static String script() throws IOException {
        try (InputStream in = PostgresSchema.class.getResourceAsStream("schema/V1.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void assertRefused(String sql) {
        assertThatThrownBy(() -> execute(sql)).hasMessageContaining(REFUSED);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
