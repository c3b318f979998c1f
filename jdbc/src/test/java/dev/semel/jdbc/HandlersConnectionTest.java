package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sqlite.SQLiteConnection;

/** What a handler can do with its connection, on a database in memory. */
class HandlersConnectionTest {

    private final AtomicReference<String> over = new AtomicReference<>();
    private Connection behind;
    private HandlersConnection handlers;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        behind = DriverManager.getConnection("jdbc:sqlite::memory:");
        try (Statement statement = behind.createStatement()) {
            statement.execute("CREATE TABLE orders (id TEXT UNIQUE)");
        }
        behind.setAutoCommit(false);
        handlers = new HandlersConnection(behind, over::get, e -> false);
        connection = handlers.connection();
    }

    @AfterEach
    void close() throws SQLException {
        behind.close();
    }

    private static void order(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
            insert.setString(1, id);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
    }

    private int orders() throws SQLException {
        try (Statement statement = behind.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM orders")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void itEndsNeitherTheTransactionNorItself() throws SQLException {
        order(connection, "a");
        assertThatThrownBy(connection::commit).isInstanceOf(InvalidInput.class).hasMessageContaining("\"commit\"");
        assertThatThrownBy(connection::rollback)
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"rollback\"");
        assertThatThrownBy(connection::close).isInstanceOf(InvalidInput.class).hasMessageContaining("\"close\"");
        assertThatThrownBy(() -> connection.abort(Runnable::run))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"abort\"");
        assertThatThrownBy(() -> connection.setAutoCommit(true))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"setAutoCommit(true)\"");
        connection.setAutoCommit(false);
        assertThat(connection.isClosed()).isFalse();
        assertThat(behind.isClosed()).isFalse();
        behind.rollback();
        assertThat(orders()).isZero();
    }

    @Test
    void whatItMakesLeadsBackToItAndNotToTheConnectionBehind() throws SQLException {
        try (Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("SELECT 1")) {
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(prepared.getConnection()).isSameAs(connection);
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo("SQLite");
        }
    }

    @Test
    void savepointsUndoAPart() throws SQLException {
        order(connection, "a");
        Savepoint savepoint = connection.setSavepoint("part");
        order(connection, "b");
        connection.rollback(savepoint);
        connection.releaseSavepoint(savepoint);
        assertThat(orders()).isEqualTo(1);
    }

    @Test
    void itGivesOutTheDriversConnectionToWhoeverAsksForIt() throws SQLException {
        assertThat(connection.unwrap(SQLiteConnection.class)).isSameAs(behind);
        assertThat(connection.isWrapperFor(SQLiteConnection.class)).isTrue();
    }

    @Test
    void errorsAreThoseOfTheDriver() throws SQLException {
        order(connection, "a");
        assertThatThrownBy(() -> order(connection, "a"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("UNIQUE");
        assertThatThrownBy(() -> connection.prepareStatement("SELECT id FROM nowhere"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("nowhere");
    }

    @Test
    void itIsEqualToItselfAndSaysWhatItIs() throws SQLException {
        try (HandlersConnection other = new HandlersConnection(behind, HandlersConnection.Over.NEVER, e -> false)) {
            assertThat(List.of(connection)).contains(connection).doesNotContain(other.connection());
            assertThat(connection.toString()).startsWith("a handler's ").contains("Connection");
        }
    }

    @Test
    void closedItClosesWhatWasLeftOpenAndIsOfNoUseAnyMore() throws SQLException {
        Statement left = connection.createStatement();
        for (int i = 0; i < 1_000; i++) {
            order(connection, "order-" + i);
        }
        handlers.close();
        assertThat(connection.isClosed()).isTrue();
        assertThatThrownBy(connection::createStatement)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("is over");
        assertThatThrownBy(() -> left.execute("SELECT 1"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("is over");
        left.close();
        assertThat(behind.isClosed()).isFalse();
        assertThat(orders()).isEqualTo(1_000);
    }

    @Test
    void aTransactionThatTheDatabaseEndedIsWrittenToByNobody() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            over.set("The database has rolled back.");
            assertThatThrownBy(() -> statement.execute("INSERT INTO orders VALUES ('a')"))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("The database has rolled back.");
            assertThatThrownBy(connection::createStatement)
                    .isInstanceOf(SQLException.class)
                    .hasMessage("The database has rolled back.");
        }
        assertThat(orders()).isZero();
    }
}
