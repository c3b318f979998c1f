package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A store on a JDBC database that also has a table of the program's own. */
@Timeout(120)
abstract class CallersTransactionContract {

    static final String TABLE = "contract_orders";

    final ManualClock clock = new ManualClock();

    /** The store under test. */
    @SuppressWarnings("NullAway.Init")
    TaskStore store;

    CallersTransactionContract() {}

    /**
     * Opens a store without tasks.
     *
     * @param clock the store's clock
     * @return the store
     * @throws Exception if it cannot be opened
     */
    protected abstract TaskStore open(ManualClock clock) throws Exception;

    /**
     * Connects to the database of the store that was opened last, as a program does for tables of its own.
     *
     * @return a new connection with auto-commit on
     * @throws SQLException if there is none
     */
    protected abstract Connection connect() throws SQLException;

    /**
     * Makes the database reject a document, for the tests that need a write to fail: storing a task with this input, or
     * completing one with this result, fails with an error whose message contains "poison".
     *
     * @param document the JSON
     * @throws SQLException if that cannot be arranged
     */
    protected abstract void poison(String document) throws SQLException;

    /**
     * The store under test, for further tests of a subclass.
     *
     * @return what {@link #open} returned
     */
    protected final TaskStore store() {
        return store;
    }

    @BeforeEach
    final void openAndCreateTable() throws Exception {
        store = open(clock);
        execute("CREATE TABLE " + TABLE + " (id VARCHAR(100) UNIQUE)");
    }

    @AfterEach
    final void dropTableAndClose() throws SQLException {
        try {
            execute("DROP TABLE " + TABLE);
        } finally {
            store.close();
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void order(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + TABLE + " VALUES (?)")) {
            insert.setString(1, id);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
    }

    /** What is committed, in order of ids. */
    final List<String> orders() throws SQLException {
        List<String> orders = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM " + TABLE + " ORDER BY id")) {
            while (row.next()) {
                orders.add(row.getString(1));
            }
        }
        return orders;
    }
}
