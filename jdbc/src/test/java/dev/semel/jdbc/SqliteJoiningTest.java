package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.store.Applied;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.Submitting;
import dev.semel.store.Transition;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Submissions inside a transaction of the caller's own. */
@Timeout(60)
class SqliteJoiningTest {

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private Path file;
    private SqliteTaskStore store;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        file = directory.resolve("semel.db");
        store = SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
        connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id TEXT)");
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
    void aTransactionThatBeginsWithASubmissionWaitsForOthersAndDoesNotFail() throws Exception {
        // SQLite is not fair: one that waits may wait long while another writes all the time.
        try (Statement patience = connection.createStatement()) {
            patience.execute("PRAGMA busy_timeout = 60000");
        }
        connection.commit();
        AtomicBoolean done = new AtomicBoolean();
        Thread others = Thread.startVirtualThread(() -> {
            while (!done.get()) {
                store.submit(List.of(Tasks.plain()));
            }
        });
        try {
            for (int i = 0; i < 40; i++) {
                assertThat(joined(Tasks.keyed("key-" + i, "{}"))).isInstanceOf(Submitted.Created.class);
                connection.commit();
            }
        } finally {
            done.set(true);
            others.join();
        }
    }

    @Test
    void namesThatWereNewInATransactionThatWasRolledBackAreNewAgain() throws SQLException {
        store.joining(connection).submit(List.of(Tasks.of("tenant", Tasks.QUEUE, "type")));
        connection.rollback();
        NewTask task = Tasks.of("tenant", Tasks.QUEUE, "type");
        store.submit(List.of(task));
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(task.id());
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
    void aBatchThatFailsLeavesTheTransactionAsItWas() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON semel_task WHEN NEW.input = '\"poison\"'"
                    + " BEGIN SELECT RAISE(ABORT, 'poison'); END");
        }
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
    void workersAreToldAfterTheCommit() throws Exception {
        LinkedBlockingQueue<Collection<String>> told = new LinkedBlockingQueue<>();
        store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                told.add(List.copyOf(queues));
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {}
        });
        joined(Tasks.plain());
        assertThat(told).isEmpty();
        connection.commit();
        assertThat(told.poll(30, TimeUnit.SECONDS)).containsExactly(Tasks.QUEUE);
        assertThat(store.claim(Tasks.request(1)).tasks()).hasSize(1);
    }

    @Test
    void aTransactionTakesSubmissionsForALimitedTimeFromTheFirstOneOn() throws SQLException {
        clock.advance(Duration.ofHours(1));
        Submitting joined = store.joining(connection);
        joined.submit(List.of(Tasks.plain()));
        clock.advance(Duration.ofSeconds(5));
        joined.submit(List.of(Tasks.plain()));
        clock.advance(Duration.ofMillis(1));
        assertThatThrownBy(() -> joined.submit(List.of(Tasks.plain())))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("5000 ms")
                .hasMessageContaining("heartbeats");
        connection.commit();
        assertThat(Tasks.stored(store)).hasSize(2);

        joined.submit(List.of(Tasks.plain()));
        connection.rollback();
        assertThat(Tasks.stored(store)).hasSize(2);
    }

    @Test
    void aConnectionThatCannotBeJoinedIsRefused() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("other.db"))) {
            other.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining(other))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("other.db")
                    .hasMessageContaining("same file");
        }
        try (Connection memory = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            memory.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining(memory)).isInstanceOf(InvalidInput.class);
        }
        Submitting joined = store.joining(connection);
        connection.commit();
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> store.joining(connection))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("setAutoCommit(false)");
        assertThatThrownBy(() -> joined.submit(List.of(Tasks.plain()))).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aTransactionThatHasReadAnOlderStateIsToldToBeginAgain() throws SQLException {
        assertThat(orders()).isEmpty();
        Tasks.submit(store, Tasks.plain());
        assertThatThrownBy(() -> joined(Tasks.plain()))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("Roll it back");
        connection.rollback();
        joined(Tasks.plain());
        connection.commit();
        assertThat(Tasks.stored(store)).hasSize(2);
    }

    @Test
    void aTransactionHeldLongerThanTheLeaseCostsNobodyTheLease() throws Exception {
        Tasks.submit(store, Tasks.plain());
        Claims.Claimed running = store.claim(Tasks.request(1)).tasks().get(0);
        try (SqliteTaskStore other = SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock))) {
            joined(Tasks.plain());
            // Both arrive while the lock is held, the thief first.
            CompletableFuture<Claims> thief = CompletableFuture.supplyAsync(() -> store.claim(Tasks.request(10)));
            await().until(() -> store.writer().isWaitingForLock());
            CompletableFuture<List<Applied>> heartbeat = CompletableFuture.supplyAsync(
                    () -> store.apply(List.of(new Transition.Extend(running.lease(), Tasks.LEASE))));
            await().until(() -> store.writer().waiting() == 1);
            clock.advance(Tasks.LEASE.multipliedBy(2));
            await().until(() -> store.writer().wasKeptAt() == clock.millis());
            connection.commit();

            // Another process that did not wait itself.
            assertThat(Tasks.idsOf(other.claim(Tasks.request(10))))
                    .doesNotContain(running.task().id());
            assertThat(heartbeat.join()).containsExactly(Applied.APPLIED);
            assertThat(Tasks.idsOf(thief.join())).doesNotContain(running.task().id());
            assertThat(store.apply(List.of(new Transition.Complete(running.lease(), null))))
                    .containsExactly(Applied.APPLIED);
            assertThat(store.attempts(running.task().id())).hasSize(1);
        }
    }

    @Test
    void afterALongWaitTheLeaseOfADeadWorkerIsTakenABitLater() throws Exception {
        Tasks.submit(store, Tasks.plain());
        TaskId lost = store.claim(Tasks.request(1)).tasks().get(0).task().id();
        joined(Tasks.plain());
        CompletableFuture<Claims> waiting = CompletableFuture.supplyAsync(() -> store.claim(Tasks.request(10)));
        await().until(() -> store.writer().isWaitingForLock());
        clock.advance(Tasks.LEASE.plusSeconds(10));
        connection.rollback();
        assertThat(waiting.join().tasks()).isEmpty();
        assertThat(waiting.join().nextDue()).isNotNull().isPositive();

        clock.advance(Tasks.LEASE.plusSeconds(10));
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(lost);
    }

    private Submitted joined(NewTask task) {
        return store.joining(connection).submit(List.of(task)).get(0);
    }

    private void order(String id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders VALUES ('" + id + "')");
        }
    }

    private List<String> orders() throws SQLException {
        List<String> orders = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM orders ORDER BY rowid")) {
            while (row.next()) {
                orders.add(row.getString(1));
            }
        }
        return orders;
    }
}
