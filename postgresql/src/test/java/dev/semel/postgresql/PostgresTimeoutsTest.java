package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.postgresql.PostgresScenes.Call;
import dev.semel.store.ClaimRequest;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** A server that ends statements because they run or wait for too long. */
@Timeout(120)
class PostgresTimeoutsTest {

    private static final SweepRequest SWEEP = new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 10);

    private static int roles;

    private Connection look;
    private PGSimpleDataSource hasty;
    private PostgresTaskStore store;

    /** A user whose statements may not take longer than half a second, and one who has time. */
    @BeforeEach
    void open() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        look = database.getConnection();
        PostgresSettings settings = PostgresSettings.standard().withHints(false);
        PostgresTaskStore.open(database, settings).close();
        String role = "hasty_" + ++roles;
        execute("CREATE ROLE " + role + " LOGIN SUPERUSER");
        execute("ALTER ROLE " + role + " SET statement_timeout = '500ms'");
        execute("CREATE FUNCTION public.dawdle() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_sleep(60); RETURN coalesce(NEW, OLD); END $$");
        store = PostgresTaskStore.open(new FewConnections(database, 4), settings);
        hasty = PostgresWireTest.copyOf(database);
        hasty.setUser(role);
    }

    @AfterEach
    void close() throws SQLException {
        StoreInvariants.check(store);
        store.close();
        look.close();
    }

    @Test
    void aSubmissionThatTakesTooLongLeavesNothing() throws SQLException {
        List<NewTask> batch = List.of(Tasks.keyed("a", "{}"), Tasks.plain(), Tasks.keyed("b", "{}"));
        interrupted("INSERT ON semel.ready", (store, again) -> store.submit(batch));
        assertThat(store.record(Tasks.identity("a"))).isEmpty();
        assertThat(Tasks.stored(store)).isEmpty();
        assertThat(store.submit(batch)).hasSize(3).allMatch(Submitted.Created.class::isInstance);
    }

    @Test
    void aClaimThatTakesTooLongTakesNothing() throws SQLException {
        store.submit(List.of(Tasks.plain(), Tasks.plain()));
        ClaimRequest request = Tasks.request(10);
        interrupted("INSERT ON semel.running", (store, again) -> store.claim(request));
        assertThat(store.find(Tasks.stored(store)).values()).allMatch(task -> task.state() == TaskState.PENDING);
        assertThat(store.claim(request.again()).tasks())
                .hasSize(2)
                .allMatch(claimed -> claimed.lease().attempt() == 1);
    }

    @Test
    void aSettlementThatTakesTooLongChangesNothing() throws SQLException {
        store.submit(List.of(Tasks.plain(), Tasks.plain()));
        List<Settlement> moves = completions();
        interrupted("INSERT ON semel.done", (store, again) -> store.settle(moves));
        assertThat(Tasks.stored(store)).hasSize(2);
        assertThat(store.find(Tasks.stored(store)).values())
                .allMatch(task -> task.progress().finishedAt() == null);
        assertThat(store.settle(moves)).containsOnly(Settled.APPLIED);
    }

    @Test
    void aSweepThatTakesTooLongRemovesNothing() throws SQLException {
        store.submit(List.of(Tasks.keyed("a", "{}"), Tasks.plain()));
        store.settle(completions());
        interrupted("DELETE ON semel.task", (store, again) -> store.sweep(SWEEP));
        assertThat(Tasks.stored(store)).hasSize(2);
        assertThat(store.sweep(SWEEP).tasks()).isEqualTo(2);
        assertThat(store.record(Tasks.identity("a"))).isPresent();
    }

    @Test
    void aLookThatTakesTooLongMayBeRepeated() throws SQLException {
        store.submit(List.of(Tasks.plain()));
        List<TaskId> ids = Tasks.stored(store);
        execute("ALTER TABLE semel.task RENAME TO task_itself");
        execute("CREATE VIEW semel.task AS SELECT t.* FROM semel.task_itself t, pg_sleep(60)");
        assertInterrupted((store, again) -> store.find(ids));
        execute("DROP VIEW semel.task");
        execute("ALTER TABLE semel.task_itself RENAME TO task");
        assertThat(store.find(ids)).hasSize(1);
    }

    @Test
    void tablesThatAreLockedForTooLongAreToBeTriedAgainLater() throws Exception {
        store.submit(List.of(Tasks.plain(), Tasks.keyed("a", "{}")));
        List<Settlement> moves = completions();
        List<NewTask> batch = List.of(Tasks.plain(), Tasks.keyed("b", "{}"));
        ClaimRequest request = Tasks.request(10);
        List<Callable<?>> calls = List.of(
                () -> store.submit(batch),
                () -> store.settle(moves),
                () -> store.claim(request),
                () -> store.sweep(SWEEP));
        look.setAutoCommit(false);
        execute("LOCK TABLE semel.ready, semel.running, semel.done, semel.task IN ACCESS EXCLUSIVE MODE");
        try (ExecutorService threads = Executors.newFixedThreadPool(calls.size())) {
            List<Future<?>> all = new ArrayList<>();
            calls.forEach(call ->
                    all.add(threads.submit(() -> assertThatThrownBy(call::call).isInstanceOf(StoreUnavailable.class))));
            for (Future<?> each : all) {
                each.get();
            }
        }
        look.rollback();
        look.setAutoCommit(true);
        assertThat(store.submit(batch)).allMatch(Submitted.Created.class::isInstance);
        assertThat(store.settle(moves)).containsOnly(Settled.APPLIED);
        assertThat(store.claim(request.again()).tasks()).hasSize(2);
        assertThat(store.sweep(SWEEP).tasks()).isEqualTo(2);
    }

    private List<Settlement> completions() {
        return store.claim(Tasks.request(10)).tasks().stream()
                .<Settlement>map(claimed -> new Settlement.Complete(claimed.lease(), "1"))
                .toList();
    }

    /** Makes a call whose last step never ends, and which therefore the server ends. */
    private void interrupted(String where, Call call) throws SQLException {
        execute("CREATE TRIGGER dawdle BEFORE " + where + " FOR EACH STATEMENT EXECUTE FUNCTION public.dawdle()");
        assertInterrupted(call);
        execute("DROP TRIGGER dawdle ON " + where.substring(where.indexOf("semel.")));
    }

    private void assertInterrupted(Call call) {
        // On a busy machine opening it may take too long as well.
        AtomicReference<PostgresTaskStore> opened = new AtomicReference<>();
        await().ignoreException(StoreUnavailable.class).until(() -> {
            opened.set(PostgresTaskStore.open(
                    new FewConnections(hasty, 2), PostgresSettings.standard().withHints(false)));
            return true;
        });
        try (PostgresTaskStore interrupted = opened.get()) {
            assertThatThrownBy(() -> call.make(interrupted, false))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("57014");
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = look.createStatement()) {
            statement.execute(sql);
        }
    }
}
