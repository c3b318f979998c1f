package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.guard.Guard;
import dev.semel.store.NewTask;
import dev.semel.storetests.Tasks;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A server that is down is reported at once, and its return is found by whoever waits for it; a server that is another one
 * is not taken for it.
 */
@Timeout(180)
class PostgresServerDownTest {

    // Half a second is what it takes, and ten seconds is what it took.
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    private static final TaskType<String, String> ECHO =
            TaskType.builder("echo", String.class, String.class).queue("echoes").build();

    @Test
    void aServerThatRefusesConnectionsIsReportedAtOnceWhenAStoreIsOpened() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        long start = System.nanoTime();
        assertThatThrownBy(() -> PostgresTaskStore.open("postgresql://me:secret@127.0.0.1:" + port + "/app"))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("the connection was refused")
                .hasMessageNotContaining("secret");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(AT_ONCE);
    }

    @Test
    void submissionsFailAtOnceWhileTheServerIsDownAndWorkersGoOnWhenItIsBack() {
        try (PostgresCluster server = PostgresCluster.newest();
                Semel semel = Semel.on(PostgresTaskStore.open(url(server))).build()) {
            semel.worker("echoes").handle(ECHO, (context, text) -> text).start();
            Submission<String> before = semel.submit(ECHO, "before").send();
            assertThat(before.result(Duration.ofSeconds(60))).isEqualTo("before");

            server.kill();
            for (int i = 0; i < 3; i++) {
                long start = System.nanoTime();
                assertThatThrownBy(() -> semel.submit(ECHO, "lost").send()).isInstanceOf(StoreUnavailable.class);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(AT_ONCE);
            }
            server.restart();

            Submission<String> after = sent(semel);
            assertThat(after.result(Duration.ofSeconds(60))).isEqualTo("after");
        }
    }

    private static Submission<String> sent(Semel semel) {
        var request = semel.submit(ECHO, "after");
        while (true) {
            try {
                return request.send();
            } catch (StoreUnavailable e) {
                // The pool may still have connections of the server that was killed.
                assertThat(e.getCause()).isNotNull();
            }
        }
    }

    @Test
    void aCopyOfTheDatabaseOnAnotherServerIsRefusedAndARestartedServerIsNot() throws SQLException {
        try (PostgresCluster own = PostgresCluster.newest();
                PostgresCluster other = PostgresCluster.newest();
                PostgresTaskStore store = PostgresTaskStore.open(url(own));
                PostgresGuardStore guards = PostgresGuardStore.on(own.database(), settings());
                Guard guard = Guard.on(guards).build()) {
            PostgresTaskStore.open(other.database(), settings()).close();
            PostgresGuardStore.on(other.database(), settings()).close();
            for (String table : List.of("semel.schema_version", "semel.guard_schema")) {
                String made = text(own.database(), "SELECT min(applied_at) FROM " + table);
                execute(other.database(), "UPDATE " + table + " SET applied_at = '" + made + "'");
            }
            NewTask strayed = Tasks.keyed("strayed", "{}");
            try (Connection wrong = other.database().getConnection()) {
                wrong.setAutoCommit(false);
                assertThatThrownBy(
                                () -> store.joining().orElseThrow().join(wrong).submit(List.of(strayed)))
                        .isInstanceOf(InvalidInput.class)
                        .hasMessageContaining("another server");
                assertThatThrownBy(() -> guard.joining(wrong))
                        .isInstanceOf(InvalidInput.class)
                        .hasMessageContaining("another server");
                // The caller's transaction is as it was, and can go on.
                wrong.commit();
            }
            assertThat(text(other.database(), "SELECT count(*) FROM semel.task"))
                    .isEqualTo("0");

            joins(own, store, guard, "before");
            own.kill();
            own.restart();
            joins(own, store, guard, "after");
        }
    }

    private static void joins(PostgresCluster server, PostgresTaskStore store, Guard guard, String key)
            throws SQLException {
        NewTask task = Tasks.keyed(key, "{}");
        try (Connection callers = server.database().getConnection()) {
            callers.setAutoCommit(false);
            assertThat(store.joining().orElseThrow().join(callers).submit(List.of(task)))
                    .hasSize(1);
            assertThat(guard.joining(callers).once(key, String.class, token -> key))
                    .isEqualTo(key);
            callers.commit();
        }
        assertThat(store.find(List.of(task.id()))).containsKey(task.id());
    }

    private static PostgresSettings settings() {
        return PostgresSettings.standard().withHints(false);
    }

    private static String url(PostgresCluster server) {
        return "postgresql://postgres@127.0.0.1:" + server.port() + "/postgres";
    }

    private static String text(PGSimpleDataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(PGSimpleDataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
