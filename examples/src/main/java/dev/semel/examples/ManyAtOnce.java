package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The program of docs/how-to/many-at-once.md. */
public final class ManyAtOnce {

    record Invoice(String customer, long cents) {}

    static final TaskType<Invoice, String> SEND = TaskType.of("send_invoice", Invoice.class, String.class);

    private ManyAtOnce() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code invoices.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "invoices.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            // snippet: batch
            List<SubmissionRequest<Invoice, String>> requests = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                requests.add(
                        semel.submit(SEND, new Invoice("customer-" + i, 9900)).idempotencyKey("invoice-" + i));
            }
            requests.add(semel.submit(SEND, new Invoice("customer-0", 1)).idempotencyKey("invoice-0"));

            int created = 0;
            for (SubmitOutcome<String> outcome : semel.submitAll(requests)) {
                switch (outcome) {
                    case SubmitOutcome.Accepted<String>(var submission) -> created += submission.created() ? 1 : 0;
                    case SubmitOutcome.Refused<String>(var error) ->
                        out.println("refused: " + error.getClass().getSimpleName());
                }
            }
            out.println("created: " + created);
            // end

            // snippet: again
            int createdBefore = 0;
            for (SubmitOutcome<String> outcome : semel.submitAll(requests.subList(0, 2_000))) {
                createdBefore += outcome.submission().created() ? 1 : 0;
            }
            out.println("recognised: " + createdBefore);
            // end
        }
    }
}
