package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Answer;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Two tenants, every route, every scope, own and foreign ids: nothing leaks. */
class TenantMatrixTest {

    private static final ServerFixture HTTP = ServerFixture.withTokens();
    private static final String[] OURS =
            bearer(HTTP.token("ours", TokenScope.SUBMIT, TokenScope.WORK, TokenScope.READ, TokenScope.ADMIN));
    private static final String[] THEIRS =
            bearer(HTTP.token("theirs", TokenScope.SUBMIT, TokenScope.WORK, TokenScope.READ, TokenScope.ADMIN));

    // What only the other tenant has. It must appear in no answer to us.
    private static final String SECRET = "theirsecret";

    @AfterAll
    static void close() {
        HTTP.close();
    }

    private static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    /** What a tenant has: one of everything. */
    private record Things(String task, String dead, String lease) {}

    private static Things things(String name, String[] token) {
        String task = HTTP.post(
                        "/v1/tasks",
                        "{\"type\":\"" + name + "\",\"input\":{\"v\":\"" + name + "\"},\"queue\":\"" + name
                                + "\",\"key\":\"" + name + "\",\"max_attempts\":1}",
                        token)
                .text("task_id");
        String dead = HTTP.post(
                        "/v1/tasks",
                        "{\"type\":\"" + name + "\",\"input\":1,\"queue\":\"shared\",\"max_attempts\":1}",
                        token)
                .text("task_id");
        String lease = claimed("shared", token);
        HTTP.post(
                "/v1/settlements",
                "{\"lease\":\"" + lease + "\",\"action\":\"intend\",\"effect\":\"" + name + "\",\"lineage\":\"" + dead
                        + "\"}",
                token);
        HTTP.post("/v1/leases/" + lease + "/error", "{\"error\":\"" + name + "\"}", token);
        HTTP.post("/v1/workflows/" + name + "/" + name, "{\"input\":1,\"queue\":\"" + name + "\"}", token);
        HTTP.send("PUT", "/v1/schedules/" + name, "{\"every\":\"1h\",\"type\":\"" + name + "\"}", token);
        HTTP.post("/v1/tasks", "{\"type\":\"" + name + "\",\"input\":1,\"queue\":\"" + name + "2\"}", token);
        return new Things(task, dead, claimed(name + "2", token));
    }

    private static String claimed(String queue, String[] token) {
        return HTTP.post("/v1/claims", "{\"queues\":[\"" + queue + "\"]}", token)
                .json()
                .get("tasks")
                .elements("tasks")
                .getFirst()
                .members("task")
                .text("lease");
    }

    private record Call(Route route, String path, String body) {

        Answer send(String[] token) {
            boolean reads = route.method().equals("GET") || route.method().equals("DELETE");
            return HTTP.send(route.method(), path, reads ? null : body, token);
        }
    }

    /** Every route, with the things of one tenant in its path, query and body. */
    private static List<Call> calls(String name, Things things) {
        Map<String, String> queries = Map.of(
                "GET /v1/keys", "?key=" + name + "&type=" + name,
                "DELETE /v1/keys", "?key=" + name + "&type=" + name,
                "GET /v1/tasks", "?queue=" + name,
                "GET /v1/dead", "?type=" + name);
        Map<String, String> bodies = Map.ofEntries(
                Map.entry("POST /v1/claims", "{\"queues\":[\"" + name + "\",\"shared\"]}"),
                Map.entry("POST /v1/settlements", "{\"lease\":\"" + things.lease() + "\",\"action\":\"extend\"}"),
                Map.entry("POST /v1/tasks", "{\"type\":\"" + name + "x\",\"input\":1}"),
                Map.entry("POST /v1/tasks/explain", "{\"type\":\"" + name + "\",\"input\":2,\"key\":\"" + name + "\"}"),
                Map.entry("POST /v1/leases/{lease}/error", "{\"error\":\"e\"}"),
                Map.entry("POST /v1/tasks/cancel", "{\"queue\":\"" + name + "\"}"),
                Map.entry("POST /v1/dead/redrive", "{\"type\":\"" + name + "\"}"),
                Map.entry("POST /v1/workflows/{type}/{id}/signal", "{\"name\":\"s\"}"),
                Map.entry("POST /v1/workflows/{type}/{id}/ask", "{\"name\":\"a\",\"key\":\"k\"}"),
                Map.entry("POST /v1/schedules/{name}/pause", "{\"reason\":\"r\"}"),
                Map.entry(
                        "POST /v1/tasks/{id}/effects/{effect}/resolve", "{\"verdict\":\"not_done\",\"reason\":\"r\"}"));
        List<Call> calls = new ArrayList<>();
        for (Route route : HTTP.server.routes()) {
            if (route.path().startsWith("/v1/store")
                    || route.path().equals("/v1/events")
                    || route.anyOf().isEmpty()) {
                continue;
            }
            String path = route.path()
                    .replace("{type}/{id}", name + "/" + name)
                    .replace("{id}", route.path().contains("effects") ? things.dead() : things.task())
                    .replace("{lease}", things.lease())
                    .replace("{effect}", name)
                    .replace("{queue}", name)
                    .replace("{name}", name);
            calls.add(new Call(
                    route,
                    path + queries.getOrDefault(route.toString(), ""),
                    bodies.getOrDefault(route.toString(), "{}")));
        }
        return calls;
    }

    @Test
    void noRouteShowsOrChangesWhatAnotherTenantHas() {
        things("ours", OURS);
        Things theirs = things(SECRET, THEIRS);
        String before = HTTP.get("/v1/tasks", THEIRS).body();
        for (Call call : calls(SECRET, theirs)) {
            String route = call.route().toString();
            Answer answer = call.send(OURS);
            assertThat(answer.status()).as(route + " " + answer.body()).isLessThan(500);
            if (!route.equals("POST /v1/tasks")
                    && !route.startsWith("PUT")
                    && !route.equals("POST /v1/workflows/{type}/{id}")) {
                // What we sent ourselves may come back in an error, and nothing else.
                assertThat(withoutSent(answer.body(), call, theirs))
                        .as(route)
                        .doesNotContain(theirs.task())
                        .doesNotContain(theirs.dead())
                        .doesNotContain("{\"v\":");
            }
            if (call.path().contains(theirs.task())
                    || call.path().contains(theirs.dead())
                    || call.path().contains(theirs.lease())) {
                assertThat(answer.status()).as(route + " " + answer.body()).isEqualTo(404);
            }
        }
        assertThat(HTTP.get("/v1/tasks", THEIRS).body())
                .as("nothing of theirs has changed")
                .isEqualTo(before);
        assertThat(HTTP.get("/v1/queues", OURS).body()).doesNotContain(SECRET);
        assertThat(HTTP.get("/v1/effects", OURS).body()).doesNotContain(SECRET);
        assertThat(HTTP.get("/v1/schedules?cursor=a", OURS).body()).doesNotContain("\"tenant\":\"theirs\"");
    }

    private static String withoutSent(String answer, Call call, Things things) {
        String left = answer;
        for (String sent : List.of(things.task(), things.dead())) {
            left = (call.path() + call.body()).contains(sent) ? left.replace("There is no task " + sent, "") : left;
        }
        return left;
    }

    @Test
    void everyRouteNeedsOneOfItsScopesAndAValidToken() {
        Things own = things("scoped", OURS);
        for (TokenScope scope : TokenScope.values()) {
            String[] token = bearer(HTTP.token("ours", scope));
            for (Call call : calls("scoped", own)) {
                boolean allowed = call.route().anyOf().contains(scope);
                int status = call.send(token).status();
                assertThat(allowed ? status != 401 : status == 403)
                        .as(scope + " " + call.route() + " " + status)
                        .isTrue();
            }
        }
        for (Call call : calls("scoped", own)) {
            assertThat(call.send(new String[0]).status())
                    .as(call.route().toString())
                    .isEqualTo(401);
            assertThat(call.send(bearer("semel_000000000000_x")).status()).isEqualTo(401);
        }
    }

    @Test
    void theTenantComesFromTheTokenAlone() {
        Answer answer =
                HTTP.post("/v1/tasks", "{\"type\":\"t\",\"input\":1}", OURS[0], OURS[1], "Semel-Tenant", "theirs");
        assertThat(answer.problem()).isEqualTo("wrong-tenant");
        String all = HTTP.token(null, TokenScope.SUBMIT, TokenScope.READ);
        String id = HTTP.post(
                        "/v1/tasks",
                        "{\"type\":\"t\",\"input\":1}",
                        "Authorization",
                        "Bearer " + all,
                        "Semel-Tenant",
                        "theirs")
                .text("task_id");
        assertThat(HTTP.get("/v1/tasks/" + id, THEIRS).status()).isEqualTo(200);
        assertThat(HTTP.get("/v1/tasks/" + id, OURS).status()).isEqualTo(404);
        assertThat(Set.of(HTTP.get("/metrics", OURS).status())).containsExactly(403);
    }
}
