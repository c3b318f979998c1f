package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Answer;
import dev.semel.server.json.JsonDocument;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Submitting over HTTP: codes, headers and problems of the specification. */
class SubmitTest {

    private final ServerFixture http = ServerFixture.local();

    @AfterEach
    void close() {
        http.close();
    }

    @Test
    void theFirstSubmissionIs201WithALocationThatCanBeRead() {
        Answer answer = http.post("/v1/tasks", "{\"type\":\"charge\",\"input\":{\"n\":1}}", "Idempotency-Key", "k-1");
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.header("Location")).isEqualTo("/v1/tasks/" + answer.text("task_id"));
        assertThat(answer.header("Idempotent-Replayed")).isNull();
        assertThat(answer.json().truth("created")).contains(true);
        assertThat(answer.text("state")).isEqualTo("pending");
    }

    @Test
    void aDuplicateIs200WithTheSameBodyShape() {
        Answer first = http.post("/v1/tasks", "{\"type\":\"charge\",\"input\":1}", "Idempotency-Key", "\"k-2\"");
        Answer second = http.post("/v1/tasks", "{\"type\":\"charge\",\"input\":1,\"key\":\"k-2\"}");
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(second.text("task_id")).isEqualTo(first.text("task_id"));
        assertThat(second.json().truth("created")).contains(false);
        assertThat(second.text("deduplicated_from")).isNotEmpty();
    }

    @Test
    void otherInputIs422WithThePathsThatDiffer() {
        http.post("/v1/tasks", "{\"type\":\"charge\",\"input\":{\"amount\":1},\"key\":\"k\"}");
        Answer answer = http.post("/v1/tasks", "{\"type\":\"charge\",\"input\":{\"amount\":2},\"key\":\"k\"}");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.problem()).isEqualTo("idempotency-conflict");
        assertThat(answer.json().strings("differing_paths")).contains(List.of("/amount"));
        assertThat(answer.text("existing_task_id")).hasSize(36);
        assertThat(answer.text("request_id")).isEqualTo(answer.header("X-Request-Id"));
    }

    @Test
    void whatExistsAndMayNotIs409() {
        Answer first = http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"key\":\"k\"}");
        Answer answer =
                http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"key\":\"k\",\"reuse\":\"never, open=reject\"}");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.problem()).isEqualTo("task-already-exists");
        assertThat(answer.text("existing_task_id")).isEqualTo(first.text("task_id"));
        assertThat(answer.text("existing_status")).isEqualTo("pending");
    }

    @Test
    void aBatchAnswersItemByItemAndNoItemFailsItsNeighbours() {
        Answer answer = http.post(
                "/v1/tasks",
                "[{\"type\":\"t\",\"input\":1,\"key\":\"a\"},{\"type\":\"t\",\"input\":1,\"key\":\"a\"},"
                        + "{\"type\":\"t\",\"input\":2,\"key\":\"a\"},{\"type\":\"no name!\",\"input\":1},"
                        + "{\"type\":\"t\",\"input\":1e400}]");
        assertThat(answer.status()).isEqualTo(200);
        List<Integer> statuses = JsonDocument.parse(answer.body()).elements("answer").stream()
                .map(item -> item.members("item").number("status").orElseThrow())
                .toList();
        assertThat(statuses).containsExactly(201, 200, 422, 400, 201);
    }

    @Test
    void anInputIsStoredAsItWasSent() {
        Answer first = http.post("/v1/tasks", "{\"type\":\"t\",\"input\": {\"n\": 9007199254740993, \"d\": 1.10} }");
        String input = http.store
                .find(List.of(dev.semel.task.TaskId.parse(first.text("task_id"))))
                .values()
                .iterator()
                .next()
                .input();
        assertThat(input).contains("9007199254740993").contains("1.10");
    }

    @Test
    void mistakesAre4xxProblems() {
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"kee\":\"x\"}")
                        .problem())
                .isEqualTo("invalid-input");
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"type\":\"t\",\"input\":1}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "").status()).isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{").status()).isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\"}").status()).isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{}", "Content-Type", "text/plain").status())
                .isEqualTo(415);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1}", "Idempotency-Key", " ")
                        .status())
                .isEqualTo(400);
        assertThat(http.get("/v1/nothing").problem()).isEqualTo("no-such-route");
        Answer wrong = http.send("DELETE", "/v1/claims", null);
        assertThat(wrong.status()).isEqualTo(405);
        assertThat(wrong.header("Allow")).contains("POST");
    }

    @Test
    void healthAndReadinessNeedNoToken() {
        assertThat(http.get("/health").body()).isEqualTo("{\"status\":\"up\"}");
        assertThat(http.get("/ready").status()).isEqualTo(200);
        http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"key\":\"m\"}");
        assertThat(http.get("/metrics").body())
                .contains("idempotency_check_total")
                .contains("semel_http_requests");
    }

    @Test
    void aPageOfAnotherSiteCannotUseAServerWithoutTokens() {
        Answer answer = http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1}", "Origin", "https://evil.example");
        assertThat(answer.problem()).isEqualTo("host-not-local");
    }
}
