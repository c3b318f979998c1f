package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.engine.RawJson;
import dev.semel.store.Attempt;
import dev.semel.store.QueueSettings;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.storetests.process.Child;
import dev.semel.task.RateLimit;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Limits that several worker processes keep together. */
@Timeout(120)
class SqliteLimitsTest {

    private static final TaskType<RawJson, RawJson> WORK = TaskType.of("work", RawJson.class, RawJson.class);
    private static final String QUEUE = "default";

    @TempDir
    Path directory;

    @Test
    void threeProcessesTogetherStartAHundredTasksASecond() throws Exception {
        RateLimit limit = RateLimit.parse("100/sec");
        Path file = directory.resolve("semel.db");
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            submit(semel, 5_000);
            semel.operations()
                    .set(QUEUE, QueueSettings.builder().rateLimit(limit).build());
            List<Child> workers = workers(file, "0");
            List<Long> starts = List.of();
            long most = 0;
            try {
                workers.forEach(worker -> worker.expect("works"));
                // What a machine that stood still did not start is not made up for, so a span that was spoilt by others
                // is
                // followed by another one. Too many must never start.
                for (int span = 0; span < 3 && most < 950; span++) {
                    // Nothing can be waited for but the end of the span.
                    assertThat(new CountDownLatch(1).await(11, TimeUnit.SECONDS))
                            .isFalse();
                    starts = starts(file);
                    most = mostWithinTenSeconds(starts);
                }
            } finally {
                close(workers);
            }
            assertThat(most).isBetween(950L, 1_050L);
            for (int earlier = 0; earlier < starts.size(); earlier++) {
                for (int later = earlier + limit.burst(); later < starts.size(); later++) {
                    // All but a burst are spread evenly; times are cut to milliseconds.
                    long least = limit.interval()
                                    .multipliedBy(later - earlier - limit.burst())
                                    .toMillis()
                            - 1;
                    assertThat(starts.get(later) - starts.get(earlier)).isGreaterThanOrEqualTo(least);
                }
            }
        }
    }

    private static long mostWithinTenSeconds(List<Long> starts) {
        long most = 0;
        for (int first = 0, last = 0; first < starts.size(); first++) {
            while (last < starts.size() && starts.get(last) < starts.get(first) + 10_000) {
                last++;
            }
            most = Math.max(most, last - first);
        }
        return most;
    }

    @Test
    void threeProcessesTogetherRunFiveTasksAtOnceAndNeverSix() throws Exception {
        Path file = directory.resolve("semel.db");
        Path running = Files.createDirectory(directory.resolve("running"));
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            submit(semel, 400);
            semel.operations().set(QUEUE, QueueSettings.builder().concurrency(5).build());
            List<Child> workers = workers(file, running.toString());
            List<Integer> seen = new ArrayList<>();
            try {
                for (Child worker : workers) {
                    worker.expect("works");
                }
                for (Child worker : workers) {
                    worker.rest().forEach(line -> seen.add(Integer.valueOf(line)));
                    assertThat(worker.exit()).isZero();
                }
            } finally {
                close(workers);
            }
            assertThat(seen).hasSize(400);
            assertThat(seen).allMatch(number -> number <= 5).anyMatch(number -> number > 1);
            assertThat(semel.operations().queues().getFirst().depth().running()).isZero();
        }
    }

    private static void submit(Semel semel, int number) {
        List<SubmissionRequest<RawJson, RawJson>> requests = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            requests.add(semel.submit(WORK, new RawJson("{}")));
        }
        semel.submitAll(requests);
    }

    private static List<Child> workers(Path file, String running) throws IOException {
        List<Child> workers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            workers.add(Child.run(WorkerProcess.class, file, running));
        }
        return workers;
    }

    private static void close(List<Child> workers) throws InterruptedException {
        for (Child worker : workers) {
            worker.close();
        }
    }

    /** When each attempt began, by the store's clock, in order. */
    private static List<Long> starts(Path file) {
        List<Long> starts = new ArrayList<>();
        Set<TaskState> begun = Set.of(TaskState.RUNNING, TaskState.COMPLETED);
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            TaskQuery query = new TaskQuery(null, QUEUE, null, begun, null, null, 1_000);
            for (TaskQuery next = query; next != null; ) {
                var page = store.list(next);
                store.attempts(page.tasks().stream().map(Task::id).toList()).values().stream()
                        .flatMap(List::stream)
                        .map(Attempt::startedAt)
                        .forEach(start -> starts.add(start.toEpochMilli()));
                next = page.next() == null ? null : query.after(page.next());
            }
        }
        starts.sort(Long::compare);
        return starts;
    }

    /** Works until the queue is empty. With a directory, each handler leaves a mark there while it runs. */
    static final class WorkerProcess {
        public static void main(String[] arguments) throws InterruptedException {
            try (Semel semel =
                    Semel.on(SqliteTaskStore.open(Path.of(arguments[0]))).build()) {
                semel.worker(QUEUE)
                        .handle(WORK, (context, input) -> {
                            if (!arguments[1].equals("0")) {
                                mark(Path.of(arguments[1]), context.taskId().toString());
                            }
                            return new RawJson("null");
                        })
                        .concurrency(16)
                        .start();
                System.out.println("works");
                while (semel.operations().queues().stream()
                        .anyMatch(queue -> queue.depth().due() + queue.depth().running() > 0)) {
                    TimeUnit.MILLISECONDS.sleep(20);
                }
            }
        }

        private static void mark(Path running, String name) throws InterruptedException {
            Path mark = running.resolve(name);
            try {
                Files.createFile(mark);
                try (Stream<Path> marks = Files.list(running)) {
                    System.out.println(marks.count());
                }
                Thread.sleep(Duration.ofMillis(5));
                Files.delete(mark);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
