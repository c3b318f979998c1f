package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.DeadLetter;
import dev.semel.store.QueueSettings;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.InvalidInput;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The program of docs/how-to/dead-letters.md. */
public final class DeadLetters {

    record Charge(String order, long cents) {}

    static final TaskType<Charge, String> CHARGE = TaskType.builder("charge_customer", Charge.class, String.class)
            .queue("payments")
            .retry(RetryPolicy.delays(Duration.ofMillis(10)))
            .build();

    // snippet: letter
    record Letter(
            String task_id,
            String original_queue,
            String type,
            String state,
            int attempts,
            @Nullable String last_error,
            String tenant_id,
            @Nullable String idempotency_key) {}

    static final TaskType<Letter, String> LETTER = TaskType.builder(DeadLetter.TYPE, Letter.class, String.class)
            .queue("payments-dead")
            .build();
    // end

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    // snippet: filter
    static final TaskQuery DEAD_PAYMENTS = TaskQuery.builder().queue("payments").build();
    // end

    private final AtomicBoolean bankAnswers = new AtomicBoolean();
    private final BlockingQueue<Letter> letters = new LinkedBlockingQueue<>();

    private DeadLetters() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code dead-letters.db} in the working directory if there is none
     * @throws InterruptedException never, because nothing interrupts the program
     */
    public static void main(String[] arguments) throws InterruptedException {
        run(Path.of(arguments.length == 0 ? "dead-letters.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) throws InterruptedException {
        new DeadLetters().show(file, out);
    }

    // snippet: declare
    static Semel open(Path file) {
        return Semel.on(SqliteTaskStore.open(file))
                .queue(
                        "payments",
                        QueueSettings.builder().deadLetterQueue("payments-dead").build())
                .build();
    }
    // end

    private void show(Path file, PrintStream out) throws InterruptedException {
        try (Semel semel = open(file)) {
            semel.worker("payments")
                    .handle(CHARGE, (context, charge) -> pay(charge, context.token("bank")))
                    .start();
            // snippet: worker
            semel.worker("payments-dead")
                    .handle(LETTER, (context, letter) -> {
                        letters.add(letter); // here: notify someone
                        return "notified";
                    })
                    .start();
            // end
            Submission<String> first = charge(semel, "ORD-1");
            dies(first);
            printLetter(out);
            dies(charge(semel, "ORD-2"));
            printLetter(out);
            list(semel, out);

            bankAnswers.set(true);
            out.println("sent again: " + charge(semel, "ORD-2").result(PATIENCE));
            preview(semel, out);
            redrive(semel, out);
            out.println("redriven: " + first.result(PATIENCE));
            circle(semel, out);
        }
    }

    private static Submission<String> charge(Semel semel, String order) {
        return semel.submit(CHARGE, new Charge(order, 9900))
                .idempotencyKey("charge-" + order)
                .send();
    }

    /** A stand-in for the bank's API. */
    private String pay(Charge charge, String token) {
        if (!bankAnswers.get()) {
            throw new IllegalStateException("The bank did not answer");
        }
        return charge.order() + " paid with a token of " + token.length() + " characters";
    }

    private static void dies(Submission<String> submission) {
        try {
            submission.result(PATIENCE);
        } catch (TaskUnsuccessful expected) {
            // It has used up its two attempts.
        }
    }

    private void printLetter(PrintStream out) throws InterruptedException {
        Letter letter = Objects.requireNonNull(letters.poll(30, TimeUnit.SECONDS), "a letter");
        out.println("letter about " + letter.idempotency_key() + ": " + letter.state() + " after " + letter.attempts()
                + " attempts in " + letter.original_queue());
    }

    private static void list(Semel semel, PrintStream out) {
        // snippet: list
        for (Task dead : semel.operations().deadLetters(DEAD_PAYMENTS).tasks()) {
            out.println(keyOf(dead) + " is " + dead.state().word());
        }
        // end
    }

    private static void preview(Semel semel, PrintStream out) {
        // snippet: preview
        semel.operations()
                .previewRedriveAll(
                        DEAD_PAYMENTS,
                        letter -> out.println(keyOf(letter.task()) + " had "
                                + letter.attempts().size() + " attempts and "
                                + (letter.supersededBy() == null ? "would run" : "is superseded")));
        // end
    }

    private static void redrive(Semel semel, PrintStream out) {
        // snippet: redrive
        semel.operations().redriveAll(DEAD_PAYMENTS, (task, outcome) -> out.println(keyOf(task) + ": " + outcome));
        // end
    }

    private static String keyOf(Task task) {
        return Objects.requireNonNull(task.identity(), "all payments have a key")
                .key();
    }

    private static void circle(Semel semel, PrintStream out) {
        // snippet: circle
        try {
            semel.operations()
                    .set(
                            "payments-dead",
                            QueueSettings.builder().deadLetterQueue("payments").build());
        } catch (InvalidInput refused) {
            out.println("a circle is refused");
        }
        // end
    }
}
