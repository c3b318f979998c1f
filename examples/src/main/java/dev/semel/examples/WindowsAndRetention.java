package dev.semel.examples;

import dev.semel.Operations.KeyView;
import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.engine.Cleaning;
import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.QueueSettings;
import dev.semel.store.Swept;
import dev.semel.task.Identity;
import dev.semel.task.ResultGone;
import dev.semel.task.Scope;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** The program of docs/how-to/windows-and-retention.md. */
public final class WindowsAndRetention {

    record Order(String number) {}

    // snippet: type
    static final TaskType<Order, String> INVOICE = TaskType.builder("invoice", Order.class, String.class)
            .queue("invoices")
            .idempotencyTtl(Duration.ofDays(90))
            .build();
    // end

    static final TaskType<Order, String> PING =
            TaskType.builder("ping", Order.class, String.class).queue("pings").build();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    // Moved by hand, so that a month passes in no time.
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

    private WindowsAndRetention() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code windows.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "windows.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        new WindowsAndRetention().show(file, out);
    }

    private void show(Path file, PrintStream out) {
        try (Semel semel = open(file)) {
            windows(semel, out);
            zero(semel, out);
            duplicates(semel);
        }
        try (Semel semel = open(file)) {
            counted(semel, out);
            release(semel, out);
            retention(semel, out);
        }
    }

    private Semel open(Path file) {
        SqliteTaskStore store = SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(now::get).withElapsed(now::get));
        // snippet: settings
        Semel semel = Semel.on(store)
                .idempotencyTtl(Duration.ofDays(30))
                .cleaning(Cleaning.STANDARD
                        .withInterval(Duration.ofHours(1))
                        .withRetention(Duration.ofDays(7))
                        .withDeadLetterRetention(Duration.ofDays(30)))
                .queue(
                        "pings",
                        QueueSettings.builder()
                                .idempotencyTtl(Duration.ofHours(1))
                                .retention(Duration.ZERO)
                                .build())
                .build();
        // end
        semel.worker("invoices", "pings")
                .handle(INVOICE, (context, order) -> "invoice of " + order.number())
                .handle(PING, (context, order) -> "pong")
                .start();
        return semel;
    }

    private void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    private void windows(Semel semel, PrintStream out) {
        // snippet: window
        Submission<String> first = semel.submit(INVOICE, new Order("7"))
                .idempotencyKey("invoice-7")
                .idempotencyTtl(Duration.ofHours(1))
                .send();
        first.result(PATIENCE);
        // end
        pass(Duration.ofMinutes(59));
        Submission<String> inside = semel.submit(INVOICE, new Order("7"))
                .idempotencyKey("invoice-7")
                .send();
        out.println("after 59 minutes, created: " + inside.created());
        pass(Duration.ofMinutes(1));
        Submission<String> after = semel.submit(INVOICE, new Order("7"))
                .idempotencyKey("invoice-7")
                .send();
        out.println("after 60 minutes, created: " + after.created() + ", run " + after.run());
        after.result(PATIENCE);
    }

    private static void zero(Semel semel, PrintStream out) {
        // snippet: gone
        Submission<String> ping =
                semel.submit(PING, new Order("7")).idempotencyKey("ping-7").send();
        try {
            ping.result(PATIENCE);
        } catch (ResultGone gone) {
            out.println("done, and its result is gone");
        }
        // end
        Submission<String> again =
                semel.submit(PING, new Order("7")).idempotencyKey("ping-7").send();
        out.println("the key still answers: " + again.state().word() + ", created: " + again.created());
    }

    private static void duplicates(Semel semel) {
        for (int i = 0; i < 4; i++) {
            semel.submit(INVOICE, new Order("8")).idempotencyKey("invoice-8").send();
        }
    }

    // snippet: identity
    static Identity invoice(String key) {
        return Identity.of("default", Scope.type(), INVOICE.queue(), INVOICE.name(), key);
    }
    // end

    private static void counted(Semel semel, PrintStream out) {
        // snippet: key
        KeyView key = semel.operations().key(invoice("invoice-8"));
        out.println("duplicates of invoice-8: "
                + Objects.requireNonNull(key.record()).duplicates());
        // end
    }

    private static void release(Semel semel, PrintStream out) {
        // snippet: release
        Submission<String> later = semel.submit(INVOICE, new Order("9"))
                .idempotencyKey("invoice-9")
                .delay(Duration.ofHours(1))
                .send();
        out.println("open: " + semel.operations().release(invoice("invoice-9")));
        semel.operations().cancel(later.taskId());
        out.println("ended: " + semel.operations().release(invoice("invoice-9")));
        out.println("again: " + semel.operations().release(invoice("invoice-9")));
        // end
    }

    private void retention(Semel semel, PrintStream out) {
        Submission<String> invoice = semel.submit(INVOICE, new Order("10"))
                .idempotencyKey("invoice-10")
                .send();
        invoice.result(PATIENCE);
        pass(Duration.ofDays(8));
        // snippet: clean
        Swept swept = semel.operations().clean(soFar -> {});
        // end
        out.println("more to clean: " + swept.more());
        try {
            invoice.result(PATIENCE);
        } catch (ResultGone gone) {
            out.println("after a week the result is gone");
        }
        Submission<String> again = semel.submit(INVOICE, new Order("10"))
                .idempotencyKey("invoice-10")
                .send();
        out.println(
                "created again: " + again.created() + ", it is " + again.state().word());
    }
}
