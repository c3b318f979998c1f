package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.client.HttpSettings;
import dev.semel.client.HttpTaskStore;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.store.ClaimRequest;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectQuery;
import dev.semel.store.History;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.TaskQuery;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.ScheduleId;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The calls of HttpTaskStore and the streams: every scope on every route, and tokens that belong to one tenant. */
class StoreTenantsTest {

    private static final ServerFixture HTTP = ServerFixture.withTokens();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @AfterAll
    static void close() {
        CLIENT.close();
        HTTP.close();
    }

    private static int status(Route route, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(HTTP.uri(route.path()))
                .timeout(Duration.ofSeconds(30))
                .header("Semel-Protocol", "1")
                .header("Content-Type", "application/json")
                .method(
                        route.method(),
                        route.method().equals("GET")
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString("{}"));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        // A stream does not end, so its body is not waited for.
        HttpResponse<InputStream> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        response.body().close();
        return response.statusCode();
    }

    @Test
    void everyCallAndEveryStreamNeedsOneOfItsScopes() throws Exception {
        List<Route> routes = HTTP.server.routes().stream()
                .filter(route ->
                        route.path().startsWith("/v1/store") || route.path().equals("/v1/events"))
                .toList();
        assertThat(routes).hasSizeGreaterThan(20);
        for (TokenScope scope : TokenScope.values()) {
            String token = HTTP.token("ours", scope);
            for (Route route : routes) {
                int status = status(route, token);
                assertThat(route.anyOf().contains(scope) ? status != 401 && status != 403 : status == 403)
                        .as(scope + " " + route + " " + status)
                        .isTrue();
                assertThat(status).isLessThan(500);
            }
        }
        for (Route route : routes) {
            assertThat(status(route, "")).as(route.toString()).isEqualTo(401);
        }
    }

    private static HttpTaskStore store(String tenant) {
        return HttpTaskStore.open(
                HttpSettings.of(HTTP.uri("").toString()).withToken(HTTP.token(tenant, TokenScope.values())));
    }

    private static String[] bearer(String tenant) {
        return new String[] {"Authorization", "Bearer " + HTTP.token(tenant, TokenScope.values())};
    }

    @Test
    void anotherTenantDoesNotExistForATokenOfOne() {
        String[] theirs = bearer("theirs");
        TaskId id = TaskId.parse(HTTP.post(
                        "/v1/tasks", "{\"type\":\"t\",\"queue\":\"theirs\",\"key\":\"k\",\"input\":\"secret\"}", theirs)
                .text("task_id"));
        HTTP.send("PUT", "/v1/schedules/nightly", "{\"every\":\"1h\",\"type\":\"t\"}", theirs);
        Identity key = HTTP.store.find(List.of(id)).get(id).identity();
        try (HttpTaskStore ours = store("ours");
                HttpTaskStore own = store("theirs")) {
            assertThat(own.find(List.of(id))).containsKey(id);
            assertThat(ours.find(List.of(id))).isEmpty();
            assertThat(ours.records(List.of(key))).isEmpty();
            assertThat(ours.list(TaskQuery.all(100)).tasks()).isEmpty();
            assertThat(ours.list(TaskQuery.of(key, 100)).tasks()).isEmpty();
            assertThat(ours.attempts(List.of(id)).getOrDefault(id, List.of())).isEmpty();
            assertThat(ours.effects(List.of(id)).getOrDefault(id, List.of())).isEmpty();
            assertThat(ours.effects(new EffectQuery(null, Set.of(), null, 10)).effects())
                    .isEmpty();
            assertThat(ours.histories(List.of(History.Query.whole(id)))).doesNotContainKey(id);
            assertThat(ours.depths("theirs")).isEmpty();
            assertThat(ours.depths(null)).doesNotContainKey("theirs");
            ScheduleId nightly = new ScheduleId("theirs", "nightly");
            assertThat(own.schedules(List.of(nightly))).containsKey(nightly);
            assertThat(ours.schedules(List.of(nightly))).isEmpty();
            assertThat(ours.schedules(new ScheduleQuery(null, null, 10))).isEmpty();
            assertThat(ours.submit(List.<SubmitRequest>of(new SubmitRequest.Cancel(id))))
                    .containsExactly(Submitted.Cancellation.NOT_FOUND);
            assertThat(ours.operate(List.of(
                            new Operation.Cancel(id),
                            new Operation.Redrive(id, 1),
                            new Operation.Erase(id),
                            new Operation.ReleaseKey(key, id))))
                    .containsOnly(Operated.NOT_FOUND);
            NewTask foreign = new NewTask(
                    id,
                    "theirs",
                    "q",
                    "t",
                    "1",
                    NewTask.Start.now(),
                    HTTP.store.find(List.of(id)).get(id).options(),
                    null);
            assertThatThrownBy(() -> ours.submit(List.of(foreign))).isInstanceOf(SemelException.class);

            String lease = HTTP.post("/v1/claims", "{\"queues\":[\"theirs\"]}", bearer("ours"))
                    .body();
            assertThat(lease).doesNotContain("lease");
            var claimed = HTTP.store.claim(claim());
            Lease held = claimed.tasks().getFirst().lease();
            assertThat(ours.settle(List.of(new Settlement.Complete(held, "1")))).containsExactly(Settled.NOT_FOUND);
            assertThat(own.settle(List.of(new Settlement.Complete(held, "1")))).containsExactly(Settled.APPLIED);
        }
    }

    @Test
    void aLeaseOfOnesOwnDoesNotWriteTheEffectsOfAnotherTenant() {
        TaskId theirs = TaskId.parse(
                HTTP.post("/v1/tasks", "{\"type\":\"t\",\"queue\":\"effects\",\"input\":1}", bearer("payee"))
                        .text("task_id"));
        String unused = HTTP.post("/v1/tasks", "{\"type\":\"t\",\"queue\":\"effects\",\"input\":1}", bearer("forger"))
                .text("task_id");
        try (HttpTaskStore ours = store("forger")) {
            Lease lease = ours.claim(claim("effects")).tasks().getFirst().lease();
            EffectId charge = new EffectId(theirs, "charge", 0);
            assertThat(ours.settle(List.of(
                            new Settlement.Intend(lease, charge, null),
                            new Settlement.Refer(lease, charge, "who knows"),
                            new Settlement.Conclude(
                                    lease, charge, new EffectOutcome.Done("\"forged\"", EffectOutcome.How.RAN)),
                            new Settlement.Park(lease, charge, "who knows"))))
                    .containsOnly(Settled.NOT_FOUND);
            assertThat(HTTP.store.effects(List.of(theirs)).getOrDefault(theirs, List.of()))
                    .isEmpty();
            EffectId own = new EffectId(lease.taskId(), "charge", 0);
            assertThat(ours.settle(List.of(new Settlement.Intend(lease, own, null))))
                    .containsExactly(Settled.APPLIED);
        }
    }

    private static ClaimRequest claim() {
        return claim("theirs");
    }

    private static ClaimRequest claim(String queue) {
        return new ClaimRequest(7, false, Set.of(queue), null, 1, 1, 1, 1 << 20, Duration.ofSeconds(30), "test");
    }
}
