package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.store.QueueDepth;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Inputs of the largest size that is allowed, and a worker with the standard settings on a heap of 256 MB. */
@Timeout(600)
public abstract class LargeInputsContract {

    private static final int TASKS = Integer.getInteger("large.tasks", 150);

    private static final TaskType<String, String> WORK = TaskType.builder(Tasks.TYPE, String.class, String.class)
            .queue(Tasks.QUEUE)
            .build();

    /** For subclasses. */
    protected LargeInputsContract() {}

    /**
     * The class that opens the store, here and in other processes.
     *
     * @return a public class with a public constructor that takes nothing
     */
    protected abstract Class<? extends StoreOpener> opener();

    /**
     * Creates a store without tasks.
     *
     * @return where it is
     * @throws Exception if it cannot be created
     */
    protected abstract String freshAddress() throws Exception;

    @Test
    @DisplayName("A worker with a small heap runs tasks with the largest inputs")
    void aSmallHeapRunsThemAll() throws Exception {
        runsThemAll(freshAddress());
    }

    private void runsThemAll(String address) throws Exception {
        String input = "x".repeat(Limits.DOCUMENT_BYTES - 2);
        String opener = opener().getName();
        try (TaskStore store = StoreOpener.open(opener, address);
                Semel semel = Semel.on(store).build()) {
            List<SubmissionRequest<String, String>> requests = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                requests.add(semel.submit(WORK, input));
            }
            List<TaskId> ids = semel.submitAll(requests).stream()
                    .map(outcome -> outcome.submission().taskId())
                    .toList();
            try (Child worker = Child.run(LargeInputsContract.class, opener, address)) {
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

    /**
     * The worker: its results are as large as its inputs.
     *
     * @param arguments the opener and the address
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        TaskStore store = StoreOpener.open(arguments[0], arguments[1]);
        Semel semel = Semel.on(store).build();
        semel.worker(Tasks.QUEUE).handle(WORK, (context, input) -> input).start();
        System.out.println("started");
        new CountDownLatch(1).await(); // until it is killed: the threads of a worker keep no process alive
    }
}
