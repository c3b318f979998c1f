package dev.semel.sqlite;

import dev.semel.Semel;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A program as the README shows it, which knows nothing of signals: it builds, starts a worker, and waits. */
final class DeployedWorker {

    static final TaskType<String, String> LONG = TaskType.builder("long", String.class, String.class)
            .retry(RetryPolicy.attempts(1))
            .build();

    private DeployedWorker() {}

    public static void main(String[] arguments) throws Exception {
        boolean ends = arguments[1].equals("ends");
        try (Semel semel = Semel.on(SqliteTaskStore.open(Path.of(arguments[0])))
                .shutdownGrace(Duration.ofMillis(100))
                .build()) {
            semel.worker("default")
                    .concurrency(1)
                    .handle(LONG, (context, input) -> {
                        System.out.println("running");
                        if (!ends) {
                            new CountDownLatch(1).await();
                        }
                        return "done";
                    })
                    .start();
            new CountDownLatch(1).await();
        }
    }
}
