package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Worker;
import dev.semel.store.ClaimRequest;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.ReusePolicy;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the beginning and the end of a worker. */
@Timeout(60)
class WorkerLifeTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);

    @Test
    void aMainMethodWaitsUntilItsWorkerEnds() throws Exception {
        try (Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            Worker worker =
                    semel.worker("default").handle(WORK, (context, input) -> "").start();
            assertThat(worker.awaitEnd(Duration.ofMillis(10))).isFalse();
            CountDownLatch ended = new CountDownLatch(1);
            Thread main = Thread.ofPlatform().start(() -> {
                try {
                    worker.awaitEnd();
                    ended.countDown();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            assertThat(ended.getCount()).isEqualTo(1);
            semel.close();
            ended.await();
            main.join();
            assertThat(worker.awaitEnd(Duration.ZERO)).isTrue();
        }
    }

    @Test
    void aWorkerDoesNotStartOnAClosedInstance() {
        Semel semel = Semel.on(new InMemoryTaskStore()).build();
        Worker.Builder builder = semel.worker("default").name("late").handle(WORK, (context, input) -> "");
        semel.close();
        assertThatThrownBy(builder::start)
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("\"late\"")
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> semel.submit(WORK, "x").send())
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("is closed");
        semel.close(); // does not wait for a worker that never started
    }

    @Test
    void anInstanceWhoseStoreWasClosedBeforeItClosesAtOnce() throws Exception {
        TaskStore store = new InMemoryTaskStore();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (CapturedLog log = new CapturedLog();
                Semel semel = Semel.on(store).build()) {
            semel.submit(WORK, "x").send();
            Worker worker = semel.worker("default")
                    .closeGrace(Duration.ofMinutes(10))
                    .poll(Duration.ofMillis(1))
                    .handle(WORK, (context, input) -> {
                        running.countDown();
                        end.await();
                        return "";
                    })
                    .start();
            running.await();
            store.close();
            await().atMost(SOON).until(() -> log.text().contains("Store was closed before its worker"));
            end.countDown();
            worker.close(); // would wait for ten minutes
            assertThat(worker.awaitEnd(Duration.ZERO)).isTrue();
        }
    }

    @Test
    void aTaskThatReplacedOneOfAKilledWorkerInAnotherQueueStarts() {
        TaskStore store = new InMemoryTaskStore();
        try (Semel semel = Semel.on(store).build()) {
            var old =
                    semel.submit(WORK, "old").queue("left").idempotencyKey("k").send();
            // The only worker of the queue is killed after this claim.
            store.claim(new ClaimRequest(1, false, Set.of("left"), null, 1, 1, Duration.ofMillis(300), "killed"));
            var replacing = semel.submit(WORK, "new")
                    .queue("right")
                    .idempotencyKey("k")
                    .reuse(ReusePolicy.parse("open=replace"))
                    .send();
            assertThat(replacing.state()).isEqualTo(TaskState.WAITING);
            semel.worker("right")
                    .lease(Duration.ofMillis(300))
                    .handle(WORK, (context, input) -> input)
                    .start();
            assertThat(replacing.result(SOON)).isEqualTo("new");
            assertThat(store.find(List.of(old.taskId())).values())
                    .extracting(task -> task.state())
                    .containsExactly(TaskState.CANCELLED);
        }
    }
}
