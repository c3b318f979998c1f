package dev.semel.examples;

import dev.semel.JoinedSemel;
import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** The program of docs/how-to/joined-transaction.md: an order and its task, both or neither. */
public final class JoinedTransaction {

    record Charge(String order, long cents) {}

    static final TaskType<Charge, String> CHARGE = TaskType.of("charge_customer", Charge.class, String.class);

    private JoinedTransaction() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code orders.db} in the working directory if there is none
     * @throws SQLException if the program's own tables cannot be written
     */
    public static void main(String[] arguments) throws SQLException {
        run(Path.of(arguments.length == 0 ? "orders.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) throws SQLException {
        // snippet: open
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build();
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            createOrders(connection);
            connection.setAutoCommit(false);
            placed(semel, connection, out);
            undone(semel, connection, out);
        }
        // end
    }

    private static void placed(Semel semel, Connection connection, PrintStream out) throws SQLException {
        // snippet: placed
        JoinedSemel joined = semel.joining(connection);
        Submission<String> charge = joined.submit(CHARGE, new Charge("ORD-1", 9900))
                .idempotencyKey("charge-ORD-1")
                .send();
        insertOrder(connection, "ORD-1");
        connection.commit();

        semel.worker("default")
                .handle(CHARGE, (context, input) -> "charged " + input.order())
                .start();
        out.println(charge.result(Duration.ofSeconds(30)));
        // end
    }

    private static void undone(Semel semel, Connection connection, PrintStream out) throws SQLException {
        // snippet: undone
        semel.joining(connection)
                .submit(CHARGE, new Charge("ORD-2", 500))
                .idempotencyKey("charge-ORD-2")
                .send();
        insertOrder(connection, "ORD-2");
        connection.rollback();

        Submission<String> again = semel.submit(CHARGE, new Charge("ORD-2", 500))
                .idempotencyKey("charge-ORD-2")
                .send();
        out.println("the first one left nothing behind: " + again.created());
        out.println("orders: " + countOrders(connection));
        // end
    }

    private static void createOrders(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY)");
        }
    }

    private static void insertOrder(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (id) VALUES (?)")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
    }

    private static int countOrders(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM orders")) {
            count.next();
            return count.getInt(1);
        }
    }
}
