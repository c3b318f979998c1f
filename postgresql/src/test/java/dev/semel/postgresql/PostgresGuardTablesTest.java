package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.storetests.GuardStarts;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** The guard's tables, their versions, and what a database that fails means. */
@Timeout(60)
class PostgresGuardTablesTest {

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
    void manyThatStartOnANewDatabaseTogetherMakeTheTableOnce() throws Exception {
        DataSource database = PostgresServer.freshDatabase();
        GuardStarts.together(() -> PostgresGuardStore.on(database));
        try (Connection connection = database.getConnection()) {
            assertThat(number(connection, "SELECT count(*) FROM semel.guard_schema"))
                    .isEqualTo(1);
            assertThat(number(connection, "SELECT count(*) FROM semel.guard")).isEqualTo(10);
            run(connection, "INSERT INTO semel.guard_schema VALUES (2, 2)");
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
    }

    @Test
    void aTableThatWasDroppedIsUnusable() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        try (GuardStore store = PostgresGuardStore.on(database);
                Guard guard = Guard.on(store).build();
                Connection connection = database.getConnection()) {
            run(connection, "DROP TABLE semel.guard");
            assertThatThrownBy(() -> guard.run("k", token -> {})).isInstanceOf(StoreUnusable.class);
        }
    }

    @Test
    void theTablesAreInTheChosenSchemaAndInNoOther() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        PostgresSettings jobs = PostgresSettings.standard().withSchema("jobs");
        assertThatThrownBy(() -> PostgresGuardStore.on(database, jobs.withMigration(false)))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("\"jobs\"");
        PostgresGuardStore.on(database, jobs).close();
        PostgresGuardStore.on(database, jobs.withMigration(false)).close();
        try (Connection connection = database.getConnection()) {
            String schemas = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                    + " WHERE c.relkind = 'r' AND c.relname LIKE '%guard%' AND n.nspname ";
            assertThat(number(connection, schemas + "= 'jobs'")).isEqualTo(2);
            assertThat(number(connection, schemas + "<> 'jobs'")).isZero();
        }
    }

    @Test
    void whatIsPrintedMakesTheTablesOfTheGuardToo() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        try (Connection connection = database.getConnection()) {
            run(connection, PostgresSchema.print("jobs"));
        }
        PostgresGuardStore.on(
                        database, PostgresSettings.standard().withSchema("jobs").withMigration(false))
                .close();
    }

    @Test
    void tablesOfAnEarlierVersionStayInUseSoThatNoEffectRunsAgain() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        // As the first version made them: in the first schema of the search path.
        try (Connection connection = database.getConnection()) {
            run(connection, "CREATE SCHEMA scratch");
            run(connection, PostgresSchema.print("scratch"));
            run(connection, "ALTER TABLE scratch.guard SET SCHEMA public");
            run(connection, "ALTER TABLE public.guard RENAME TO semel_guard");
            run(connection, "ALTER TABLE scratch.guard_schema SET SCHEMA public");
            run(connection, "ALTER TABLE public.guard_schema RENAME TO semel_guard_schema");
        }
        try (GuardStore store = PostgresGuardStore.on(database);
                Guard guard = Guard.on(store).remember(0).build()) {
            assertThat(guard.once("k", String.class, token -> "1")).isEqualTo("1");
        }
        try (Connection connection = database.getConnection()) {
            assertThat(number(connection, "SELECT count(*) FROM public.semel_guard"))
                    .isEqualTo(1);
            // As the page on schemas says.
            run(connection, "CREATE SCHEMA semel");
            run(connection, "ALTER TABLE public.semel_guard SET SCHEMA semel");
            run(connection, "ALTER TABLE semel.semel_guard RENAME TO guard");
            run(connection, "ALTER TABLE public.semel_guard_schema SET SCHEMA semel");
            run(connection, "ALTER TABLE semel.semel_guard_schema RENAME TO guard_schema");
        }
        try (GuardStore store = PostgresGuardStore.on(database);
                Guard guard = Guard.on(store).remember(0).build()) {
            assertThat(guard.once("k", String.class, token -> "2")).isEqualTo("1");
        }
    }
}
