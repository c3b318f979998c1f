package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Settings;
import dev.semel.SettingsFile;
import dev.semel.server.ServerFixture.Answer;
import dev.semel.server.http.ListenerSettings;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** draft-ietf-httpapi-idempotency-key-header, point by point, as in the table of docs/reference/http.md. */
class IdempotencyKeyHeaderTest {

    private static final String BODY = "{\"type\":\"t\",\"input\":{\"n\":1}}";

    @TempDir
    Path directory;

    private ServerFixture http;

    @BeforeEach
    void start() throws IOException {
        Path file =
                Files.writeString(directory.resolve("semel.toml"), "[tasks.keyed]\nidentity = \"caller_provided\"\n");
        Settings settings = SettingsFile.read(file);
        TaskStore store = new InMemoryTaskStore();
        http = new ServerFixture(
                SemelServer.on(store)
                        .settings(settings)
                        .listen(ListenerSettings.plain("127.0.0.1", 0))
                        .start(),
                store,
                null);
    }

    @AfterEach
    void close() {
        http.close();
    }

    private Answer post(String key) {
        return http.post("/v1/tasks", BODY, "Idempotency-Key", key);
    }

    @Test
    void theKeyIsAStringInQuotesOrWithout() {
        String id = post("\"8e03978e\"").text("task_id");
        assertThat(post("8e03978e").text("task_id")).isEqualTo(id);
        String escaped = post("\"a\\\"b\\\\c\"").text("task_id");
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":{\"n\":1},\"key\":\"a\\\"b\\\\c\"}")
                        .text("task_id"))
                .isEqualTo(escaped);
        assertThat(post("\"open").status()).isEqualTo(400);
        assertThat(post("\"a\" b").status()).isEqualTo(400);
    }

    @Test
    void aKeyIsNotUsedAgainWithAnotherPayload() {
        assertThat(post("k").status()).isEqualTo(201);
        Answer other = http.post("/v1/tasks", "{\"type\":\"t\",\"input\":{\"n\":2}}", "Idempotency-Key", "k");
        assertThat(other.status()).isEqualTo(422);
        Answer same = http.post("/v1/tasks", "{\"input\": {\"n\" : 1.0}, \"type\":\"t\"}", "Idempotency-Key", "k");
        assertThat(same.status()).as("the same value in other words").isEqualTo(200);
    }

    @Test
    void theExpiryOfAKeyIsPublished() {
        post("k");
        assertThat(http.get("/v1/keys?key=k&type=t").text("expires_at")).isNotEmpty();
    }

    @Test
    void aMissingKeyWhereOneIsRequiredIs400() {
        Answer answer = http.post("/v1/tasks", "{\"type\":\"keyed\",\"input\":1}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text("detail")).contains("keyed");
        assertThat(http.post("/v1/tasks", "{\"type\":\"keyed\",\"input\":1}", "Idempotency-Key", "k")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void aRetryWhileTheTaskRunsIsNoConflict() {
        String id = post("k").text("task_id");
        http.post("/v1/claims", "{\"queues\":[\"default\"]}");
        Answer again = post("k");
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("task_id")).isEqualTo(id);
        assertThat(again.text("state")).isEqualTo("running");
    }

    @Test
    void aRetryAfterCompletionGetsTheResult() {
        post("k");
        String lease = http.post("/v1/claims", "{\"queues\":[\"default\"]}")
                .json()
                .get("tasks")
                .elements("tasks")
                .getFirst()
                .members("task")
                .text("lease");
        http.post("/v1/leases/" + lease + "/complete", "\"done\"");
        Answer again = http.post("/v1/tasks", BODY, "Idempotency-Key", "k", "Prefer", "wait=1");
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("result")).isEqualTo("done");
    }

    @Test
    void oneKeyForManyIsAnError() {
        assertThat(http.post("/v1/tasks", "[" + BODY + "]", "Idempotency-Key", "k")
                        .status())
                .isEqualTo(400);
    }
}
