package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker with Java handlers of every kind, for a separate process. It prints a line for each attempt that it begins.
 */
final class TestWorker {

    /** An object that cannot be written as JSON. */
    public static final class Unserialisable {
        /**
         * Returns itself, which makes a cycle.
         *
         * @return itself
         */
        public Unserialisable getSelf() {
            return this;
        }
    }

    private TestWorker() {}

    private static <O> TaskType<RawJson, O> type(String name, Class<O> output) {
        return TaskType.builder(name, RawJson.class, output)
                .retry(RetryPolicy.delays(Duration.ofMillis(10)))
                .timeout(Duration.ofMillis(name.equals("hangs") ? 300 : 60_000))
                .build();
    }

    public static void main(String[] arguments) throws IOException {
        try (Semel semel = Semel.on(SqliteTaskStore.open(Path.of(arguments[0]))).build()) {
            semel.worker("q")
                    .lease(Duration.ofSeconds(1))
                    .handle(type("works", RawJson.class), (context, input) -> {
                        System.out.println(context.taskId());
                        // Long enough that a kill finds some of them under way.
                        LockSupport.parkNanos(5_000_000);
                        return input;
                    })
                    .handle(type("throws", RawJson.class), (context, input) -> {
                        throw new IllegalStateException("thrown on purpose");
                    })
                    .handle(type("hangs", RawJson.class), (context, input) -> {
                        new CountDownLatch(1).await();
                        return input;
                    })
                    .handle(type("unserialisable", Unserialisable.class), (context, input) -> new Unserialisable())
                    .handle(type("charges", RawJson.class), (context, input) -> {
                        context.effect("reserve", token -> System.out.println("reserves"));
                        return context.effect("charge", RawJson.class)
                                .parkIfUnknown()
                                .run(token -> {
                                    System.out.println("charges");
                                    new CountDownLatch(1).await();
                                    return input;
                                });
                    })
                    .handle(type("exits", RawJson.class), (context, input) -> {
                        Runtime.getRuntime().halt(7);
                        return input;
                    })
                    .start();
            System.in.readAllBytes(); // ends with its parent
        }
    }
}
