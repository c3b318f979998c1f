package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.RetryPolicy;
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

/** Writes that commit with the task's completion, in docs/how-to/effects.md. */
public final class EffectTransaction {

    record Parcel(String id) {}

    static final TaskType<Parcel, String> SHIP = TaskType.builder("ship", Parcel.class, String.class)
            .retry(RetryPolicy.delays(Duration.ZERO))
            .build();
    static final TaskType<Parcel, String> NOTIFY = TaskType.of("notify", Parcel.class, String.class);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private EffectTransaction() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code shipments.db} in the working directory if there is none
     * @throws SQLException if the program's own table cannot be written
     */
    public static void main(String[] arguments) throws SQLException {
        run(Path.of(arguments.length == 0 ? "shipments.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) throws SQLException {
        // The store is opened first, because it sets up the file.
        TaskStore store = SqliteTaskStore.open(file);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            run(store, connection, out);
        }
    }

    /** Runs the program on a store; the connection is a separate one to the same database. */
    static void run(TaskStore store, Connection connection, PrintStream out) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE shipment (id VARCHAR(20) PRIMARY KEY, attempt INTEGER)");
        }
        try (Semel semel = Semel.on(store).build()) {
            start(semel);
            out.println(semel.submit(SHIP, new Parcel("P-1")).send().result(PATIENCE));
            TaskQuery notifications = TaskQuery.builder().type(NOTIFY.name()).build();
            out.println(
                    "notification tasks: " + store.list(notifications).tasks().size());
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, attempt FROM shipment")) {
            while (rows.next()) {
                out.println(rows.getString(1) + " was written by attempt " + rows.getInt(2));
            }
        }
    }

    private static void start(Semel semel) {
        // snippet: transaction
        semel.worker("default")
                .handle(
                        SHIP,
                        (context, parcel) -> context.transaction(connection -> {
                            try (PreparedStatement insert =
                                    connection.prepareStatement("INSERT INTO shipment (id, attempt) VALUES (?, ?)")) {
                                insert.setString(1, parcel.id());
                                insert.setInt(2, context.attempt());
                                insert.executeUpdate();
                            }
                            semel.joining(connection).submit(NOTIFY, parcel).send();
                            if (context.attempt() == 1) {
                                throw new IllegalStateException("The row and the new task are rolled back");
                            }
                            return "shipped " + parcel.id();
                        }))
                .start();
        // end
    }
}
