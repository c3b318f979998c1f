package dev.semel.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.TaskHandle;
import dev.semel.client.HttpTaskStore;
import dev.semel.storetests.process.Child;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker and a workflow over HTTP whose server is killed, as {@code kill -9} does, and started again on the same port. */
@Timeout(180)
class HttpServerKilledTest {

    private static final TaskType<Integer, Integer> DOUBLE = TaskType.of("double", Integer.class, Integer.class);
    private static final WorkflowType<Integer, Integer> SUM = WorkflowType.of("sum", Integer.class, Integer.class);
    private static final int TASKS = 60;
    private static final int STEPS = 5;
    private static final int KILLS = 3;

    @TempDir
    Path directory;

    @Test
    @DisplayName("Every task that was accepted ends once, and so does the workflow, although the server was killed in"
            + " between")
    void everyTaskEnds() throws Exception {
        Path file = directory.resolve("semel.db");
        Child server = Child.run(MaintainedHost.class, file, 0);
        int port = Integer.parseInt(Objects.requireNonNull(server.line()));
        Map<Integer, Integer> ran = new ConcurrentHashMap<>();
        try (Semel semel =
                Semel.on(HttpTaskStore.open("http://127.0.0.1:" + port)).build()) {
            semel.worker("default")
                    .handle(DOUBLE, (context, number) -> {
                        ran.merge(number, 1, Integer::sum);
                        return 2 * number;
                    })
                    .workflow(SUM, (flow, steps) -> {
                        int sum = 0;
                        for (int i = 0; i < steps; i++) {
                            sum += flow.run(DOUBLE, 1_000 + i);
                        }
                        return sum;
                    })
                    .lease(Duration.ofSeconds(2))
                    .start();
            TaskHandle<Integer> flow = semel.start(SUM, "one", STEPS).handle();
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                if (i % (TASKS / KILLS) == TASKS / KILLS / 2) {
                    server.kill();
                    server.close();
                    server = Child.run(MaintainedHost.class, file, port);
                    assertThat(server.line()).isEqualTo(Integer.toString(port));
                }
                handles.add(submitted(semel, i));
            }
            for (int i = 0; i < TASKS; i++) {
                assertThat(result(handles.get(i))).isEqualTo(2 * i);
            }
            assertThat(result(flow)).isEqualTo(2 * (1_000 + 1_001 + 1_002 + 1_003 + 1_004));
            assertThat(ran.keySet()).hasSize(TASKS + STEPS);
        } finally {
            server.close();
        }
    }

    /** Sends until there is an answer: the key says that it is the same task. */
    private static TaskHandle<Integer> submitted(Semel semel, int number) {
        while (true) {
            try {
                return semel.submit(DOUBLE, number)
                        .idempotencyKey("task-" + number)
                        .send()
                        .handle();
            } catch (StoreUnavailable e) {
                Thread.onSpinWait();
            }
        }
    }

    private static int result(TaskHandle<Integer> handle) throws Exception {
        while (true) {
            try {
                return handle.result(Duration.ofSeconds(60));
            } catch (StoreUnavailable e) {
                Thread.onSpinWait();
            }
        }
    }
}
