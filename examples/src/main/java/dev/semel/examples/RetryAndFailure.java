package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.engine.TaskContext;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/** The program of docs/how-to/retries-and-failures.md. */
public final class RetryAndFailure {

    record Page(String address) {}

    // snippet: type
    static final TaskType<Page, Integer> FETCH = TaskType.builder("fetch_page", Page.class, Integer.class)
            .retry(RetryPolicy.delays(Duration.ofMillis(20), Duration.ofMillis(100)))
            .nonRetryable(UnsupportedOperationException.class)
            .timeout(Duration.ofMinutes(1))
            .build();
    // end

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private RetryAndFailure() {}

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code retries.db} in the working directory if there is none
     */
    public static void main(String[] arguments) {
        run(Path.of(arguments.length == 0 ? "retries.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            semel.worker("default").handle(FETCH, RetryAndFailure::fetch).start();
            retried(semel, out);
            failed(semel, out);
            limited(semel);
        }
    }

    // snippet: handler
    static int fetch(TaskContext context, Page page) {
        if (page.address().isEmpty()) {
            throw new PermanentFailure("A page without an address will not be found tomorrow either");
        }
        if (context.attempt() == 1) {
            throw context.snooze(Duration.ofMillis(20));
        }
        if (context.failures() < 2) {
            throw new IllegalStateException("The server did not answer");
        }
        return 200;
    }
    // end

    private static void retried(Semel semel, PrintStream out) {
        // snippet: retried
        int status = semel.submit(FETCH, new Page("example.org")).send().result(PATIENCE);
        out.println("status after one snooze and two failures: " + status);
        // end
    }

    private static void limited(Semel semel) {
        // snippet: limited
        semel.submit(FETCH, new Page("example.org"))
                .startBy(Duration.ofMinutes(5))
                .send();
        semel.submit(FETCH, new Page("example.com"))
                .timeLimit(Duration.ofHours(6))
                .send();
        // end
    }

    private static void failed(Semel semel, PrintStream out) {
        // snippet: failed
        Submission<Integer> first =
                semel.submit(FETCH, new Page("")).idempotencyKey("page-7").send();
        try {
            first.result(PATIENCE);
        } catch (TaskUnsuccessful unsuccessful) {
            out.println("ended as " + unsuccessful.status().word());
        }
        Submission<Integer> second =
                semel.submit(FETCH, new Page("")).idempotencyKey("page-7").send();
        out.println("run " + second.run() + ", created: " + second.created());
        // end
    }
}
