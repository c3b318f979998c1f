package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.guard.Guard;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnusable;
import dev.semel.testservers.PostgresServer;
import dev.semel.testservers.TransactionPooler;
import dev.semel.testservers.TransactionPooler.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pooler in transaction mode between the store and its server. Where it does not know prepared statements and the driver
 * names them, statements of one session would run in another: commits that commit nothing, completions of nothing. That is
 * refused; what is set up as the page says works.
 */
@Timeout(180)
class PostgresPoolerTest {

    private static final int CONNECTIONS = 3;
    private static final PostgresSettings SETTINGS =
            PostgresSettings.standard().withHints(false).withLockLimit(Duration.ofSeconds(20));

    private final PGSimpleDataSource database = PostgresServer.freshDatabase();
    private final TransactionPooler pooler = new TransactionPooler(database, CONNECTIONS, Statements.UNKNOWN);

    @AfterEach
    void close() {
        pooler.close();
    }

    private PGSimpleDataSource pooled(int prepareThreshold) {
        PGSimpleDataSource pooled = pooler.database();
        pooled.setPrepareThreshold(prepareThreshold);
        return pooled;
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("pooler")
                .hasMessageContaining("prepareThreshold=0");
    }

    private String url(String options) {
        return "postgresql://postgres@127.0.0.1:" + pooler.database().getPortNumbers()[0] + "/"
                + database.getDatabaseName() + options;
    }

    private long count(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void aStoreIsNotOpenedWhereNamesOfStatementsWouldBeMixedUp() throws SQLException {
        assertRefused(() -> PostgresTaskStore.open(pooled(5), SETTINGS));
        assertRefused(() -> PostgresTaskStore.open(pooled(1), SETTINGS));
        assertRefused(() -> PostgresTaskStore.open(url(""), SETTINGS));
        assertThat(count("SELECT count(*) FROM pg_namespace WHERE nspname = 'semel'"))
                .as("schemas of a store that was refused")
                .isZero();
    }

    @Test
    void aGuardIsNotOpenedWhereNamesOfStatementsWouldBeMixedUp() throws SQLException {
        assertRefused(() -> PostgresGuardStore.on(pooled(5)));
        assertThat(count("SELECT count(*) FROM pg_class WHERE relname LIKE 'guard%'"))
                .as("tables of a guard that was refused")
                .isZero();
    }

    @Test
    void whatOtherProgramsLeftInTheSessionsOfThePoolerIsRefusedToo() throws SQLException {
        List<Connection> others = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            Connection other = pooled(0).getConnection();
            others.add(other);
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("PREPARE \"S_1\" AS SELECT 1");
            }
        }
        for (Connection other : others) {
            other.commit();
            other.close();
        }
        assertRefused(() -> PostgresTaskStore.open(pooled(5), SETTINGS));
        try (PostgresTaskStore store = PostgresTaskStore.open(pooled(0), SETTINGS)) {
            assertThat(Tasks.stored(store)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aRefusalLeavesNoStatementBehind(int prepareThreshold) throws SQLException {
        assertRefused(() -> PostgresTaskStore.open(pooled(prepareThreshold), SETTINGS));
        try (Connection connection = pooled(0).getConnection();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_prepared_statements")) {
                    row.next();
                    assertThat(row.getInt(1)).isZero();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Statements.class)
    void aStormIsRightWhereThePoolerIsSetUpAsThePageSays(Statements statements) throws Exception {
        pooler.reload(statements);
        try (HikariDataSource pool = PoolerStorm.pool(pooled(statements == Statements.TRACKED ? 5 : 0));
                PostgresTaskStore store = PostgresTaskStore.open(pool, SETTINGS);
                PostgresGuardStore guards = PostgresGuardStore.on(pool)) {
            PoolerStorm.rage(store, guards, database);
        }
    }

    @Test
    void aStoreByUrlWorksWithoutNamesOfStatements() {
        try (PostgresTaskStore store = PostgresTaskStore.open(url("?prepareThreshold=0"), SETTINGS)) {
            store.submit(List.of(Tasks.keyed("a", "{}")));
            assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(1);
        }
        try (PostgresTaskStore store = PostgresTaskStore.open(url("?preferQueryMode=simple"), SETTINGS)) {
            assertThat(Tasks.stored(store)).hasSize(1);
        }
    }

    @Test
    void hintsThatAreNeverHeardHoldUpNothing() {
        try (PostgresTaskStore store =
                PostgresTaskStore.open(url("?prepareThreshold=0"), PostgresSettings.standard())) {
            store.submit(List.of(Tasks.plain()));
            assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(1);
        }
    }

    @Test
    void aPoolThatIsPutBehindAPoolerWhileTheStoreRunsIsRefusedFromThenOn() {
        Switch where = new Switch(database);
        try (PostgresTaskStore store = PostgresTaskStore.open(where, SETTINGS);
                PostgresGuardStore guards = PostgresGuardStore.on(where);
                Guard guard = Guard.on(guards).build()) {
            store.submit(List.of(Tasks.keyed("a", "{}")));
            where.to = pooled(5);
            assertRefused(() -> store.submit(List.of(Tasks.keyed("b", "{}"))));
            assertRefused(() -> store.claim(Tasks.request(1)));
            assertRefused(() -> Tasks.stored(store));
            assertRefused(() -> guard.once("k", String.class, token -> "ran"));
            where.to = pooled(0);
            assertThat(Tasks.stored(store)).hasSize(1);
            assertThat(guard.find("k")).isEmpty();
        }
    }

    @Test
    void aPoolerThatStopsKeepingStatementsIsRefusedUntilItDoesAgain() {
        pooler.reload(Statements.TRACKED);
        try (HikariDataSource pool = PoolerStorm.pool(pooled(1));
                PostgresTaskStore store = PostgresTaskStore.open(pool, SETTINGS)) {
            store.submit(List.of(Tasks.keyed("a", "{}")));
            assertThat(store.claim(Tasks.request(1)).tasks()).hasSize(1);
            pooler.reload(Statements.UNKNOWN);
            for (int i = 0; i < 5; i++) {
                assertRefused(() -> store.submit(List.of(Tasks.keyed("b", "{}"))));
            }
            pooler.reload(Statements.TRACKED);
            store.submit(List.of(Tasks.keyed("c", "{}")));
            assertThat(Tasks.stored(store)).hasSize(2);
        }
    }

    @Test
    void aJoinedTransactionBehindAPoolerIsRefusedAndStaysUsable() throws SQLException {
        try (PostgresTaskStore store = PostgresTaskStore.open(database, SETTINGS);
                PostgresGuardStore guards = PostgresGuardStore.on(database);
                Guard guard = Guard.on(guards).build();
                Connection refused = pooled(5).getConnection();
                Connection accepted = pooled(0).getConnection()) {
            refused.setAutoCommit(false);
            assertRefused(() -> store.joining().orElseThrow().join(refused).submit(List.of(Tasks.keyed("a", "{}"))));
            assertRefused(() -> guard.joining(refused).once("k", String.class, token -> "ran"));
            refused.rollback();
            accepted.setAutoCommit(false);
            store.joining().orElseThrow().join(accepted).submit(List.of(Tasks.keyed("b", "{}")));
            assertThat(guard.joining(accepted).once("k", String.class, token -> "ran"))
                    .isEqualTo("ran");
            accepted.commit();
            assertThat(Tasks.stored(store)).hasSize(1);
            assertThat(guard.find("k")).isPresent();
        }
    }

    /** A data source whose new connections go elsewhere from one moment on. */
    private static final class Switch extends FewConnections {

        private volatile DataSource to;

        Switch(DataSource first) {
            super(first, 1);
            this.to = first;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return to.getConnection();
        }
    }
}
