package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.engine.TaskContext;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskQuery;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** The program of docs/how-to/cancel-and-replace.md. */
public final class CancelAndReplace {

    record Import(String shop, int version) {}

    static final TaskType<Import, String> IMPORT = TaskType.builder("import_prices", Import.class, String.class)
            .queue("imports")
            .build();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    // snippet: policy
    static final ReusePolicy NEWEST_WINS = ReusePolicy.afterFinish().whileOpen(WhileOpen.REPLACE);
    // end

    private final Semaphore begun = new Semaphore(0);

    private CancelAndReplace() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code cancel.db} in the working directory if there is none
     * @throws InterruptedException never, because nothing interrupts the program
     */
    public static void main(String[] arguments) throws InterruptedException {
        run(Path.of(arguments.length == 0 ? "cancel.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) throws InterruptedException {
        new CancelAndReplace().show(file, out);
    }

    private void show(Path file, PrintStream out) throws InterruptedException {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            pending(semel, out);
            many(semel, out);
            // snippet: worker
            semel.worker("imports")
                    .handle(IMPORT, this::load)
                    .lease(Duration.ofMillis(600))
                    .start();
            // end
            running(semel, out);
            replace(semel, out);
        }
    }

    // snippet: handler
    private String load(TaskContext context, Import prices) throws InterruptedException {
        begun.release();
        if (prices.version() < 3) {
            new CountDownLatch(1).await(); // stands for long work; an interrupt ends it
        }
        return prices.shop() + " has version " + prices.version();
    }
    // end

    private static void pending(Semel semel, PrintStream out) {
        // snippet: pending
        Submission<String> later = semel.submit(IMPORT, new Import("north", 1))
                .delay(Duration.ofHours(1))
                .send();
        out.println("pending: " + semel.operations().cancel(later.taskId()));
        out.println("again: " + semel.operations().cancel(later.taskId()));
        // end
    }

    private static void many(Semel semel, PrintStream out) {
        for (int i = 0; i < 3; i++) {
            semel.submit(IMPORT, new Import("shop-" + i, 1))
                    .delay(Duration.ofHours(1))
                    .send();
        }
        // snippet: many
        TaskQuery imports = TaskQuery.builder().queue("imports").build();
        AtomicInteger open = new AtomicInteger();
        semel.operations().previewCancelAll(imports, task -> open.incrementAndGet());
        out.println("open: " + open);
        semel.operations().cancelAll(imports, (task, outcome) -> out.println(outcome));
        // end
    }

    private void running(Semel semel, PrintStream out) throws InterruptedException {
        Submission<String> runs = semel.submit(IMPORT, new Import("south", 1)).send();
        begun.acquire();
        // snippet: running
        out.println("running: " + semel.operations().cancel(runs.taskId()));
        try {
            runs.result(PATIENCE);
        } catch (TaskUnsuccessful end) {
            out.println("ended as " + end.status().word());
        }
        // end
    }

    private void replace(Semel semel, PrintStream out) throws InterruptedException {
        Submission<String> old = semel.submit(IMPORT, new Import("west", 2))
                .idempotencyKey("prices-west")
                .send();
        begun.acquire();
        // snippet: replace
        Submission<String> newer = semel.submit(IMPORT, new Import("west", 3))
                .idempotencyKey("prices-west")
                .reuse(NEWEST_WINS)
                .send();
        out.println("run " + newer.run() + " is " + newer.state().word());
        out.println(newer.result(PATIENCE));
        // end
        try {
            old.result(PATIENCE);
        } catch (TaskUnsuccessful end) {
            out.println("the old one ended as " + end.status().word());
        }
    }
}
