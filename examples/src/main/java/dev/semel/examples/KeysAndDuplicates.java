package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import dev.semel.task.TaskAlreadyExists;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.nio.file.Path;

/** The program of docs/how-to/keys-and-duplicates.md. */
public final class KeysAndDuplicates {

    record Charge(String order, long cents) {}

    record Report(String customer, String month, String format) {}

    record Mail(String to, String traceId) {}

    static final TaskType<Charge, String> CHARGE = TaskType.of("charge_customer", Charge.class, String.class);
    static final TaskType<Charge, String> REFUND = TaskType.of("refund_customer", Charge.class, String.class);

    // snippet: strategies
    static final TaskType<Report, String> REPORT = TaskType.builder("build_report", Report.class, String.class)
            .identity(IdentityStrategy.contextual("/customer", "/month"))
            .build();

    static final TaskType<Mail, String> WELCOME = TaskType.builder("welcome_mail", Mail.class, String.class)
            .identity(IdentityStrategy.strict())
            .ignoreFields("/traceId")
            .build();

    static final TaskType<Charge, String> CAPTURE = TaskType.builder("capture_payment", Charge.class, String.class)
            .keyedBy(charge -> "capture-" + charge.order())
            .build();
    // end

    private KeysAndDuplicates() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code keys.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "keys.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            duplicate(semel, out);
            conflict(semel, out);
            refuse(semel, out);
            share(semel, out);
            derive(semel, out);
        }
    }

    private static void duplicate(Semel semel, PrintStream out) {
        // snippet: duplicate
        Charge charge = new Charge("ORD-123", 9900);
        Submission<String> first =
                semel.submit(CHARGE, charge).idempotencyKey("charge-ORD-123").send();
        Submission<String> again =
                semel.submit(CHARGE, charge).idempotencyKey("charge-ORD-123").send();

        out.println("same task: " + again.taskId().equals(first.taskId()));
        out.println("created again: " + again.created());
        out.println("first submission time known: " + again.deduplicatedFrom().isPresent());
        // end
    }

    private static void conflict(Semel semel, PrintStream out) {
        // snippet: conflict
        try {
            semel.submit(CHARGE, new Charge("ORD-123", 12_000))
                    .idempotencyKey("charge-ORD-123")
                    .send();
        } catch (IdempotencyConflict conflict) {
            out.println("conflict at: " + conflict.differingPaths());
        }
        // end
    }

    private static void refuse(Semel semel, PrintStream out) {
        // snippet: refuse
        ReusePolicy refuse =
                ReusePolicy.allowFailedOnly().whileOpen(WhileOpen.REJECT).afterCompletion(AfterEnd.REJECT);
        try {
            semel.submit(CHARGE, new Charge("ORD-123", 9900))
                    .idempotencyKey("charge-ORD-123")
                    .reuse(refuse)
                    .send();
        } catch (TaskAlreadyExists refused) {
            out.println("refused, because the task is " + refused.status().word());
        }
        // end
    }

    private static void share(Semel semel, PrintStream out) {
        // snippet: scope
        Charge charge = new Charge("ORD-123", 9900);
        semel.submit(CHARGE, charge)
                .idempotencyKey("ORD-123")
                .scope(Scope.custom("money-of-order"))
                .send();
        try {
            semel.submit(REFUND, charge)
                    .idempotencyKey("ORD-123")
                    .scope(Scope.custom("money-of-order"))
                    .send();
        } catch (IdempotencyConflict conflict) {
            out.println("one of the two, not both: " + conflict.differingPaths());
        }
        // end
    }

    private static void derive(Semel semel, PrintStream out) {
        // snippet: derived
        Submission<String> pdf =
                semel.submit(REPORT, new Report("acme", "2026-01", "pdf")).send();
        Submission<String> csv =
                semel.submit(REPORT, new Report("acme", "2026-01", "csv")).send();
        out.println("one report a month: " + pdf.taskId().equals(csv.taskId()));

        Submission<String> one =
                semel.submit(WELCOME, new Mail("ada@example.org", "trace-1")).send();
        Submission<String> two =
                semel.submit(WELCOME, new Mail("ada@example.org", "trace-2")).send();
        out.println("one mail: " + one.taskId().equals(two.taskId()));

        Submission<String> capture =
                semel.submit(CAPTURE, new Charge("ORD-7", 500)).send();
        Submission<String> repeated =
                semel.submit(CAPTURE, new Charge("ORD-7", 500)).send();
        out.println("one capture: " + capture.taskId().equals(repeated.taskId()));
        // end
    }
}
