package dev.semel.server.api;

import dev.semel.Operations.QueueView;
import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSettings;
import dev.semel.task.Durations;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import dev.semel.task.ReusePolicy;
import java.time.Duration;
import java.util.List;

/** Queues: depths, pauses and settings. Settings apply to all tenants, so only an operator of all tenants changes them. */
final class QueueRoutes {

    private final Backend backend;

    QueueRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/v1/queues", this::list, TokenScope.READ),
                Route.of("GET", "/v1/queues/{queue}", this::get, TokenScope.READ),
                Route.of("PATCH", "/v1/queues/{queue}", this::set, TokenScope.ADMIN),
                Route.of("DELETE", "/v1/queues/{queue}/settings", this::reset, TokenScope.ADMIN),
                Route.of("POST", "/v1/queues/{queue}/pause", this::pause, TokenScope.ADMIN),
                Route.of("POST", "/v1/queues/{queue}/resume", this::resume, TokenScope.ADMIN));
    }

    private List<QueueView> views(Request request) {
        String tenant = request.caller().tenant();
        return tenant == null
                ? backend.semel().operations().queues()
                : backend.semel().operations().queues(tenant);
    }

    private Reply list(Request request) {
        request.allowQueries();
        return Reply.json(new JsonText()
                .objects(
                        "queues", views(request).stream().map(QueueRoutes::json).toList())
                .toString());
    }

    private Reply get(Request request) {
        request.allowQueries();
        String name = Limits.name("queue", request.parameter("queue"));
        return views(request).stream()
                .filter(view -> view.name().equals(name))
                .findFirst()
                .map(view -> Reply.json(json(view).toString()))
                .orElseThrow(() ->
                        new Problem(404, "not-found", "There is no queue \"" + name + "\" with tasks or settings."));
    }

    static JsonText json(QueueView view) {
        QueueDepth depth = view.depth();
        QueueSettings settings = view.setUp().effective();
        RateLimit limit = settings.rateLimit();
        Duration retention = settings.retention();
        Duration ttl = settings.idempotencyTtl();
        ReusePolicy reuse = settings.reuse();
        JsonText json = new JsonText()
                .put("queue", view.name())
                .put("paused", settings.isPaused())
                .put("due", depth.due())
                .put("delayed", depth.delayed())
                .put("running", depth.running())
                .put("waiting", depth.waiting())
                .put("dead", depth.dead())
                .put("oldest_due", depth.oldestDue())
                .put("rate_limit", limit == null ? null : limit.text());
        Integer concurrency = settings.concurrency();
        if (concurrency != null) {
            json.put("concurrency", concurrency);
        }
        return json.put("retention", retention == null ? null : Durations.text(retention))
                .put("idempotency_ttl", ttl == null ? null : Durations.text(ttl))
                .put("reuse", reuse == null ? null : reuse.text())
                .put("dead_letter_queue", settings.deadLetterQueue());
    }

    private Reply set(Request request) {
        JsonMembers body = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("settings of a queue")
                .allow("rate_limit", "concurrency", "retention", "idempotency_ttl", "reuse", "dead_letter_queue");
        return change(
                request,
                new QueueSettings(
                        null,
                        body.string("rate_limit").map(RateLimit::parse).orElse(null),
                        body.number("concurrency").orElse(null),
                        body.duration("retention").orElse(null),
                        body.duration("idempotency_ttl").orElse(null),
                        body.string("reuse").map(ReusePolicy::parse).orElse(null),
                        body.string("dead_letter_queue").orElse(null)));
    }

    private Reply pause(Request request) {
        return change(request, QueueSettings.builder().paused(true).build());
    }

    private Reply resume(Request request) {
        return change(request, QueueSettings.builder().paused(false).build());
    }

    private Reply change(Request request, QueueSettings changes) {
        String queue = checked(request);
        backend.semel().operations().set(queue, changes);
        return Reply.empty(204);
    }

    private Reply reset(Request request) {
        String queue = checked(request);
        backend.semel().operations().reset(queue);
        return Reply.empty(204);
    }

    private static String checked(Request request) {
        request.allowQueries();
        if (request.caller().tenant() != null) {
            throw new Problem(
                    403,
                    "operator-only",
                    "The settings of a queue apply to all tenants, so only a token of all tenants may change them.");
        }
        return Limits.name("queue", request.parameter("queue"));
    }
}
