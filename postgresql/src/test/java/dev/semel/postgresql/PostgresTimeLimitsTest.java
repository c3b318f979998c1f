package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.store.ClaimRequest;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Time limits that pass while other transactions are at work: they hold up no claim, and no limit is lost. */
@Timeout(120)
class PostgresTimeLimitsTest {

    private static final Duration START_BY = Duration.ofMinutes(1);
    private static final String OTHER_TENANT = "other";
    private static final int CLAIM = 10;

    private final PGSimpleDataSource database = PostgresServer.freshDatabase();
    private final ManualClock clock = new ManualClock();
    private PostgresTaskStore store;
    private Connection connection;
    private Statement other;

    @BeforeEach
    void open() throws SQLException {
        store = PostgresTaskStore.open(
                database,
                PostgresSettings.standard().withHints(false).withClock(clock).withLockLimit(Duration.ofSeconds(30)));
        connection = database.getConnection();
        other = connection.createStatement();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        store.close();
    }

    private static NewTask limited(String tenant, String queue, Duration startBy) {
        return new NewTask(
                Tasks.id(),
                tenant,
                queue,
                Tasks.TYPE,
                "{}",
                NewTask.Start.now(),
                TaskOptions.NONE.withLimits(TimeLimits.of(null, startBy)),
                null);
    }

    private static NewTask limited() {
        return limited(Identity.DEFAULT_TENANT, Tasks.QUEUE, START_BY);
    }

    private TaskState state(TaskId id) {
        return Objects.requireNonNull(store.find(List.of(id)).get(id)).state();
    }

    private long number(String query) throws SQLException {
        try (ResultSet row = other.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void sweep() {
        store.sweep(SweepRequest.ofVanished());
    }

    @Test
    void aTaskThatIsRedrivenWhileItsOldLimitIsLookedAtKeepsItsFreshLimit() throws Exception {
        NewTask task = limited();
        Tasks.submit(store, task);
        Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        store.settle(List.of(new Settlement.Fail(lease, false, "broken")));
        clock.advance(START_BY);
        // As a redrive does, behind the look at the task and before its row is removed.
        long fresh = clock.instant().plus(START_BY).toEpochMilli();
        connection.setAutoCommit(false);
        other.executeUpdate("UPDATE semel.time_limit SET at = " + fresh);
        CompletableFuture<Void> sweep = CompletableFuture.runAsync(this::sweep);
        await().until(() -> number("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE wait_event_type = 'Lock' AND datname = current_database()")
                == 1);
        connection.commit();
        sweep.join();
        assertThat(number("SELECT at FROM semel.time_limit")).isEqualTo(fresh);
    }

    @Test
    void aTaskThatACallerHasLockedHoldsUpNeitherClaimsNorSweepsWhenItsLimitPasses() throws SQLException {
        NewTask locked = limited();
        NewTask free = limited();
        store.submit(List.of(locked, free));
        connection.setAutoCommit(false);
        other.execute("SELECT 1 FROM semel.ready WHERE task = '" + locked.id() + "' FOR UPDATE");
        clock.advance(START_BY);
        NewTask plain = Tasks.plain();
        Tasks.submit(store, plain);
        assertThat(Tasks.idsOf(store.claim(Tasks.request(CLAIM)))).containsExactly(plain.id());
        sweep();
        assertThat(state(free.id())).isEqualTo(TaskState.TIMED_OUT);
        assertThat(state(locked.id())).isEqualTo(TaskState.PENDING);
        connection.rollback();
        assertThat(Tasks.idsOf(store.claim(Tasks.request(CLAIM)))).isEmpty();
        assertThat(state(locked.id())).isEqualTo(TaskState.TIMED_OUT);
    }

    @Test
    void aLockedTaskWithAMutexOrInASharedLeaseIsLeftToTheNextSweep() throws SQLException {
        Duration total = START_BY;
        NewTask shared = new NewTask(
                Tasks.id(),
                Identity.DEFAULT_TENANT,
                Tasks.QUEUE,
                Tasks.TYPE,
                "{}",
                NewTask.Start.now(),
                TaskOptions.NONE.withLimits(TimeLimits.of(total, null)),
                null);
        store.submit(
                Stream.concat(Stream.of(shared), Stream.generate(Tasks::plain).limit(99))
                        .toList());
        assertThat(store.claim(Tasks.request(100)).tasks()).hasSize(100);
        NewTask mutex = new NewTask(
                Tasks.id(),
                Identity.DEFAULT_TENANT,
                Tasks.QUEUE,
                Tasks.TYPE,
                "{}",
                NewTask.Start.now(),
                new TaskOptions(0, null, null, "m").withLimits(TimeLimits.of(null, START_BY)),
                null);
        Tasks.submit(store, mutex);
        connection.setAutoCommit(false);
        assertThat(number("SELECT count(*) FROM (SELECT 1 FROM semel.lease FOR UPDATE) l"))
                .isEqualTo(1);
        other.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(mutex, 7)) FROM semel.ready WHERE mutex IS NOT NULL");
        clock.advance(START_BY);
        sweep();
        assertThat(state(mutex.id())).isEqualTo(TaskState.PENDING);
        assertThat(store.find(List.of(shared.id())).get(shared.id()).progress().cancelRequested())
                .isFalse();
        connection.rollback();
        sweep();
        assertThat(state(mutex.id())).isEqualTo(TaskState.TIMED_OUT);
        assertThat(store.find(List.of(shared.id())).get(shared.id()).progress().cancelRequested())
                .isTrue();
    }

    @Test
    void aClaimEndsNoMoreOverdueTasksThanItMayTakeAndGivesOutTheTasksOfOtherTenants() throws SQLException {
        store.submit(Stream.generate(() -> limited(OTHER_TENANT, Tasks.QUEUE, Duration.ofMillis(1)))
                .limit(10 * CLAIM)
                .toList());
        clock.advance(Duration.ofMillis(1));
        NewTask plain = Tasks.plain();
        Tasks.submit(store, plain);
        assertThat(Tasks.idsOf(store.claim(Tasks.request(CLAIM)))).containsExactly(plain.id());
        assertThat(number("SELECT count(*) FROM semel.done")).isBetween(1L, (long) CLAIM);
        sweep();
        assertThat(number("SELECT count(*) FROM semel.done")).isEqualTo(10 * CLAIM);
        assertThat(number("SELECT count(*) FROM semel.time_limit")).isZero();
    }

    @Test
    void claimsOfTasksWithoutALimitDoNotReadTheLimitsOfOthers() throws SQLException {
        store.submit(Stream.generate(() -> limited(Identity.DEFAULT_TENANT, "limited", START_BY))
                .limit(CLAIM)
                .toList());
        clock.advance(START_BY);
        store.close();
        long before = readsOfLimits();
        try (PostgresTaskStore fresh = PostgresTaskStore.open(
                database, PostgresSettings.standard().withHints(false).withClock(clock))) {
            for (int i = 0; i < 5; i++) {
                NewTask plain = Tasks.plain();
                Tasks.submit(fresh, plain);
                assertThat(Tasks.idsOf(fresh.claim(Tasks.request(CLAIM)))).containsExactly(plain.id());
            }
            ClaimRequest limited =
                    new ClaimRequest(1, false, Set.of("limited"), null, CLAIM, CLAIM, Tasks.LEASE, "worker");
            assertThat(readsOfLimits()).isEqualTo(before);
            assertThat(fresh.claim(limited).tasks()).isEmpty();
        }
        assertThat(readsOfLimits()).isGreaterThan(before);
    }

    /** How often the limits were read, once the store's connections are closed and have reported it. */
    private long readsOfLimits() throws SQLException {
        await().until(() -> number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND backend_type = 'client backend'")
                == 1);
        return number("SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables"
                + " WHERE schemaname = 'semel' AND relname = 'time_limit'");
    }
}
