package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.engine.Handler;
import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who pays for what goes wrong in a handler's transaction: the store's failures are never the task's. */
@Timeout(180)
class TransactionFailuresTest {

    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .retry(RetryPolicy.attempts(1))
            .build();

    private static PostgresCluster server;
    private static PostgresSchemas schemas;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresCluster.newest();
        schemas = new PostgresSchemas(server.database());
    }

    @AfterAll
    static void stop() {
        schemas.close();
        server.close();
    }

    private static Task ended(TaskStore store, Handler<String, String> handler, TaskState expected) {
        try (Semel semel = Semel.on(store).withoutShutdownHook().build()) {
            TaskId id = semel.submit(WORK, "x").send().taskId();
            semel.worker("default").handle(WORK, handler).start();
            await().atMost(Duration.ofSeconds(90)).until(() -> task(store, id).state() == expected);
            Task task = task(store, id);
            if (expected == TaskState.COMPLETED) {
                assertThat(store.attempts(id))
                        .extracting(Attempt::outcome)
                        .containsExactly(Attempt.Outcome.PUT_BACK, Attempt.Outcome.COMPLETED);
            }
            return task;
        }
    }

    private static Task task(TaskStore store, TaskId id) {
        return Objects.requireNonNull(store.find(List.of(id)).get(id));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aConnectionThatBreaksUnderAHandlersStatementCostsItsTaskNothing() throws Exception {
        TaskStore store = PostgresTaskStore.open(schemas.pool(), PostgresSchemas.settings(schemas.next()));
        Task done = ended(
                store,
                (context, input) -> context.transaction(connection -> {
                    if (context.attempt() == 1) {
                        execute(connection, "SELECT pg_terminate_backend(pg_backend_pid())");
                    }
                    return "done";
                }),
                TaskState.COMPLETED);
        assertThat(done.progress().failures()).isZero();
    }

    @Test
    void onPostgresqlAHandlersOwnErrorIsItsTasksFailure() throws Exception {
        TaskStore store = PostgresTaskStore.open(schemas.pool(), PostgresSchemas.settings(schemas.next()));
        Task failed = ended(
                store,
                (context, input) -> context.transaction(connection -> {
                    execute(connection, "SELECT 1 / 0");
                    return "done";
                }),
                TaskState.FAILED);
        assertThat(failed.progress().failures()).isEqualTo(1);
    }

    @Test
    void aLockThatAnotherProgramHoldsOnTheFileCostsATaskNothing() throws Exception {
        Path file = directory.resolve("semel.db");
        TaskStore store = SqliteTaskStore.open(file, SqliteSettings.standard().withLockLimit(Duration.ofMillis(500)));
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            execute(other, "PRAGMA busy_timeout = 30000");
            Task done = ended(
                    store,
                    (context, input) -> {
                        if (context.attempt() > 1) {
                            return context.transaction(connection -> "done");
                        }
                        execute(other, "BEGIN IMMEDIATE");
                        try {
                            return context.transaction(connection -> "not before the lock is free");
                        } finally {
                            execute(other, "ROLLBACK");
                        }
                    },
                    TaskState.COMPLETED);
            assertThat(done.progress().failures()).isZero();
        }
    }

    @Test
    void onSqliteAHandlersOwnErrorIsItsTasksFailure() {
        TaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"));
        Task failed = ended(
                store,
                (context, input) -> context.transaction(connection -> {
                    execute(connection, "INSERT INTO there_is_no_such_table VALUES (1)");
                    return "done";
                }),
                TaskState.FAILED);
        assertThat(failed.progress().failures()).isEqualTo(1);
    }
}
