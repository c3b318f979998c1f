package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.Lease;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file itself refuses a second pending or running task under one key, whatever the program does. */
@Timeout(60)
class SqliteOneOpenTaskTest {

    @TempDir
    Path directory;

    @Test
    void aKeyStaysWithAnOpenTask() throws SQLException {
        try (SqliteTaskStore store = SqliteTaskStore.open(file())) {
            NewTask holder = Tasks.keyed("k", "{}");
            Tasks.submit(store, holder);
            assertRefused("UPDATE semel_record SET task_id = x'00'");
            assertRefused("DELETE FROM semel_record");
            Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
            assertRefused("UPDATE semel_record SET task_id = x'00'");
            store.settle(List.of(new Settlement.Complete(lease, null)));
            execute("DELETE FROM semel_record");
            assertThat(store.record(Tasks.identity("k"))).isEmpty();
        }
    }

    @Test
    void aKeyStaysWhileAReplacedTaskRuns() throws SQLException {
        try (SqliteTaskStore store = SqliteTaskStore.open(file())) {
            NewTask first = Tasks.keyed("k", "{}");
            Tasks.submit(store, first);
            Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
            NewTask second = Tasks.replacing("k", "{}");
            assertThat(Tasks.submit(store, second)).isInstanceOf(Submitted.Created.class);
            store.operate(List.of(new Operation.Cancel(second.id())));
            assertRefused("DELETE FROM semel_record");
            assertRefused("UPDATE semel_record SET task_id = x'00'");
            store.settle(List.of(new Settlement.Complete(lease, null)));
            execute("DELETE FROM semel_record");
        }
    }

    @Test
    void aRunOfASeriesIsThereOnce() throws SQLException {
        try (SqliteTaskStore store = SqliteTaskStore.open(file())) {
            NewTask first = Tasks.keyed("k", "{}");
            Tasks.submit(store, first);
            store.operate(List.of(new Operation.Cancel(first.id())));
            Tasks.submit(store, Tasks.keyed("k", "{}"));
            assertThatThrownBy(() -> execute("INSERT INTO semel_task (id, lane, state, created_at, run, series)"
                            + " SELECT x'00', lane, state, created_at, run, series FROM semel_task WHERE run = 2"))
                    .hasMessageContaining("UNIQUE");
        }
    }

    private Path file() {
        return directory.resolve("semel.db");
    }

    private void assertRefused(String sql) {
        assertThatThrownBy(() -> execute(sql)).hasMessageContaining("while a task of its identity is open");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
