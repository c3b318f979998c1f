package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.PostgresSettings;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.server.ServerFixture.Answer;
import dev.semel.testservers.PostgresServer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Two servers on one PostgreSQL, as behind a balancer: each request may go to either. */
class TwoServersTest {

    private static final String BODY = "{\"type\":\"t\",\"queue\":\"two\",\"input\":1,\"key\":\"k\"}";

    @Test
    void aTaskMayUseEitherServerAtEveryStep() throws Exception {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        try (ServerFixture left = ServerFixture.on(PostgresTaskStore.open(database, PostgresSettings.standard()));
                ServerFixture right = ServerFixture.on(PostgresTaskStore.open(database, PostgresSettings.standard()));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Answer first = left.post("/v1/tasks", BODY);
            assertThat(first.status()).isEqualTo(201);
            String id = first.text("task_id");
            Answer again = right.post("/v1/tasks", BODY);
            assertThat(again.status()).isEqualTo(200);
            assertThat(again.text("task_id")).isEqualTo(id);

            // Waits at one server for what is claimed at the other and settled at the first.
            Future<Answer> waiting = threads.submit(() -> right.get("/v1/tasks/" + id + "/result?wait=30"));
            String lease = left.post("/v1/claims", "{\"queues\":[\"two\"],\"wait\":\"10s\"}")
                    .json()
                    .get("tasks")
                    .elements("tasks")
                    .getFirst()
                    .members("task")
                    .text("lease");
            assertThat(right.post("/v1/leases/" + lease + "/complete", "\"done\"")
                            .status())
                    .isEqualTo(200);
            assertThat(waiting.get().text("result")).isEqualTo("done");
            assertThat(left.post("/v1/leases/" + lease + "/complete", "\"done\"")
                            .status())
                    .as("settled again through the other server")
                    .isEqualTo(200);

            oneTaskForEachKey(List.of(left, right), threads);

            left.close();
            assertThat(right.post("/v1/tasks", BODY).text("task_id"))
                    .as("one server is enough")
                    .isEqualTo(id);
        }
    }

    private static void oneTaskForEachKey(List<ServerFixture> servers, ExecutorService threads) throws Exception {
        Set<String> created = ConcurrentHashMap.newKeySet();
        Set<String> ids = ConcurrentHashMap.newKeySet();
        List<Future<?>> all = IntStream.range(0, 120)
                .<Future<?>>mapToObj(i -> threads.submit(() -> {
                    Answer answer =
                            servers.get(i % 2).post("/v1/tasks", BODY.replace("\"k\"", "\"many-" + i / 6 + "\""));
                    ids.add(answer.text("task_id"));
                    if (answer.status() == 201) {
                        created.add(answer.text("task_id"));
                    }
                }))
                .toList();
        for (Future<?> one : all) {
            one.get();
        }
        assertThat(ids).hasSize(20);
        assertThat(created).containsExactlyInAnyOrderElementsOf(ids);
    }
}
