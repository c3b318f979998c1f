package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.store.QueueDepth;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Inputs of the largest size that is allowed, and a worker with the standard settings on a heap of 256 MB. */
@Timeout(600)
class LargeInputsTest {

    private static final int TASKS = Integer.getInteger("large.tasks", 150);

    private static final TaskType<String, String> WORK = TaskType.builder(Tasks.TYPE, String.class, String.class)
            .queue(Tasks.QUEUE)
            .build();

    @Test
    void aSmallHeapRunsThemAllOnSqlite(@TempDir Path directory) throws Exception {
        runsThemAll(directory.resolve("semel.db").toString());
    }

    @Test
    void aSmallHeapRunsThemAllOnPostgresql() throws Exception {
        try (PostgresCluster server = PostgresCluster.newest()) {
            runsThemAll("postgresql://postgres@127.0.0.1:" + server.port() + "/postgres");
        }
    }

    private static void runsThemAll(String url) throws Exception {
        String input = "x".repeat(Limits.DOCUMENT_BYTES - 2);
        try (TaskStore store = EffectCrashWorker.open(url);
                Semel semel = Semel.on(store).build()) {
            List<SubmissionRequest<String, String>> requests = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                requests.add(semel.submit(WORK, input));
            }
            List<TaskId> ids = semel.submitAll(requests).stream()
                    .map(outcome -> outcome.submission().taskId())
                    .toList();
            try (Child worker = Child.run(LargeInputsTest.class, url)) {
                worker.expect("started");
                await().atMost(Duration.ofMinutes(5))
                        .pollInterval(Duration.ofMillis(100))
                        .until(() -> open(store) == 0);
            }
            for (TaskId id : ids) {
                Task task = Objects.requireNonNull(store.find(List.of(id)).get(id));
                assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
                assertThat(task.progress().vanished()).isZero();
                assertThat(task.progress().failures()).isZero();
            }
        }
    }

    private static long open(TaskStore store) {
        QueueDepth depth = store.depths().get(Tasks.QUEUE);
        return depth == null ? 0 : depth.due() + depth.delayed() + depth.running() + depth.waiting();
    }

    /** The worker: its results are as large as its inputs. */
    public static void main(String[] arguments) throws InterruptedException {
        TaskStore store = EffectCrashWorker.open(arguments[0]);
        Semel semel = Semel.on(store).build();
        semel.worker(Tasks.QUEUE).handle(WORK, (context, input) -> input).start();
        System.out.println("started");
        new CountDownLatch(1).await(); // until it is killed: the threads of a worker keep no process alive
    }
}
