package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardConflict;
import dev.semel.guard.GuardStore;
import dev.semel.guard.InProgress;
import dev.semel.guard.Outcome;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnusable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The laws of a guard that joins a transaction of the caller's own: the effect and its record commit together. */
@Timeout(180)
public abstract class JoinedGuardContract {

    private final AtomicInteger effects = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private GuardStore store;

    @SuppressWarnings("NullAway.Init")
    private Guard guard;

    @SuppressWarnings("NullAway.Init")
    private Connection connection;

    /** For subclasses. */
    protected JoinedGuardContract() {}

    /**
     * Opens a store without records.
     *
     * @return the store
     */
    protected abstract GuardStore open();

    /**
     * Connects to the database of the store.
     *
     * @return a new connection with auto-commit on
     * @throws SQLException if there is none
     */
    protected abstract Connection connect() throws SQLException;

    @BeforeEach
    void prepare() throws SQLException {
        store = open();
        guard = Guard.on(store).remember(0).build();
        connection = connect();
        run(connection, "CREATE TABLE orders (id VARCHAR(100))");
        connection.setAutoCommit(false);
    }

    @AfterEach
    void end() throws SQLException {
        connection.close();
        guard.close();
        store.close();
    }

    private static void run(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private int orders() throws SQLException {
        try (Connection own = connect();
                Statement statement = own.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM orders")) {
            count.next();
            return count.getInt(1);
        }
    }

    private String order(Connection on, String id) throws SQLException {
        run(on, "INSERT INTO orders VALUES ('" + id + "')");
        effects.incrementAndGet();
        return id;
    }

    @Test
    void effectAndRecordCommitTogether() throws SQLException {
        assertThat(guard.joining(connection).once("k", String.class, token -> order(connection, "1")))
                .isEqualTo("1");
        assertThat(orders()).isZero();
        connection.commit();
        assertThat(orders()).isEqualTo(1);
        assertThat(guard.lookup("k", String.class).orElseThrow().result()).isEqualTo("1");
        assertThat(guard.joining(connection).once("k", String.class, token -> order(connection, "2")))
                .isEqualTo("1");
        connection.commit();
        assertThat(guard.once("k", String.class, token -> "3")).isEqualTo("1");
        assertThat(orders()).isEqualTo(1);
    }

    @Test
    void neitherIsThereAfterARollback() throws SQLException {
        guard.joining(connection).once("k", String.class, token -> order(connection, "1"));
        connection.rollback();
        assertThat(orders()).isZero();
        assertThat(guard.find("k")).isEmpty();
        assertThat(guard.joining(connection).once("k", String.class, token -> order(connection, "2")))
                .isEqualTo("2");
        connection.commit();
        assertThat(orders()).isEqualTo(1);
    }

    @Test
    void aLongTransactionTakesOverNoCallThatOnlyWaitsForItsEnd() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Guard brief =
                Guard.on(store).remember(0).lease(Duration.ofMillis(200)).build()) {
            CompletableFuture<String> owner =
                    CompletableFuture.supplyAsync(() -> brief.once("other", String.class, token -> {
                        running.countDown();
                        waited(go, 20_000);
                        return "first";
                    }));
            running.await();
            Guard joined = guard.joining(connection);
            // So long that the other one's lease has expired, unless it could renew it.
            joined.once("mine", String.class, token -> waited(go, 600) + order(connection, "1"));
            assertThatThrownBy(() -> joined.once("other", String.class, token -> "second"))
                    .isInstanceOf(InProgress.class);
            connection.commit();
            go.countDown();
            assertThat(owner.get(20, TimeUnit.SECONDS)).isEqualTo("first");
            assertThat(guard.lookup("other", String.class).orElseThrow().result())
                    .isEqualTo("first");
        }
    }

    private static String waited(CountDownLatch latch, long millis) {
        try {
            return latch.await(millis, TimeUnit.MILLISECONDS) ? "released" : "not released";
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void neitherIsThereIfTheConnectionDies() throws SQLException {
        Connection dying = connect();
        dying.setAutoCommit(false);
        guard.joining(dying).once("k", String.class, token -> order(dying, "1"));
        dying.close();
        assertThat(orders()).isZero();
        assertThat(guard.once("k", String.class, token -> "mine")).isEqualTo("mine");
    }

    @Test
    void aFailedEffectIsUndoneAndTheRestOfTheTransactionStays() throws SQLException {
        run(connection, "INSERT INTO orders VALUES ('before')");
        assertThatThrownBy(() -> guard.joining(connection).once("k", String.class, token -> {
                    order(connection, "half");
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> guard.joining(connection).once("k", String.class, token -> {
                    order(connection, "half");
                    run(connection, "INSERT INTO nowhere VALUES (1)");
                    return "never";
                }))
                .isInstanceOf(SQLException.class);
        assertThat(guard.joining(connection).once("k", String.class, token -> order(connection, "whole")))
                .isEqualTo("whole");
        connection.commit();
        assertThat(orders()).isEqualTo(2);
    }

    @Test
    void callsNestAndTheSecondOfTheSameKeyIsADuplicate() throws SQLException {
        Guard joined = guard.joining(connection);
        joined.once("outer", String.class, token -> {
            order(connection, "1");
            assertThatThrownBy(() -> joined.once("inner", String.class, inner -> {
                        order(connection, "2");
                        throw new IllegalStateException("no");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            return joined.once("other", String.class, other -> order(connection, "3"));
        });
        assertThat(joined.call("outer").outcome(String.class, token -> order(connection, "4")))
                .isInstanceOf(Outcome.Repeated.class);
        connection.commit();
        assertThat(orders()).isEqualTo(2);
    }

    @Test
    void anotherPayloadIsAConflictAndTheTransactionContinues() throws SQLException {
        guard.call("k").payload("a").once(String.class, token -> "1");
        assertThatThrownBy(() -> guard.joining(connection)
                        .call("k")
                        .payload("b")
                        .once(String.class, token -> order(connection, "1")))
                .isInstanceOf(GuardConflict.class);
        run(connection, "INSERT INTO orders VALUES ('after')");
        connection.commit();
        assertThat(orders()).isEqualTo(1);
    }

    @Test
    void whoeverComesMeanwhileWaitsForTheTransactionAndFindsItsResult() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        guard.joining(connection).once("k", String.class, token -> order(connection, "1"));
        CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> {
            try (Connection own = connect()) {
                own.setAutoCommit(false);
                inside.countDown();
                String result = guard.joining(own).once("k", String.class, token -> order(own, "2"));
                own.commit();
                return result;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        inside.await();
        connection.commit();
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("1");
        assertThat(orders()).isEqualTo(1);
        assertThat(effects).hasValue(1);
    }

    @Test
    @DisplayName("K4: a store that was closed joins no transaction")
    void aClosedStoreJoinsNoTransaction() throws SQLException {
        guard.joining(connection).once("k", String.class, token -> "1");
        store.close();
        assertThatThrownBy(() -> guard.joining(connection).once("l", String.class, token -> "1"))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("is closed");
        connection.rollback();
    }

    @Test
    void onlyAnOpenTransactionCanBeJoined() throws SQLException {
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> guard.joining(connection))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("setAutoCommit(false)");
        connection.close();
        assertThatThrownBy(() -> guard.joining(connection)).isInstanceOf(InvalidInput.class);
    }

    /**
     * The guard under test, for further tests of a subclass.
     *
     * @return a guard that remembers nothing by itself
     */
    protected final Guard guard() {
        return guard;
    }

    /**
     * The connection that tests join.
     *
     * @return with an open transaction
     */
    protected final Connection connection() {
        return connection;
    }
}
