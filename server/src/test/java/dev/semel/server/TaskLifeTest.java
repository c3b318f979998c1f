package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Answer;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The life of tasks over HTTP: claimed, settled, waited for, cancelled, redriven, listed. */
class TaskLifeTest {

    private final ServerFixture http = ServerFixture.local();

    @AfterEach
    void close() {
        http.close();
    }

    private String submit(String body) {
        return http.post("/v1/tasks", body).text("task_id");
    }

    private JsonMembers claimOne(String queue) {
        Answer answer = http.post("/v1/claims", "{\"queues\":[\"" + queue + "\"],\"worker\":\"w\"}");
        assertThat(answer.status()).isEqualTo(200);
        return answer.json().get("tasks").elements("tasks").getFirst().members("task");
    }

    @Test
    void aWorkerClaimsAndCompletesAndAWaiterGetsTheResult() {
        String id = submit("{\"type\":\"t\",\"input\":{\"a\":1},\"queue\":\"q\"}");
        CompletableFuture<Answer> waiting =
                CompletableFuture.supplyAsync(() -> http.get("/v1/tasks/" + id + "/result?wait=30"));
        JsonMembers task = claimOne("q");
        assertThat(task.text("task_id")).isEqualTo(id);
        assertThat(task.get("input").text()).isEqualTo("{\"a\":1}");
        String lease = task.text("lease");
        assertThat(http.post("/v1/leases/" + lease + "/extend?duration=60", "").status())
                .isEqualTo(200);
        assertThat(http.post("/v1/leases/" + lease + "/complete", "{\"ok\":true}")
                        .status())
                .isEqualTo(200);
        Answer result = waiting.join();
        assertThat(result.status()).isEqualTo(200);
        assertThat(result.json().get("result").text()).isEqualTo("{\"ok\":true}");
        assertThat(http.post("/v1/leases/" + lease + "/error", "{\"error\":\"late\"}")
                        .problem())
                .isEqualTo("lease-lost");
        Answer whole = http.get("/v1/tasks/" + id);
        assertThat(whole.text("state")).isEqualTo("completed");
        String tag = whole.header("ETag");
        assertThat(tag).isNotNull();
        assertThat(http.get("/v1/tasks/" + id, "If-None-Match", tag).status()).isEqualTo(304);
    }

    @Test
    void aClaimWaitsUntilSomethingIsSubmitted() {
        CompletableFuture<Answer> claim = CompletableFuture.supplyAsync(
                () -> http.post("/v1/claims", "{\"queues\":[\"later\"],\"wait\":\"30s\",\"worker\":\"w\"}"));
        org.awaitility.Awaitility.await().until(() -> http.server.running() > 0);
        String id = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"later\"}");
        assertThat(claim.join().body()).contains(id);
    }

    @Test
    void aRepeatedClaimReturnsWhatItTook() {
        String id = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\"}");
        String claim = "{\"queues\":[\"q\"],\"worker\":\"w\",\"claim\":\"4711\"}";
        assertThat(http.post("/v1/claims", claim).body()).contains(id);
        assertThat(http.post("/v1/claims", claim).body()).contains(id);
        assertThat(http.post("/v1/claims", claim.replace("4711", "4712")).body())
                .doesNotContain(id);
    }

    @Test
    void errorsAreRetriedByPolicyAndEndAsADeadLetterThatCanBeRedriven() {
        String id = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\",\"max_attempts\":1}");
        Answer settled = http.post(
                "/v1/settlements",
                "[{\"lease\":\"" + claimOne("q").text("lease") + "\",\"action\":\"error\",\"error\":\"boom\"}]");
        assertThat(settled.body()).isEqualTo("[{\"outcome\":\"applied\"}]");
        assertThat(http.get("/v1/dead?queue=q").body()).contains(id).contains("boom");
        assertThat(http.post("/v1/dead/redrive", "{\"queue\":\"q\",\"dry_run\":true}")
                        .body())
                .isEqualTo("{\"would_redrive\":1}");
        assertThat(http.post("/v1/tasks/" + id + "/redrive", "").text("outcome"))
                .isEqualTo("redriven");
        assertThat(http.post("/v1/tasks/" + id + "/redrive", "").problem()).isEqualTo("not-dead");
        assertThat(http.get("/v1/tasks/" + id).text("state")).isEqualTo("pending");
    }

    @Test
    void timeLimitsAreStoredAndWrongOnesAreRejected() {
        String id = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\",\"time_limit\":\"2h\",\"start_by\":\"5m\"}");
        Answer task = http.get("/v1/tasks/" + id);
        Instant created = Instant.parse(task.text("created_at"));
        assertThat(Instant.parse(task.text("start_by"))).isEqualTo(created.plusSeconds(300));
        assertThat(Instant.parse(task.text("deadline"))).isEqualTo(created.plusSeconds(7200));
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"time_limit\":\"5m\",\"start_by\":\"2h\"}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"start_by\":\"0s\"}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void tasksAreListedAndCancelledByTheirTags() {
        String red = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\",\"tags\":[\"red\",\"blue\"]}");
        String blue = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\",\"tags\":[\"blue\"]}");
        assertThat(http.get("/v1/tasks?tag=blue").body()).contains(red).contains(blue);
        assertThat(http.get("/v1/tasks?tag=red").body()).contains(red).doesNotContain(blue);
        assertThat(http.get("/v1/tasks/" + red).body()).contains("\"tags\":[\"blue\",\"red\"]");
        assertThat(http.post("/v1/tasks/cancel", "{\"tag\":\"red\"}").body()).isEqualTo("{\"cancelled\":1}");
        assertThat(http.get("/v1/tasks/" + blue).text("state")).isEqualTo("pending");
        assertThat(http.get("/v1/tasks?tag=a%20b").status()).isEqualTo(400);
    }

    @Test
    void tasksAreListedPageByPage() {
        for (int i = 0; i < 5; i++) {
            submit("{\"type\":\"t\",\"input\":" + i + ",\"queue\":\"q\"}");
        }
        Answer first = http.get("/v1/tasks?queue=q&limit=3&state=pending");
        assertThat(first.json().get("tasks").elements("tasks")).hasSize(3);
        Answer second = http.get("/v1/tasks?queue=q&limit=3&cursor=" + first.text("next"));
        assertThat(second.json().get("tasks").elements("tasks")).hasSize(2);
        assertThat(second.json().string("next")).isEmpty();
        assertThat(http.get("/v1/tasks?colour=red").status()).isEqualTo(400);
        assertThat(http.get("/v1/tasks?state=odd").status()).isEqualTo(400);
        assertThat(http.get("/v1/tasks?limit=0").status()).isEqualTo(400);
    }

    @Test
    void cancellingOneAndMany() {
        String id = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\"}");
        submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\"}");
        assertThat(http.post("/v1/tasks/" + id + "/cancel", "").text("outcome")).isEqualTo("cancelled");
        assertThat(http.post("/v1/tasks/cancel", "{\"queue\":\"q\"}").body()).isEqualTo("{\"cancelled\":1}");
        assertThat(http.post("/v1/tasks/" + id.replace('0', '1') + "/cancel", "")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void keysAreLookedUpAndReleased() {
        String id = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\",\"key\":\"a b/c\"}");
        assertThat(http.get("/v1/keys?key=a%20b%2Fc&type=t").text("task_id")).isEqualTo(id);
        assertThat(http.send("DELETE", "/v1/keys?key=a+b/c&type=t", null).problem())
                .isEqualTo("key-held");
        http.post("/v1/tasks/" + id + "/cancel", "");
        assertThat(http.send("DELETE", "/v1/keys?key=a+b/c&type=t", null).status())
                .isEqualTo(204);
        assertThat(http.get("/v1/keys?key=a+b/c&type=t").status()).isEqualTo(404);
    }

    @Test
    void queuesArePausedSetAndListed() {
        submit("{\"type\":\"t\",\"input\":1,\"queue\":\"a/b\"}");
        assertThat(http.post("/v1/queues/a%2Fb/pause", "").status()).isEqualTo(204);
        assertThat(http.send("PATCH", "/v1/queues/a%2Fb", "{\"rate_limit\":\"100/sec\",\"concurrency\":3}")
                        .status())
                .isEqualTo(204);
        Answer queue = http.get("/v1/queues/a%2Fb");
        assertThat(queue.json().truth("paused")).contains(true);
        assertThat(queue.text("rate_limit")).isEqualTo("100/sec");
        assertThat(http.post("/v1/claims", "{\"queues\":[\"a/b\"]}").body()).contains("\"tasks\":[]");
        assertThat(http.send("DELETE", "/v1/queues/a%2Fb/settings", null).status())
                .isEqualTo(204);
        assertThat(http.get("/v1/queues").body()).contains("\"queue\":\"a/b\",\"paused\":false,\"due\":1");
    }

    @Test
    void effectsAreRecordedAndAnUnknownOneIsResolved() {
        String id = submit("{\"type\":\"t\",\"input\":1,\"queue\":\"q\"}");
        JsonMembers task = claimOne("q");
        String effect = "\"effect\":\"charge\",\"lineage\":\"" + task.text("lineage") + "\",\"lease\":\""
                + task.text("lease") + "\"";
        Answer intended = http.post("/v1/settlements", "{\"action\":\"intend\"," + effect + "}");
        assertThat(intended.text("token")).isNotEmpty();
        http.post("/v1/settlements", "{\"action\":\"snooze\",\"lease\":\"" + task.text("lease") + "\"}");
        assertThat(http.get("/v1/effects?state=unknown").body()).contains("charge");
        assertThat(http.post(
                                "/v1/tasks/" + id + "/effects/charge/resolve",
                                "{\"verdict\":\"done\",\"result\":{\"paid\":1},\"reason\":\"seen at the provider\"}")
                        .status())
                .isEqualTo(204);
        assertThat(http.get("/v1/tasks/" + id + "/effects").body())
                .contains("\"state\":\"done\"")
                .contains("{\"paid\":1}");
    }

    @Test
    void workflowsAreStartedOnceSignalledAndCancelled() {
        assertThat(http.post("/v1/workflows/order/o-1", "{\"input\":{}}").status())
                .isEqualTo(201);
        Answer again = http.post("/v1/workflows/order/o-1", "{\"input\":{}}");
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(http.post("/v1/workflows/order/o-1/signal", "{\"name\":\"approved\",\"value\":true,\"key\":\"s\"}")
                        .status())
                .isEqualTo(204);
        assertThat(http.get("/v1/workflows/order/o-1/history").body()).contains("approved");
        assertThat(http.get("/v1/workflows/order/o-1").text("type")).isEqualTo("order");
        String question = "{\"name\":\"total\",\"value\":1,\"key\":\"q\"}";
        Answer asked = http.post("/v1/workflows/order/o-1/ask", question);
        assertThat(asked.status()).isEqualTo(202);
        assertThat(asked.text("state")).isEqualTo("open");
        assertThat(http.post("/v1/workflows/order/o-1/ask", "{\"name\":\"total\"}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/workflows/order/o-2/ask", question).status()).isEqualTo(404);
        assertThat(http.post("/v1/workflows/order/o-1/terminate", "").text("outcome"))
                .isEqualTo("cancelled");
        assertThat(http.post("/v1/workflows/order/o-1/signal", "{\"name\":\"approved\"}")
                        .problem())
                .isEqualTo("task-already-finished");
        assertThat(http.post("/v1/workflows/order/o-1/ask", question).problem()).isEqualTo("task-already-finished");
        assertThat(http.get("/v1/workflows/order/o-2").status()).isEqualTo(404);
    }

    @Test
    void schedulesAreSetPausedTriggeredAndRemoved() {
        Answer put =
                http.send("PUT", "/v1/schedules/nightly", "{\"cron\":\"0 3 * * *\",\"type\":\"report\",\"input\":{}}");
        assertThat(put.status()).isEqualTo(200);
        assertThat(http.get("/v1/schedules/nightly/next?limit=2")
                        .json()
                        .strings("ticks")
                        .orElseThrow())
                .hasSize(2);
        assertThat(http.post("/v1/schedules/nightly/pause", "{\"reason\":\"holidays\"}")
                        .body())
                .contains("holidays");
        assertThat(http.post("/v1/schedules/nightly/resume", "").status()).isEqualTo(200);
        assertThat(http.post("/v1/schedules/nightly/trigger", "").status()).isEqualTo(201);
        assertThat(http.get("/v1/schedules").body()).contains("nightly");
        assertThat(http.send("DELETE", "/v1/schedules/nightly", null).text("outcome"))
                .isEqualTo("removed");
        assertThat(http.get("/v1/schedules/nightly").status()).isEqualTo(404);
        assertThat(http.send("PUT", "/v1/schedules/x", "{\"cron\":\"a\",\"every\":\"1m\",\"type\":\"t\"}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aSubmissionWaitsForItsResultIfThatIsPreferred() {
        CompletableFuture<Answer> submission = CompletableFuture.supplyAsync(
                () -> http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"queue\":\"q\"}", "Prefer", "wait=30"));
        Answer claim = http.post("/v1/claims", "{\"queues\":[\"q\"],\"wait\":\"30s\"}");
        String lease = JsonDocument.parse(claim.body())
                .members("claim")
                .get("tasks")
                .elements("tasks")
                .getFirst()
                .members("task")
                .text("lease");
        http.post("/v1/leases/" + lease + "/complete", "42");
        Answer answer = submission.join();
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.header("Preference-Applied")).isEqualTo("wait=30");
        assertThat(answer.json().get("result").text()).isEqualTo("42");
        assertThat(List.of(answer.text("state"))).containsExactly("completed");
    }

    @Test
    void oneTasksDataIsErasedAndItsKeyStillAnswers() {
        String body = "{\"type\":\"erased\",\"queue\":\"erased\",\"key\":\"k\",\"input\":\"private\"}";
        String id = http.post("/v1/tasks", body).text("task_id");
        ServerFixture.Answer open = http.send("DELETE", "/v1/tasks/" + id, null);
        assertThat(open.status()).isEqualTo(409);
        assertThat(open.problem()).isEqualTo("task-open");
        http.post("/v1/tasks/" + id + "/cancel", "{}");
        assertThat(http.send("DELETE", "/v1/tasks/" + id, null).status()).isEqualTo(204);
        assertThat(http.get("/v1/tasks/" + id).status()).isEqualTo(404);
        assertThat(http.send("DELETE", "/v1/tasks/" + id, null).status()).isEqualTo(404);
        assertThat(http.get("/v1/keys?key=k&type=erased").text("task_id")).isEqualTo(id);
        assertThat(http.get("/v1/tasks?queue=erased").body()).doesNotContain("private");
    }
}
