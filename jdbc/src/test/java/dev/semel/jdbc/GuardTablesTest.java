package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.testservers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** The guard's tables, their versions, and what a database that fails means. */
@Timeout(60)
class GuardTablesTest {

    @TempDir
    Path directory;

    private static void together(Callable<GuardStore> open) throws Exception {
        int number = 10;
        CyclicBarrier barrier = new CyclicBarrier(number);
        try (ExecutorService threads = Executors.newFixedThreadPool(number)) {
            List<Future<Boolean>> opened = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                opened.add(threads.submit(() -> {
                    barrier.await();
                    try (GuardStore store = open.call();
                            Guard guard = Guard.on(store).build()) {
                        return guard.run("own-" + Thread.currentThread().threadId(), token -> {});
                    }
                }));
            }
            for (Future<Boolean> each : opened) {
                assertThat(each.get()).isTrue();
            }
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void manyThatOpenANewFileTogetherMakeTheTableOnceAndTasksCanShareIt() throws Exception {
        Path file = directory.resolve("semel.db");
        together(() -> SqliteGuardStore.open(file));
        SqliteTaskStore.open(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            assertThat(number(connection, "SELECT count(*) FROM semel_guard_schema"))
                    .isEqualTo(1);
            assertThat(number(connection, "SELECT count(*) FROM semel_guard")).isEqualTo(10);
            run(connection, "INSERT INTO semel_guard_schema VALUES (2, 1, 0)");
        }
        SqliteGuardStore.open(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            run(connection, "INSERT INTO semel_guard_schema VALUES (3, 1, 0)");
        }
        assertThatThrownBy(() -> SqliteGuardStore.open(file))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("version 3");
    }

    @Test
    void manyThatStartOnANewDatabaseTogetherMakeTheTableOnce() throws Exception {
        DataSource database = PostgresServer.freshDatabase();
        together(() -> PostgresGuardStore.on(database));
        try (Connection connection = database.getConnection()) {
            assertThat(number(connection, "SELECT count(*) FROM semel_guard_schema"))
                    .isEqualTo(1);
            assertThat(number(connection, "SELECT count(*) FROM semel_guard")).isEqualTo(10);
            run(connection, "INSERT INTO semel_guard_schema VALUES (2, 2)");
        }
        assertThatThrownBy(() -> PostgresGuardStore.on(database))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void aDatabaseWhoseConnectionsWereKilledIsAskedAgainOnNewOnes() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        try (GuardStore store = PostgresGuardStore.on(new FewConnections(database, 2));
                Guard guard = Guard.on(store).remember(0).build();
                Connection admin = database.getConnection()) {
            String kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()";
            guard.run("warm", token -> {});
            run(admin, kill);
            assertThat(guard.once("k", String.class, token -> {
                        run(admin, kill);
                        return "done";
                    }))
                    .isEqualTo("done");
            run(admin, kill);
            assertThat(guard.once("k", String.class, token -> "again")).isEqualTo("done");
        }
    }

    @Test
    void aConnectionPoolThatDoesNotCommitByItselfIsCommitted() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        DataSource manual = new FewConnections(database, 2) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
        try (GuardStore store = PostgresGuardStore.on(manual);
                Guard guard = Guard.on(store).remember(0).build();
                GuardStore other = PostgresGuardStore.on(database);
                Guard second = Guard.on(other).build()) {
            assertThat(guard.once("k", String.class, token -> "1")).isEqualTo("1");
            assertThat(second.once("k", String.class, token -> "2")).isEqualTo("1");
        }
    }

    @Test
    void errorsSayWhatToDo() {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setUrl("jdbc:postgresql://127.0.0.1:1/none");
        assertThatThrownBy(() -> PostgresGuardStore.on(nowhere)).isInstanceOf(StoreUnavailable.class);
        PGSimpleDataSource unknown = PostgresServer.freshDatabase();
        unknown.setDatabaseName("no_such_database");
        assertThatThrownBy(() -> PostgresGuardStore.on(unknown)).isInstanceOf(StoreUnusable.class);
        assertThatThrownBy(() -> PostgresGuardStore.on(null)).isInstanceOf(InvalidInput.class);
        for (String passing : List.of("08006", "40001", "40P01", "53300", "55P03", "57P01", "58030", "25006")) {
            assertThat(PostgresErrors.translated(new SQLException("x", passing)))
                    .as(passing)
                    .isInstanceOf(StoreUnavailable.class);
        }
        for (String lasting : List.of("28P01", "42P01", "42501", "3D000", "22021")) {
            assertThat(PostgresErrors.translated(new SQLException("x", lasting)))
                    .as(lasting)
                    .isInstanceOf(StoreUnusable.class);
        }
        assertThat(PostgresErrors.translated(new SQLException("the pool is empty")))
                .isInstanceOf(StoreUnavailable.class);
    }

    @Test
    void aTableThatWasDroppedIsUnusable() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        try (GuardStore store = PostgresGuardStore.on(database);
                Guard guard = Guard.on(store).build();
                Connection connection = database.getConnection()) {
            run(connection, "DROP TABLE semel_guard");
            assertThatThrownBy(() -> guard.run("k", token -> {})).isInstanceOf(StoreUnusable.class);
        }
    }
}
