package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskStore;
import dev.semel.storetests.NextSchemaContract;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.Tasks;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnusable;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The present program on later versions of the schema, which are really made: columns, an index and a table are added. */
@Timeout(120)
class PostgresNextSchemaTest extends NextSchemaContract {

    private static final int NEXT = PostgresSchema.VERSION + 1;

    private static PostgresSchemas schemas;
    private static final Set<String> MADE = new HashSet<>();

    private ManualClock clock = new ManualClock();
    private String schema = "";

    @BeforeAll
    static void connect() {
        schemas = new PostgresSchemas(PostgresServer.freshDatabase());
    }

    @AfterAll
    static void disconnect() {
        schemas.close();
    }

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        schema = schemas.next();
        if (MADE.add(schema)) {
            schemas.open(schema, clock).close();
            // Emptied with the last handle, it lies ready to be taken again.
            schema = schemas.next();
            try (Connection connection = schemas.pool().getConnection()) {
                migrate(connection, schema, NEXT);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
        return openAnother();
    }

    @Override
    protected TaskStore openAnother() {
        return schemas.open(schema, clock);
    }

    /** Adds to every table what a later version might: in one transaction, as the program does it. */
    static void migrate(Connection connection, String schema, int version) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            for (String table : allTables(statement, schema)) {
                String name = schema + "." + table;
                statement.execute("ALTER TABLE " + name + " ADD COLUMN note_" + version + " text,"
                        + " ADD COLUMN number_" + version + " bigint NOT NULL DEFAULT 7");
                statement.execute("CREATE INDEX ON " + name + " (number_" + version + ")");
            }
            statement.execute("CREATE TABLE " + schema + ".step_" + version + " (task uuid PRIMARY KEY)");
            statement.execute("INSERT INTO " + schema + ".schema_version (version, readable_from) VALUES (" + version
                    + ", " + PostgresSchema.VERSION + ")");
            statement.execute("UPDATE " + schema + ".change SET stamp = stamp + 1");
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static Set<String> allTables(Statement statement, String schema) throws SQLException {
        Set<String> tables = new HashSet<>();
        try (ResultSet row = statement.executeQuery("SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = '"
                + schema + "' AND tablename <> 'schema_version'")) {
            while (row.next()) {
                tables.add(row.getString(1));
            }
        }
        assertThat(tables).hasSizeGreaterThan(8);
        return tables;
    }

    @Test
    void aProgramThatRunsGoesOnWhileTheNextVersionIsMade() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        PostgresSettings settings = PostgresSettings.standard().withHints(false);
        // One connection, which knows all statements by heart when the tables change under it.
        try (PostgresTaskStore store = PostgresTaskStore.open(new FewConnections(database, 1), settings);
                Connection other = database.getConnection()) {
            for (int round = 0; round < 8; round++) {
                live(store);
            }
            migrate(other, PostgresSettings.SCHEMA, NEXT);
            for (int round = 0; round < 8; round++) {
                live(store);
            }
            StoreInvariants.check(store);
        }
    }

    @Test
    void aProgramRunsOnTheNextVersionButNotOnTheOneAfterThat() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        PostgresSettings settings = PostgresSettings.standard().withHints(false);
        PostgresTaskStore.open(database, settings).close();
        try (Connection other = database.getConnection()) {
            migrate(other, PostgresSettings.SCHEMA, NEXT);
            // Also without the right to migrate: there is nothing to do.
            PostgresTaskStore.open(database, settings.withMigration(false)).close();
            try (PostgresTaskStore store = PostgresTaskStore.open(new FewConnections(database, 2), settings)) {
                live(store);
            }
            migrate(other, PostgresSettings.SCHEMA, NEXT + 1);
        }
        assertThatThrownBy(() -> PostgresTaskStore.open(database, settings))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("schema version " + (NEXT + 1))
                .hasMessageContaining("knows version " + PostgresSchema.VERSION)
                .hasMessageContaining("Run the version of Semel that made it, or a later one");
    }

    @Test
    void aProgramThatRunsStopsWhenTheVersionAfterTheNextIsMade() throws Exception {
        DataSource database = PostgresServer.freshDatabase();
        PostgresSettings settings = PostgresSettings.standard().withHints(false);
        for (Call call : calls()) {
            try (Connection other = database.getConnection();
                    Statement statement = other.createStatement()) {
                statement.execute("DROP SCHEMA IF EXISTS semel CASCADE");
                try (PostgresTaskStore store = PostgresTaskStore.open(database, settings);
                        Connection joined = database.getConnection()) {
                    joined.setAutoCommit(false);
                    live(store);
                    migrate(other, PostgresSettings.SCHEMA, NEXT);
                    live(store);
                    migrate(other, PostgresSettings.SCHEMA, NEXT + 1);
                    for (int i = 0; i < 2; i++) {
                        assertThatThrownBy(() -> call.make(store, joined))
                                .isInstanceOf(StoreUnusable.class)
                                .hasMessageContaining("schema version " + (NEXT + 1));
                    }
                    joined.rollback();
                }
            }
        }
    }

    private interface Call {
        Object make(TaskStore store, Connection joined);
    }

    /** The ways to the database, each of which has to notice by itself. */
    private static List<Call> calls() {
        return List.of(
                (store, joined) -> store.submit(List.of(Tasks.plain())),
                (store, joined) -> store.submit(List.of(Tasks.keyed("new", "{}"))),
                (store, joined) -> store.submit(
                        IntStream.range(0, 300).mapToObj(i -> Tasks.plain()).toList()),
                (store, joined) -> store.claim(Tasks.request(1)),
                (store, joined) -> store.settle(List.of(new Settlement.Complete(new Lease(Tasks.id(), 1, 1), null))),
                (store, joined) -> store.operate(List.of(new Operation.Cancel(Tasks.id()))),
                (store, joined) -> store.sweep(new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(1), 10)),
                (store, joined) -> store.joining().orElseThrow().join(joined).submit(List.of(Tasks.plain())));
    }

    /** Everything that can happen to a task, and every way to look at one. */
    private static void live(TaskStore store) {
        String round = Tasks.id().toString();
        NewTask completed = Tasks.keyed("a " + round, "{}");
        NewTask failed = Tasks.keyed("b " + round, "{}");
        NewTask cancelled = Tasks.plain();
        store.operate(List.of(
                new Operation.DeclareQueue(
                        Tasks.QUEUE,
                        QueueSettings.builder().rateLimit("100000/sec").build()),
                new Operation.SetQueue(
                        Tasks.QUEUE,
                        QueueSettings.builder().deadLetterQueue("dead").build())));
        assertThat(store.submit(List.of(completed, failed, cancelled))).allMatch(Submitted.Created.class::isInstance);
        assertThat(store.submit(List.of(Tasks.keyed("a " + round, "{}"))))
                .allMatch(Submitted.Returned.class::isInstance);
        assertThat(store.operate(List.of(new Operation.Cancel(cancelled.id())))).containsOnly(Operated.APPLIED);
        List<Claimed> first = store.claim(Tasks.request(100)).tasks();
        assertThat(Tasks.idsOf(store.claim(Tasks.request(1)))).isEmpty();
        for (Claimed claimed : first) {
            assertThat(store.settle(List.of(
                            new Settlement.Extend(claimed.lease(), Tasks.LEASE),
                            new Settlement.Retry(claimed.lease(), Duration.ZERO, "again"))))
                    .containsOnly(Settled.APPLIED);
        }
        for (Claimed claimed : store.claim(Tasks.request(100)).tasks()) {
            assertThat(store.settle(List.of(
                            claimed.task().id().equals(failed.id())
                                    ? new Settlement.Fail(claimed.lease(), false, "broken")
                                    : new Settlement.Complete(claimed.lease(), "1"))))
                    .containsOnly(Settled.APPLIED);
        }
        assertThat(store.operate(List.of(new Operation.Redrive(failed.id(), 2))))
                .containsOnly(Operated.APPLIED);
        for (Claimed claimed : store.claim(Tasks.request(100)).tasks()) {
            store.settle(List.of(new Settlement.PutBack(claimed.lease(), Duration.ZERO)));
        }
        assertThat(store.operate(List.of(
                        new Operation.Cancel(failed.id()),
                        new Operation.ReleaseKey(Tasks.identity("a " + round), completed.id()),
                        new Operation.ResetQueue(Tasks.QUEUE))))
                .containsOnly(Operated.APPLIED);
        assertThat(store.find(List.of(completed.id(), failed.id(), cancelled.id())))
                .hasSize(3);
        assertThat(store.attempts(failed.id())).hasSizeGreaterThanOrEqualTo(3);
        assertThat(store.record(Tasks.identity("b " + round))).isPresent();
        assertThat(store.depths()).isNotNull();
        assertThat(store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 100))
                        .tasks())
                .isGreaterThanOrEqualTo(3);
    }
}
