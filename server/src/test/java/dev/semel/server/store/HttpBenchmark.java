package dev.semel.server.store;

import dev.semel.Semel;
import dev.semel.client.HttpTaskStore;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What HTTP costs, as ratios of one run: the same work on a SQLite file in the process, and on the same kind of file behind a port.
 * The argument is the number of tasks. Not a test; run by hand on a quiet machine.
 */
public final class HttpBenchmark {

    private static final TaskType<Integer, Integer> NOTHING = TaskType.of("nothing", Integer.class, Integer.class);
    private static final int BATCH = 1_000;
    private static final int ROUNDS = 3;
    private static final int IDLE = 50;

    private final Path directory;

    private HttpBenchmark(Path directory) {
        this.directory = directory;
    }

    /**
     * Measures and prints.
     *
     * @param arguments how many tasks; 20,000 if there is none
     * @throws Exception if a measure fails
     */
    public static void main(String[] arguments) throws Exception {
        int tasks = arguments.length == 0 ? 20_000 : Integer.parseInt(arguments[0]);
        HttpBenchmark benchmark = new HttpBenchmark(Files.createTempDirectory("semel-http-benchmark-"));
        for (int round = 1; round <= ROUNDS; round++) {
            benchmark.compare("submit in batches of " + BATCH, round, tasks, HttpBenchmark::submit);
            benchmark.compare("drain by one worker", round, tasks, HttpBenchmark::drain);
            benchmark.idle(round);
        }
    }

    /** Work on a store, in seconds. */
    @FunctionalInterface
    private interface Work {
        double seconds(TaskStore store, int tasks) throws Exception;
    }

    private TaskStore fresh() {
        return SqliteTaskStore.open(directory.resolve(UUID.randomUUID() + ".db"));
    }

    private void compare(String what, int round, int tasks, Work work) throws Exception {
        double embedded;
        try (TaskStore store = fresh()) {
            embedded = work.seconds(store, tasks);
        }
        double remote;
        try (TaskStore behind = fresh();
                StoreHost host = StoreHost.on(behind);
                TaskStore store = HttpTaskStore.open(host.url())) {
            remote = work.seconds(store, tasks);
        }
        System.out.printf(
                Locale.ROOT,
                "round %d  %s: in process %,.0f/s, over HTTP %,.0f/s, ratio %.2f%n",
                round,
                what,
                tasks / embedded,
                tasks / remote,
                embedded / remote);
    }

    private static double submit(TaskStore store, int tasks) {
        List<List<NewTask>> batches = new ArrayList<>();
        for (int from = 0; from < tasks; from += BATCH) {
            List<NewTask> batch = new ArrayList<>();
            for (int i = from; i < Math.min(tasks, from + BATCH); i++) {
                batch.add(Tasks.keyed("key-" + i, "{\"order\":" + i + "}"));
            }
            batches.add(batch);
        }
        long begun = System.nanoTime();
        batches.forEach(store::submit);
        return (System.nanoTime() - begun) / 1e9;
    }

    private static double drain(TaskStore store, int tasks) throws Exception {
        CountDownLatch left = new CountDownLatch(tasks);
        try (Semel semel = Semel.on(store).withoutShutdownHook().build()) {
            for (int from = 0; from < tasks; from += BATCH) {
                List<Integer> inputs = new ArrayList<>();
                for (int i = from; i < Math.min(tasks, from + BATCH); i++) {
                    inputs.add(i);
                }
                for (Integer input : inputs) {
                    semel.submit(NOTHING, input).send();
                }
            }
            long begun = System.nanoTime();
            semel.worker("default")
                    .handle(NOTHING, (context, number) -> {
                        left.countDown();
                        return number;
                    })
                    .concurrency(64)
                    .start();
            if (!left.await(10, TimeUnit.MINUTES)) {
                throw new IllegalStateException("The worker did not run all tasks within 10 minutes");
            }
            return (System.nanoTime() - begun) / 1e9;
        }
    }

    /** From a submission to the start of its handler, with nothing else to do. */
    private void idle(int round) throws IOException, InterruptedException {
        try (TaskStore behind = fresh();
                StoreHost host = StoreHost.on(behind);
                Semel worker = Semel.on(HttpTaskStore.open(host.url()))
                        .withoutShutdownHook()
                        .build();
                Semel submitter = Semel.on(HttpTaskStore.open(host.url()))
                        .withoutShutdownHook()
                        .build()) {
            LinkedBlockingQueue<Long> started = new LinkedBlockingQueue<>();
            worker.worker("default")
                    .handle(NOTHING, (context, number) -> {
                        started.add(System.nanoTime());
                        return number;
                    })
                    .start();
            long[] nanos = new long[IDLE];
            for (int i = 0; i < IDLE; i++) {
                long begun = System.nanoTime();
                submitter.submit(NOTHING, i).send();
                Long at = started.poll(1, TimeUnit.MINUTES);
                if (at == null) {
                    throw new IllegalStateException("A task did not start within a minute");
                }
                nanos[i] = at - begun;
            }
            Arrays.sort(nanos);
            System.out.printf(
                    Locale.ROOT,
                    "round %d  idle submit to start over HTTP: p50 %.2f ms, p90 %.2f ms%n",
                    round,
                    nanos[IDLE / 2] / 1e6,
                    nanos[IDLE * 9 / 10] / 1e6);
        }
    }
}
