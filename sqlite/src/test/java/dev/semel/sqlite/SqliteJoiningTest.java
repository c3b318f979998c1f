package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.store.Claims;
import dev.semel.store.Joining;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import dev.semel.storetests.JoiningContract;
import dev.semel.storetests.Tasks;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The laws of joining, and what is special about SQLite: one transaction writes at a time. */
class SqliteJoiningTest extends JoiningContract {

    @TempDir
    Path directory;

    private ManualClock clock;
    private Path file;
    private SqliteTaskStore store;
    private Connection connection;

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        file = directory.resolve("semel.db");
        store = SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
        return store;
    }

    @Override
    protected Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }

    @Override
    protected void poison(String document) throws SQLException {
        try (Connection another = connect();
                Statement statement = another.createStatement()) {
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON semel_task WHEN NEW.input = '" + document
                    + "' BEGIN SELECT RAISE(ABORT, 'poison'); END");
        }
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
    void workersAreToldAfterTheCommit() throws Exception {
        LinkedBlockingQueue<Collection<String>> hints = new LinkedBlockingQueue<>();
        store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                hints.add(List.copyOf(queues));
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {}
        });
        joined(Tasks.plain());
        assertThat(hints).isEmpty();
        connection.commit();
        assertThat(hints.poll(30, TimeUnit.SECONDS)).containsExactly(Tasks.QUEUE);
        assertThat(store.claim(Tasks.request(1)).tasks()).hasSize(1);
    }

    @Test
    void aTransactionTakesSubmissionsForALimitedTimeFromTheFirstOneOn() throws SQLException {
        clock.advance(Duration.ofHours(1));
        Joining.Joined joined = store.joining().orElseThrow().join(connection);
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
    void aConnectionToAnotherDatabaseIsRefused() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("other.db"))) {
            other.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining().orElseThrow().join(other))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("other.db")
                    .hasMessageContaining("same file");
        }
        try (Connection memory = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            memory.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining().orElseThrow().join(memory)).isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    void aTransactionThatHasReadAnOlderStateIsToldToBeginAgain() throws SQLException {
        read();
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
            CompletableFuture<List<Settled>> heartbeat = CompletableFuture.supplyAsync(
                    () -> store.settle(List.of(new Settlement.Extend(running.lease(), Tasks.LEASE))));
            await().until(() -> store.writer().waiting() == 1);
            clock.advance(Tasks.LEASE.multipliedBy(2));
            await().until(() -> store.writer().wasKeptAt() == clock.millis());
            connection.commit();

            // Another process that did not wait itself.
            assertThat(Tasks.idsOf(other.claim(Tasks.request(10))))
                    .doesNotContain(running.task().id());
            assertThat(heartbeat.join()).containsExactly(Settled.APPLIED);
            assertThat(Tasks.idsOf(thief.join())).doesNotContain(running.task().id());
            assertThat(store.settle(List.of(new Settlement.Complete(running.lease(), null))))
                    .containsExactly(Settled.APPLIED);
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
        return store.joining()
                .orElseThrow()
                .join(connection)
                .submit(List.of(task))
                .get(0);
    }

    private void read() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM semel_task")) {
            assertThat(row.next()).isTrue();
        }
    }
}
