package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.storetests.Tasks;
import dev.semel.task.ReusePolicy;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.testservers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** What becomes of operations whose connection, answer or server is lost in the middle. */
@Timeout(120)
class PostgresFaultsTest {

    private static PGSimpleDataSource database;
    private static HikariDataSource pool;
    private static int schemas;

    private String schema;

    @BeforeAll
    static void connect() {
        database = PostgresServer.freshDatabase();
        pool = pool(database, 8);
    }

    @AfterAll
    static void disconnect() {
        pool.close();
    }

    @BeforeEach
    void nextSchema() {
        schema = "faults" + ++schemas;
    }

    @Test
    void aBackendKilledInTheMiddleOfASubmissionLeavesNothingAndTheRepetitionAll() throws SQLException {
        try (PostgresTaskStore store = open(pool)) {
            killOnce("task");
            List<NewTask> batch = List.of(Tasks.keyed("a", "{}"), Tasks.plain(), Tasks.keyed("b", "{}"));
            assertThatThrownBy(() -> store.submit(batch)).isInstanceOf(StoreUnavailable.class);
            assertThat(Tasks.stored(store)).isEmpty();
            assertThat(store.record(Tasks.identity("a"))).isEmpty();
            assertThat(store.submit(batch)).allMatch(Submitted.Created.class::isInstance);
            assertThat(Tasks.stored(store)).hasSize(3);
        }
    }

    @Test
    void aBackendKilledInTheMiddleOfAClaimTakesNothing() throws SQLException {
        try (PostgresTaskStore store = open(pool)) {
            store.submit(List.of(Tasks.plain(), Tasks.plain()));
            killOnce("running");
            ClaimRequest request = Tasks.request(10);
            assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreUnavailable.class);
            List<Claimed> taken = store.claim(request.again()).tasks();
            assertThat(taken)
                    .hasSize(2)
                    .allMatch(claimed -> claimed.task().progress().vanished() == 0);
        }
    }

    @Test
    void aBackendKilledInTheMiddleOfACompletionChangesNothing() throws SQLException {
        try (PostgresTaskStore store = open(pool)) {
            store.submit(List.of(Tasks.plain(), Tasks.plain()));
            List<Settlement> moves = completions(store.claim(Tasks.request(10)).tasks());
            killOnce("done");
            assertThatThrownBy(() -> store.settle(moves)).isInstanceOf(StoreUnavailable.class);
            assertThat(store.settle(moves)).containsOnly(Settled.APPLIED);
            assertThat(store.settle(moves)).containsOnly(Settled.APPLIED);
            assertThat(count(store)).isEqualTo(2);
        }
    }

    @Test
    void anAnswerLostAfterTheCommitIsGivenAgain() throws SQLException {
        open(pool).close();
        AtomicInteger losses = new AtomicInteger();
        try (PostgresTaskStore store = open(losingAnswers(losses))) {
            // As many as are no single statement.
            List<NewTask> batch = IntStream.range(0, 100)
                    .mapToObj(i -> Tasks.keyed("key " + i, "{}"))
                    .toList();
            store.submit(List.of(Tasks.of("warm", "up", "names")));
            losses.set(1);
            assertThatThrownBy(() -> store.submit(batch)).isInstanceOf(StoreUnavailable.class);
            assertThat(store.submit(batch)).allMatch(Submitted.Created.class::isInstance);
            assertThat(Tasks.stored(store)).hasSize(101);

            ClaimRequest request = Tasks.request(10);
            losses.set(1);
            assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreUnavailable.class);
            List<Claimed> taken = store.claim(request.again()).tasks();
            assertThat(taken).hasSize(10).allMatch(claimed -> claimed.lease().attempt() == 1);

            losses.set(1);
            List<Settlement> moves = completions(taken);
            assertThatThrownBy(() -> store.settle(moves)).isInstanceOf(StoreUnavailable.class);
            assertThat(store.settle(moves)).containsOnly(Settled.APPLIED);
        }
    }

    @Test
    void aPoolOfOneConnectionIsEnough() {
        try (HikariDataSource one = pool(database, 1);
                PostgresTaskStore store = open(one)) {
            store.operate(List.of(new Operation.SetQueue(
                    Tasks.QUEUE,
                    QueueSettings.builder().deadLetterQueue("never-met").build())));
            store.submit(List.of(Tasks.keyed("a", "{}"), Tasks.plain()));
            List<Claimed> taken = store.claim(Tasks.request(10)).tasks();
            // The names of the letter are new, and there is no second connection to make them.
            assertThat(store.settle(List.of(
                            new Settlement.Fail(taken.get(0).lease(), false, "broken"),
                            new Settlement.Complete(taken.get(1).lease(), null))))
                    .containsOnly(Settled.APPLIED);
            assertThat(Tasks.stored(store)).hasSize(3);
        }
    }

    @Test
    void tenThatMigrateAtOnceMakeTheTablesOnce() throws Exception {
        CyclicBarrier together = new CyclicBarrier(10);
        try (ExecutorService threads = Executors.newFixedThreadPool(10)) {
            List<Future<Submitted>> all = IntStream.range(0, 10)
                    .mapToObj(number -> threads.submit(() -> {
                        together.await();
                        try (PostgresTaskStore store = open(database)) {
                            return Tasks.submit(store, Tasks.keyed("one", "{}"));
                        }
                    }))
                    .toList();
            int created = 0;
            for (Future<Submitted> each : all) {
                created += each.get() instanceof Submitted.Created ? 1 : 0;
            }
            assertThat(created).isEqualTo(1);
        }
    }

    @Test
    void aLaterSchemaIsRefusedUnlessItSaysThatThisProgramCanReadIt() throws SQLException {
        open(pool).close();
        int own = PostgresSchema.VERSION;
        String insert = "INSERT INTO " + schema + ".schema_version (version, readable_from) VALUES (";
        execute(insert + (own + 1) + ", " + own + ")");
        open(pool).close();
        execute("UPDATE " + schema + ".schema_version SET readable_from = version WHERE version = " + (own + 1));
        assertThatThrownBy(() -> open(pool))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("schema version " + (own + 1))
                .hasMessageContaining("knows version " + own);
        execute(insert + (own + 2) + ", 1)");
        assertThatThrownBy(() -> open(pool)).isInstanceOf(StoreUnusable.class).hasMessageContaining("next one at most");
    }

    @Test
    void aProgramThatMayNotMigrateSaysWhatToDo() {
        assertThatThrownBy(() -> PostgresTaskStore.open(
                        pool,
                        PostgresSettings.standard()
                                .withSchema(schema)
                                .withHints(false)
                                .withMigration(false)))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("semel migrate");
    }

    @Test
    void aUserWithTheRightsOfTheHowToPageCanDoEverythingButMigrate() throws SQLException {
        open(pool).close();
        String user = "app_" + schema;
        execute("CREATE ROLE " + user + " LOGIN");
        execute("GRANT USAGE ON SCHEMA " + schema + " TO " + user);
        execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + user);
        execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + user);
        PGSimpleDataSource own = new PGSimpleDataSource();
        own.setServerNames(database.getServerNames());
        own.setPortNumbers(database.getPortNumbers());
        own.setDatabaseName(database.getDatabaseName());
        own.setUser(user);
        try (PostgresTaskStore store = open(own)) {
            store.operate(List.of(new Operation.SetQueue(
                    Tasks.QUEUE, QueueSettings.builder().rateLimit("100/sec").build())));
            store.submit(List.of(Tasks.keyed("a", "{}"), Tasks.plain()));
            List<Settlement> moves = completions(store.claim(Tasks.request(10)).tasks());
            assertThat(store.settle(moves)).hasSize(2).containsOnly(Settled.APPLIED);
            SweepRequest all = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 10);
            assertThat(store.sweep(all).tasks()).isEqualTo(2);
        }
    }

    @Test
    void aTaskThatAnOpenTransactionReplacesHoldsUpNoCompletionOfOthers() throws SQLException {
        try (PostgresTaskStore store = open(pool);
                Connection caller = database.getConnection()) {
            NewTask replaced = Tasks.keyed("replaced", "{}");
            store.submit(List.of(replaced, Tasks.plain(), Tasks.plain()));
            List<Claimed> taken = store.claim(Tasks.request(10)).tasks();
            caller.setAutoCommit(false);
            store.joining().orElseThrow().join(caller).submit(List.of(replacing("replaced")));
            List<Settlement> moves = completions(taken);
            assertThatThrownBy(() -> store.settle(moves)).isInstanceOf(StoreUnavailable.class);
            assertThat(count(store)).isEqualTo(2);
            caller.commit();
            assertThat(store.settle(moves)).containsOnly(Settled.APPLIED);
            assertThat(count(store)).isEqualTo(3);
            assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(1);
        }
    }

    private static NewTask replacing(String key) {
        NewTask task = Tasks.keyed(key, "{}");
        NewTask.KeyRequest request = Objects.requireNonNull(task.key());
        ReusePolicy replace =
                ReusePolicy.of(ReusePolicy.WhileOpen.REPLACE, ReusePolicy.AfterEnd.RERUN, ReusePolicy.AfterEnd.RERUN);
        return new NewTask(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                task.start(),
                task.options(),
                new NewTask.KeyRequest(request.identity(), request.inputHash(), request.ttl(), replace));
    }

    private PostgresTaskStore open(DataSource source) {
        return PostgresTaskStore.open(
                source, PostgresSettings.standard().withSchema(schema).withHints(false));
    }

    private static HikariDataSource pool(DataSource source, int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    private static List<Settlement> completions(List<Claimed> taken) {
        return taken.stream()
                .<Settlement>map(claimed -> new Settlement.Complete(claimed.lease(), "1"))
                .toList();
    }

    private static long count(PostgresTaskStore store) {
        List<TaskId> ids = Tasks.stored(store);
        return store.find(ids).values().stream()
                .filter(task -> task.progress().finishedAt() != null)
                .count();
    }

    /** The next insert into a table kills its own backend; a sequence remembers that, whatever is rolled back. */
    private void killOnce(String table) throws SQLException {
        execute("CREATE SEQUENCE " + schema + ".kills");
        execute("CREATE FUNCTION " + schema + ".kill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('"
                + schema
                + ".kills') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$");
        execute("CREATE TRIGGER kill BEFORE INSERT ON " + schema + "." + table + " FOR EACH ROW EXECUTE FUNCTION "
                + schema + ".kill()");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Connections whose commit is done and then reported as lost, as often as it says. */
    private static DataSource losingAnswers(AtomicInteger losses) {
        return new FewConnections(database, 4) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection real = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        PostgresFaultsTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            try {
                                Object answer = method.invoke(real, arguments);
                                if (method.getName().equals("commit")
                                        && losses.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                                    throw new SQLException("the answer to the commit is lost", "08006");
                                }
                                return answer;
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }
}
