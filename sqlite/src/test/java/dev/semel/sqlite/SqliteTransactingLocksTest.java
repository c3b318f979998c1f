package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.store.Claims;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Transacting;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.process.Child;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who waits for whom while a handler's transaction is open. */
@Timeout(120)
class SqliteTransactingLocksTest {

    // The shared pool may have a single thread, and each of these waits for another.
    private static final Executor OWN_THREADS =
            task -> Thread.ofPlatform().daemon().start(task);

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private Path file;
    private SqliteTaskStore store;

    @BeforeEach
    void open() throws SQLException {
        file = directory.resolve("semel.db");
        store = SqliteTaskStore.open(file, settings());
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id TEXT)");
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private SqliteSettings settings() {
        return SqliteSettings.standard().withClock(clock).withElapsed(clock);
    }

    private Lease begun() {
        Tasks.submit(store, Tasks.plain());
        return store.claim(Tasks.request(1)).tasks().getFirst().lease();
    }

    private static void order(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders VALUES ('one')");
        }
    }

    private int orders() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM orders")) {
            row.next();
            return row.getInt(1);
        }
    }

    private TaskState state(Lease lease) {
        return store.find(List.of(lease.taskId())).get(lease.taskId()).state();
    }

    /** A transaction that is open until a test ends it. */
    private static final class Held {

        private final CountDownLatch inside = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final CompletableFuture<Settled> answer;

        Held(SqliteTaskStore in, Lease lease) throws InterruptedException {
            answer = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return in.transacting().orElseThrow().complete(lease, connection -> {
                                order(connection);
                                inside.countDown();
                                end.await();
                                return null;
                            });
                        } catch (Exception e) {
                            throw new CompletionException(e);
                        }
                    },
                    OWN_THREADS);
            inside.await();
        }

        Settled end() {
            end.countDown();
            return answer.join();
        }
    }

    private CompletableFuture<List<Settled>> extended(SqliteTaskStore in, Lease lease) {
        return CompletableFuture.supplyAsync(
                () -> in.settle(List.of(new Settlement.Extend(lease, Tasks.LEASE))), OWN_THREADS);
    }

    @Test
    void aTransactionHeldLongerThanTheLeaseCostsNobodyTheLease() throws Exception {
        Lease running = begun();
        Lease transacting = begun();
        try (SqliteTaskStore other = SqliteTaskStore.open(file, settings())) {
            Held held = new Held(store, transacting);
            // Both arrive while the lock is held, the thief first.
            CompletableFuture<Claims> thief =
                    CompletableFuture.supplyAsync(() -> store.claim(Tasks.request(10)), OWN_THREADS);
            await().until(() -> store.writer().isWaitingForLock());
            CompletableFuture<List<Settled>> heartbeat = extended(store, running);
            await().until(() -> store.writer().waiting() == 1);
            clock.advance(Tasks.LEASE.multipliedBy(2));
            await().until(() -> store.writer().wasKeptAt() == clock.millis());
            assertThat(held.end()).isEqualTo(Settled.APPLIED);

            // Another process that did not wait itself.
            assertThat(Tasks.idsOf(other.claim(Tasks.request(10)))).doesNotContain(running.taskId());
            assertThat(heartbeat.join()).containsExactly(Settled.APPLIED);
            assertThat(Tasks.idsOf(thief.join())).doesNotContain(running.taskId());
        }
        assertThat(state(transacting)).isEqualTo(TaskState.COMPLETED);
        assertThat(store.settle(List.of(new Settlement.Complete(running, null))))
                .containsExactly(Settled.APPLIED);
        assertThat(store.attempts(running.taskId())).hasSize(1);
    }

    @Test
    void heartbeatsWaitForOneTransactionHoweverManyAreWanted() throws Exception {
        Lease running = begun();
        int handlers = 24;
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < handlers; i++) {
            leases.add(begun());
        }
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch first = new CountDownLatch(1);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (Lease lease : leases) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            all.add(end);
            Thread.startVirtualThread(() -> {
                try {
                    store.transacting().orElseThrow().complete(lease, connection -> {
                        first.countDown();
                        go.await();
                        order(connection);
                        ended.incrementAndGet();
                        return null;
                    });
                    end.complete(null);
                } catch (Throwable e) {
                    end.completeExceptionally(e);
                }
            });
        }
        first.await();
        CompletableFuture<List<Settled>> heartbeat = extended(store, running);
        await().until(() -> store.writer().isWaitingForLock());
        go.countDown();
        assertThat(heartbeat.join()).containsExactly(Settled.APPLIED);
        assertThat(ended.get()).as("transactions before the heartbeat").isLessThan(handlers / 2);
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        assertThat(orders()).isEqualTo(handlers);
        leases.forEach(lease -> assertThat(state(lease)).isEqualTo(TaskState.COMPLETED));
    }

    @Test
    void transactionsHaveTheirTurnWhileTheWriterIsBusy() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            leases.add(begun());
        }
        List<Thread> busy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            busy.add(Thread.startVirtualThread(() -> {
                while (!done.get()) {
                    store.submit(List.of(Tasks.plain()));
                }
            }));
        }
        try {
            for (Lease lease : leases) {
                long before = store.writer().commits();
                assertThat(store.transacting().orElseThrow().complete(lease, connection -> {
                            order(connection);
                            return null;
                        }))
                        .isEqualTo(Settled.APPLIED);
                assertThat(store.writer().commits() - before).isLessThan(50);
            }
        } finally {
            done.set(true);
            for (Thread thread : busy) {
                thread.join();
            }
        }
        assertThat(orders()).isEqualTo(20);
    }

    @Test
    void whoWaitsTooLongIsToldSoAndNothingHasHappened() throws Exception {
        Lease lease = begun();
        Lease waiting = begun();
        SqliteSettings impatient = settings().withLockLimit(Duration.ofMillis(50));
        try (SqliteTaskStore other = SqliteTaskStore.open(file, impatient)) {
            Held held = new Held(store, lease);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> other.transacting().orElseThrow().complete(waiting, connection -> {
                            throw new AssertionError("must not run");
                        }))
                        .isInstanceOf(StoreUnavailable.class)
                        .hasMessageContaining("locked");
            }
            assertThatThrownBy(() -> other.settle(List.of(new Settlement.Extend(waiting, Tasks.LEASE))))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("locked");
            held.end();
            assertThat(other.transacting().orElseThrow().complete(waiting, connection -> null))
                    .isEqualTo(Settled.APPLIED);
        }
    }

    @Test
    void handlersOfOneStoreThatWaitTooLongForEachOtherAreToldSo() throws Exception {
        store.close();
        store = SqliteTaskStore.open(file, settings().withLockLimit(Duration.ofMillis(50)));
        Lease lease = begun();
        Lease waiting = begun();
        Held held = new Held(store, lease);
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(waiting, connection -> null))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("a handler in this one");
        assertThatThrownBy(() -> store.settle(List.of(new Settlement.Extend(waiting, Tasks.LEASE))))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("a handler in this one");
        assertThat(held.end()).isEqualTo(Settled.APPLIED);
        assertThat(store.transacting().orElseThrow().complete(waiting, connection -> null))
                .isEqualTo(Settled.APPLIED);
    }

    @Test
    void aHandlerThatIsInterruptedWhileItWaitsHasBegunNothing() throws Exception {
        Lease lease = begun();
        Lease waiting = begun();
        Held held = new Held(store, lease);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread handler = Thread.startVirtualThread(() -> {
            try {
                store.transacting().orElseThrow().complete(waiting, connection -> null);
            } catch (Throwable e) {
                thrown.set(e);
                interrupted.set(Thread.currentThread().isInterrupted());
            }
        });
        await().until(() -> handler.getState() == Thread.State.TIMED_WAITING);
        handler.interrupt();
        handler.join();
        assertThat(thrown.get()).isInstanceOf(StoreUnavailable.class).hasMessageContaining("interrupted");
        assertThat(interrupted).isTrue();
        held.end();
        assertThat(store.transacting().orElseThrow().complete(waiting, connection -> null))
                .isEqualTo(Settled.APPLIED);
    }

    @Test
    void aStoreThatIsClosedRollsBackAndLetsOthersWrite() throws Exception {
        Lease lease = begun();
        Held held = new Held(store, lease);
        store.close();
        try (SqliteTaskStore other = SqliteTaskStore.open(file, settings().withLockLimit(Duration.ofSeconds(5)))) {
            assertThat(other.settle(List.of(new Settlement.Extend(lease, Tasks.LEASE))))
                    .as("while the handler is still inside")
                    .containsExactly(Settled.APPLIED);
            assertThatThrownBy(held::end)
                    .cause()
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("is closed");
            assertThat(orders()).isZero();
            assertThat(other.transacting().orElseThrow().complete(lease, connection -> null))
                    .isEqualTo(Settled.APPLIED);
        }
        assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, connection -> null))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void aHandlerInTheMiddleOfALongStatementIsStoppedWhenTheStoreIsClosed() throws Exception {
        Lease lease = begun();
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<Settled> answer = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return store.transacting().orElseThrow().complete(lease, connection -> {
                            try (Statement statement = connection.createStatement()) {
                                inside.countDown();
                                // Would take hours.
                                statement.execute("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                                        + " INSERT INTO orders SELECT i FROM n WHERE i > 1000000000000");
                            }
                            return null;
                        });
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                OWN_THREADS);
        inside.await();
        store.close();
        assertThatThrownBy(answer::join)
                .cause()
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("is closed");
        assertThat(orders()).isZero();
    }

    @Test
    void anotherProcessWaitsForTheTransactionAndTakesOverWhenItsProcessDies() throws Exception {
        try (Child child = Child.run(Transacting.class, file)) {
            child.expect("inside");
            try (SqliteTaskStore impatient =
                    SqliteTaskStore.open(file, SqliteSettings.standard().withLockLimit(Duration.ofMillis(50)))) {
                assertThatThrownBy(() -> Tasks.submit(impatient, Tasks.plain()))
                        .isInstanceOf(StoreUnavailable.class)
                        .hasMessageContaining("locked");
            }
            child.kill();
            child.exit();
        }
        try (SqliteTaskStore other = SqliteTaskStore.open(file)) {
            Tasks.submit(other, Tasks.plain());
            assertThat(orders()).isZero();
            assertThat(Tasks.stored(other)).hasSize(2);
        }
    }

    /** Holds a transaction open until it is killed. */
    static final class Transacting {
        public static void main(String[] arguments) throws Exception {
            try (SqliteTaskStore store = SqliteTaskStore.open(Path.of(arguments[0]))) {
                Tasks.submit(store, Tasks.plain());
                Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
                store.transacting().orElseThrow().complete(lease, connection -> {
                    order(connection);
                    System.out.println("inside");
                    new CountDownLatch(1).await();
                    return null;
                });
            }
        }
    }
}
