package dev.semel.examples;

import dev.semel.Explanation;
import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Objects;

/** The program of docs/how-to/explain-a-submission.md. */
public final class ExplainASubmission {

    record Charge(String order, long cents) {}

    static final TaskType<Charge, String> CHARGE = TaskType.builder("charge_customer", Charge.class, String.class)
            .queue("payments")
            .build();

    private ExplainASubmission() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code explain.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "explain.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            // snippet: before
            SubmissionRequest<Charge, String> request =
                    semel.submit(CHARGE, new Charge("ORD-123", 9900)).idempotencyKey("charge-ORD-123");
            semel.explain(request).sentences().forEach(out::println);
            // end
            // snippet: outcome
            out.println("before: " + semel.explain(request).outcome());
            request.send();
            out.println("the same request: " + semel.explain(request).outcome());
            // end

            // snippet: conflict
            Explanation why = semel.explain(
                    semel.submit(CHARGE, new Charge("ORD-123", 12_000)).idempotencyKey("charge-ORD-123"));
            out.println(why.outcome() + " by rule " + why.rule() + ", because of "
                    + Objects.requireNonNull(why.difference()).paths());
            // end

            // snippet: after
            Explanation task = semel.operations().explain(request.taskId());
            task.sentences().forEach(out::println);
            // end
            out.println("its key would " + task.outcome());
        }
    }
}
