package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.guard.KeyExtractor;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Guards around task handlers and inside transactions, in docs/how-to/guard.md. */
public final class GuardedTasks {

    record Charge(String order, String requestedBy) {}

    static final TaskType<Charge, String> CHARGE = TaskType.of("charge_customer", Charge.class, String.class);

    private int charges;

    private GuardedTasks() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code tasks.db} in the working directory if there is none
     * @throws SQLException if the program's own tables cannot be written
     */
    public static void main(String[] arguments) throws SQLException {
        run(Path.of(arguments.length == 0 ? "tasks.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) throws SQLException {
        GuardedTasks program = new GuardedTasks();
        try (GuardStore store = SqliteGuardStore.open(file);
                Guard guard = Guard.on(store).build()) {
            program.tasks(file, guard, out);
            transaction(file, guard, out);
        }
    }

    private void tasks(Path file, Guard guard, PrintStream out) {
        // snippet: worker
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            semel.worker("default")
                    .handle(
                            CHARGE,
                            guard,
                            KeyExtractor.typeAndId("charge", Charge::order),
                            (context, charge) -> "receipt " + ++charges)
                    .start();

            for (String who : new String[] {"shop", "support"}) {
                String receipt = semel.submit(CHARGE, new Charge("ORD-123", who))
                        .idempotencyKey(who + "-ORD-123")
                        .send()
                        .result(Duration.ofSeconds(30));
                out.println(who + ": " + receipt);
            }
        }
        // end
    }

    private static void transaction(Path file, Guard guard, PrintStream out) throws SQLException {
        // snippet: joined
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            run(connection, "CREATE TABLE IF NOT EXISTS stock (product TEXT PRIMARY KEY, pieces INTEGER)");
            run(connection, "INSERT OR REPLACE INTO stock VALUES ('apple', 10)");
            connection.setAutoCommit(false);
            for (int delivery = 0; delivery < 2; delivery++) {
                String left = guard.joining(connection).once("take-one:m-1", String.class, token -> {
                    run(connection, "UPDATE stock SET pieces = pieces - 1 WHERE product = 'apple'");
                    return "taken";
                });
                connection.commit(); // the piece and the record, both or neither
                out.println(left);
            }
        }
        // end
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
