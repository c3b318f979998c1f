package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/** The program of docs/start/first-task.md: one payment, submitted twice and made once. */
public final class FirstTask {

    // snippet: type
    record Charge(String order, long cents) {}

    record Receipt(String order, String payment) {}

    static final TaskType<Charge, Receipt> CHARGE = TaskType.builder("charge_customer", Charge.class, Receipt.class)
            .queue("payments")
            .build();
    // end

    private FirstTask() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code first-task.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "first-task.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        // snippet: run
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            semel.worker("payments")
                    .handle(CHARGE, (context, charge) -> pay(charge, context.token("bank")))
                    .start();

            Charge charge = new Charge("ORD-123", 9900);
            Submission<Receipt> first = semel.submit(CHARGE, charge)
                    .idempotencyKey("charge-ORD-123")
                    .send();
            Submission<Receipt> second = semel.submit(CHARGE, charge)
                    .idempotencyKey("charge-ORD-123")
                    .send();

            out.println("first created: " + first.created());
            out.println("second created: " + second.created());
            out.println("same task: " + first.taskId().equals(second.taskId()));
            out.println("receipt for: " + second.result(Duration.ofSeconds(30)).order());
        }
        // end
    }

    /** A stand-in for the bank's API, which takes its own idempotency token. */
    private static Receipt pay(Charge charge, String token) {
        return new Receipt(charge.order(), charge.cents() + " cents paid with token " + token);
    }
}
