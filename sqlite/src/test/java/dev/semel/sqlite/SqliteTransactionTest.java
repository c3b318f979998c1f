package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.engine.Handler;
import dev.semel.engine.Worker;
import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.InvalidInput;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Handlers that complete their task in a transaction, on SQLite. */
@Timeout(120)
class SqliteTransactionTest {

    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO))
            .build();
    private static final TaskType<String, String> NEXT = TaskType.of("next", String.class, String.class);

    @TempDir
    Path directory;

    private Path file;
    private SqliteTaskStore store;
    private Semel semel;

    @BeforeEach
    void open() throws SQLException {
        file = directory.resolve("semel.db");
        store = SqliteTaskStore.open(file);
        semel = Semel.on(store).build();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id TEXT)");
        }
    }

    @AfterEach
    void close() {
        semel.close();
    }

    private TaskId submit() {
        return semel.submit(WORK, "order-1").idempotencyKey("key").send().taskId();
    }

    private Worker start(Handler<String, String> handler) {
        return semel.worker("default")
                .name("w1")
                .lease(Duration.ofMillis(600))
                .closeGrace(Duration.ofMillis(200))
                .handle(WORK, handler)
                .start();
    }

    private static void order(Connection connection, String id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO orders VALUES ('" + id + "')");
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

    private Task awaitEnd(TaskId id) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !store.find(List.of(id)).get(id).state().isOpen());
        return store.find(List.of(id)).get(id);
    }

    @Test
    void effectsComeBeforeTheTransactionAndTheNextTaskOutOfIt() throws Exception {
        TaskId id = submit();
        AtomicInteger charges = new AtomicInteger();
        start((context, order) -> {
            String receipt = context.effect("charge", String.class, token -> "receipt " + charges.incrementAndGet());
            return context.transaction(connection -> {
                order(connection, order);
                semel.joining(connection)
                        .submit(NEXT, receipt)
                        .idempotencyKey("next-" + order)
                        .send();
                if (context.attempt() < 3) {
                    throw new IOException("not yet");
                }
                return receipt;
            });
        });
        Task done = awaitEnd(id);
        assertThat(done.state()).isEqualTo(TaskState.COMPLETED);
        assertThat(done.progress().result()).isEqualTo("\"receipt 1\"");
        assertThat(charges).hasValue(1);
        assertThat(orders()).isEqualTo(1);
        assertThat(semel.effects().of(id)).extracting(EffectRecord::state).containsExactly(EffectState.DONE);
        assertThat(store.attempts(id))
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.RETRIED, Attempt.Outcome.RETRIED, Attempt.Outcome.COMPLETED);
        assertThat(store.list(TaskQuery.all(10)).tasks())
                .filteredOn(task -> task.type().equals("next"))
                .singleElement()
                .satisfies(next -> assertThat(next.input()).isEqualTo("\"receipt 1\""));
    }

    @Test
    void aTransactionThatTakesLongerThanTheLeaseKeepsIt() throws Exception {
        TaskId id = submit();
        AtomicInteger attempts = new AtomicInteger();
        start((context, order) -> context.transaction(connection -> {
            attempts.incrementAndGet();
            order(connection, order);
            // The heartbeat of this very task waits for the lock until the lease has run out.
            await().until(() -> store.writer().isWaitingForLock());
            await().until(() -> Instant.now()
                    .isAfter(store.find(List.of(id)).get(id).progress().dueAt().plusMillis(100)));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            return order;
        }));
        assertThat(awaitEnd(id).state()).isEqualTo(TaskState.COMPLETED);
        assertThat(attempts).hasValue(1);
        assertThat(store.attempts(id)).hasSize(1);
        assertThat(orders()).isEqualTo(1);
    }

    @Test
    void neitherAnEffectNorAnotherTransactionRunsInsideATransactionOrAfterIt() {
        TaskId id = submit();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        start((context, order) -> {
            try {
                String result = context.transaction(connection -> {
                    assertThatThrownBy(() -> context.effect("charge", String.class, token -> "paid"))
                            .isInstanceOf(InvalidInput.class)
                            .hasMessageContaining("inside a transaction")
                            .hasMessageContaining("run effect \"charge\"");
                    assertThatThrownBy(() -> context.transaction(another -> ""))
                            .isInstanceOf(InvalidInput.class)
                            .hasMessageContaining("begin a transaction");
                    return order;
                });
                assertThatThrownBy(() -> context.effect("charge", String.class, token -> "paid"))
                        .isInstanceOf(InvalidInput.class)
                        .hasMessageContaining("last action");
                return result;
            } catch (AssertionError e) {
                failed.set(e);
                throw e;
            }
        });
        assertThat(awaitEnd(id).state()).isEqualTo(TaskState.COMPLETED);
        assertThat(failed).hasNullValue();
    }

    @Test
    void aParkedHandlerThatGoesOnCompletesNothing() throws Exception {
        TaskId id = submit();
        start((context, order) -> {
            try {
                context.effect("charge", String.class).parkIfUnknown().run(token -> {
                    throw new IOException("no answer");
                });
            } catch (IOException e) {
                throw e;
            } catch (RuntimeException e) {
                // A handler that catches everything.
            }
            return context.transaction(connection -> {
                order(connection, order);
                return order;
            });
        });
        await().until(() -> store.find(List.of(id)).get(id).state() == TaskState.WAITING);
        assertThat(orders()).isZero();
        assertThat(semel.effects().of(id)).extracting(EffectRecord::state).containsExactly(EffectState.UNKNOWN);
    }

    @Test
    void aWorkerThatIsClosedInTheMiddleOfATransactionLeavesItsTaskToTheNext() throws Exception {
        TaskId id = submit();
        CountDownLatch inside = new CountDownLatch(1);
        start((context, order) -> context.transaction(connection -> {
            order(connection, order);
            inside.countDown();
            new CountDownLatch(1).await(); // until it is interrupted
            return order;
        }));
        inside.await();
        semel.close();
        assertThat(orders()).isZero();
        store = SqliteTaskStore.open(file);
        semel = Semel.on(store).build();
        start((context, order) -> context.transaction(connection -> {
            order(connection, order);
            return order;
        }));
        assertThat(awaitEnd(id).state()).isEqualTo(TaskState.COMPLETED);
        assertThat(orders()).isEqualTo(1);
        assertThat(store.attempts(id))
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.PUT_BACK, Attempt.Outcome.COMPLETED);
    }
}
