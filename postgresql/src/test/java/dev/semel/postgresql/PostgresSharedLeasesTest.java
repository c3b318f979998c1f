package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases that tasks share, as far as the contract cannot see them. */
@Timeout(60)
class PostgresSharedLeasesTest {

    private static DataSource database;
    private static int schemas;

    private final ManualClock clock = new ManualClock();
    private String schema;
    private PostgresTaskStore store;

    @BeforeAll
    static void connect() {
        database = PostgresServer.freshDatabase();
    }

    @BeforeEach
    void open() {
        schema = "leases" + ++schemas;
        store = another();
    }

    private PostgresTaskStore another() {
        return PostgresTaskStore.open(
                database,
                PostgresSettings.standard()
                        .withSchema(schema)
                        .withHints(false)
                        .withClock(clock)
                        .withLockLimit(Duration.ofMillis(200)));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void tasksThatAreClaimedTogetherHaveOneLeaseUntilTheLastOfThemHasCompleted() throws SQLException {
        List<Claimed> claimed = claimed(10);
        assertThat(count("lease")).isEqualTo(1);
        assertThat(count("running")).isZero();
        assertThat(store.settle(completions(claimed.subList(0, 9)))).containsOnly(Settled.APPLIED);
        assertThat(count("lease WHERE open = 1")).isEqualTo(1);
        assertThat(store.settle(completions(claimed))).containsOnly(Settled.APPLIED);
        assertThat(count("lease")).isZero();
        assertThat(count("running")).isZero();
        assertThat(count("done WHERE state = 'completed'")).isEqualTo(10);
    }

    @Test
    void fewTasksHaveLeasesOfTheirOwn() throws SQLException {
        assertThat(claimed(3)).hasSize(3);
        assertThat(count("lease")).isZero();
        assertThat(count("running")).isEqualTo(3);
    }

    @Test
    void anotherProcessThanTheOneThatClaimedCanEndThem() throws SQLException {
        List<Claimed> claimed = claimed(10);
        try (PostgresTaskStore other = another()) {
            assertThat(other.settle(completions(claimed.subList(0, 5)))).containsOnly(Settled.APPLIED);
            assertThat(other.settle(List.of(new Settlement.Fail(claimed.get(5).lease(), false, "no"))))
                    .containsOnly(Settled.APPLIED);
        }
        assertThat(store.settle(completions(claimed.subList(5, 10))))
                .containsExactly(Settled.STALE, Settled.APPLIED, Settled.APPLIED, Settled.APPLIED, Settled.APPLIED);
        assertThat(count("lease")).isZero();
        assertThat(count("running")).isZero();
        assertThat(count("done")).isEqualTo(10);
    }

    @Test
    void aTaskThatAnOperatorTookOutKeepsItsLease() throws SQLException {
        List<Claimed> claimed = claimed(10);
        Claimed cancelled = claimed.get(3);
        assertThat(store.operate(List.of(new Operation.Cancel(cancelled.task().id()))))
                .containsOnly(Operated.CANCEL_REQUESTED);
        assertThat(count("lease WHERE open = 9")).isEqualTo(1);
        assertThat(count("running WHERE claim = " + cancelled.lease().claim())).isEqualTo(1);
        assertThat(store.settle(extensions(claimed)).get(3)).isEqualTo(Settled.CANCEL_REQUESTED);
        assertThat(count("lease")).isEqualTo(1);
        assertThat(store.settle(completions(claimed))).containsOnly(Settled.APPLIED);
        assertThat(count("lease")).isZero();
        assertThat(count("running")).isZero();
    }

    @Test
    void aSharedLeaseIsFoundByItsClaimAlone() throws SQLException {
        List<Claimed> claimed = claimed(10);
        List<Claimed> others = claimed(10);
        Lease lease = claimed.getFirst().lease();
        Lease astray = new Lease(
                lease.taskId(), lease.attempt(), others.getFirst().lease().claim());
        assertThat(store.settle(List.of(new Settlement.Complete(astray, null)))).containsOnly(Settled.STALE);
        assertThat(count("lease WHERE open = 10")).isEqualTo(2);
        assertThat(count("done")).isZero();
    }

    @Test
    void oneClaimNumberMayHaveSeveralLeases() throws SQLException {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            batch.add(Tasks.of(Identity.DEFAULT_TENANT, Tasks.QUEUE, "type-" + i % 3));
        }
        store.submit(batch);
        List<Claimed> claimed = store.claim(Tasks.request(30)).tasks();
        assertThat(count("lease")).isEqualTo(3);
        assertThat(store.settle(completions(claimed.subList(0, 15)))).containsOnly(Settled.APPLIED);
        assertThat(store.settle(extensions(claimed.subList(15, 30)))).containsOnly(Settled.APPLIED);
        assertThat(store.settle(completions(claimed))).containsOnly(Settled.APPLIED);
        assertThat(count("lease")).isZero();
        assertThat(count("running")).isZero();
        assertThat(count("done")).isEqualTo(30);
    }

    @Test
    void anExtensionOfAllMovesTheLeaseAndOneOfSomeTakesThemOut() throws SQLException {
        List<Claimed> claimed = claimed(10);
        clock.advance(Duration.ofSeconds(10));
        assertThat(store.settle(extensions(claimed))).containsOnly(Settled.APPLIED);
        assertThat(count("lease")).isEqualTo(1);
        clock.advance(Duration.ofSeconds(10));
        assertThat(store.settle(extensions(claimed.subList(0, 4)))).containsOnly(Settled.APPLIED);
        assertThat(count("lease WHERE open = 6")).isEqualTo(1);
        assertThat(count("running")).isEqualTo(4);
        // The six others end first, and can be claimed again; the four still run.
        clock.advance(Duration.ofSeconds(20));
        assertThat(Tasks.idsOf(store.claim(Tasks.request(20))))
                .containsExactlyInAnyOrderElementsOf(ids(claimed.subList(4, 10)));
        assertThat(count("lease")).isZero();
        assertThat(store.settle(completions(claimed.subList(0, 4)))).containsOnly(Settled.APPLIED);
        assertThat(store.settle(completions(claimed.subList(4, 10)))).containsOnly(Settled.STALE);
    }

    @Test
    void aTransactionThatStaysOpenAndReplacesOneOfThemHoldsUpNoOther() throws SQLException {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            batch.add(Tasks.keyed("key " + i, "{}"));
        }
        store.submit(batch);
        List<Claimed> claimed = store.claim(Tasks.request(10)).tasks();
        assertThat(count("lease")).isEqualTo(1);
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            assertThat(store.joining().orElseThrow().join(connection).submit(List.of(replacing("key 3"))))
                    .singleElement()
                    .isInstanceOf(Submitted.Created.class);
            List<Claimed> others = new ArrayList<>(claimed);
            others.removeIf(task -> task.task().id().equals(batch.get(3).id()));
            assertThat(store.settle(extensions(others))).containsOnly(Settled.APPLIED);
            assertThat(store.settle(completions(others))).containsOnly(Settled.APPLIED);
            connection.rollback();
        }
        // Nothing but its lease of its own is left of the replacement that was rolled back.
        assertThat(store.settle(completions(claimed))).containsOnly(Settled.APPLIED);
        assertThat(store.find(List.of(batch.get(3).id())).get(batch.get(3).id()).state())
                .isEqualTo(TaskState.COMPLETED);
    }

    private static NewTask replacing(String key) {
        NewTask task = Tasks.keyed(key, "{}");
        NewTask.KeyRequest request = task.key();
        return new NewTask(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                task.start(),
                task.options(),
                new NewTask.KeyRequest(
                        request.identity(),
                        request.inputHash(),
                        request.ttl(),
                        ReusePolicy.of(
                                ReusePolicy.WhileOpen.REPLACE,
                                ReusePolicy.AfterEnd.RETURN,
                                ReusePolicy.AfterEnd.RERUN)));
    }

    /** So many tasks, submitted and claimed at once. */
    private List<Claimed> claimed(int number) {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            batch.add(Tasks.plain());
        }
        store.submit(batch);
        List<Claimed> claimed = store.claim(Tasks.request(number)).tasks();
        assertThat(claimed).hasSize(number);
        return claimed;
    }

    private static List<Settlement> completions(List<Claimed> claimed) {
        List<Settlement> settlements = new ArrayList<>();
        claimed.forEach(task -> settlements.add(new Settlement.Complete(task.lease(), null)));
        return settlements;
    }

    private static List<Settlement> extensions(List<Claimed> claimed) {
        List<Settlement> settlements = new ArrayList<>();
        claimed.forEach(task -> settlements.add(new Settlement.Extend(task.lease(), Tasks.LEASE)));
        return settlements;
    }

    private static List<TaskId> ids(List<Claimed> claimed) {
        return claimed.stream().map(task -> task.task().id()).toList();
    }

    private int count(String what) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + schema + "." + what)) {
            row.next();
            return row.getInt(1);
        }
    }
}
