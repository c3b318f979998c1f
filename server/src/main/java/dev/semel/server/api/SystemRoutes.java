package dev.semel.server.api;

import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What machines ask a server: whether it lives, whether it can work, and how it does. */
final class SystemRoutes {

    private final Backend backend;
    private final Supplier<String> metrics;
    private final UnaryOperator<String> limits;

    SystemRoutes(Backend backend, Supplier<String> metrics, UnaryOperator<String> limits) {
        this.backend = backend;
        this.metrics = metrics;
        this.limits = limits;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/health", request -> Reply.json("{\"status\":\"up\"}")),
                Route.of("GET", "/ready", this::ready),
                Route.of("GET", "/metrics", this::metrics, TokenScope.READ),
                Route.of("GET", "/v1/whoami", this::whoami, TokenScope.values()),
                Route.of("GET", "/v1/limits", this::limits, TokenScope.values()));
    }

    private Reply ready(Request request) {
        // A read of one row that does not exist: it needs a connection and the schema, and nothing else. It fails as
        // the store does.
        var unused = backend.semel().tasks().find(new dev.semel.task.TaskId(new java.util.UUID(0, 0)));
        return Reply.json("{\"status\":\"ready\"}");
    }

    private Reply metrics(Request request) {
        if (request.caller().tenant() != null) {
            throw new Problem(
                    403, "operator-only", "Metrics are of all tenants, so only a token of all tenants may read them.");
        }
        return Reply.bytes(
                200, "text/plain; version=0.0.4; charset=utf-8", metrics.get().getBytes(StandardCharsets.UTF_8));
    }

    private Reply limits(Request request) {
        request.allowQueries();
        return Reply.json(limits.apply(Backend.tenant(request)));
    }

    private Reply whoami(Request request) {
        return Reply.json(new JsonText()
                .put("name", request.caller().name())
                .put("tenant", request.caller().tenant())
                .put(
                        "scopes",
                        request.caller().scopes().stream()
                                .sorted()
                                .map(TokenScope::word)
                                .toList())
                .toString());
    }
}
