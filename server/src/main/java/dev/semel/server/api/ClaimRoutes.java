package dev.semel.server.api;

import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.Tokens;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Workers in any language: claim by long poll, and settle what was claimed. */
final class ClaimRoutes {

    static final Duration USUAL_LEASE = Duration.ofSeconds(30);

    /** The most tasks of one claim, and the most settlements of one request. */
    private static final int MOST = Backend.MAX_BATCH;

    // What one claim may return: inputs that fit into memory on both sides.
    private static final long MOST_BYTES = 16L << 20;

    private final Backend backend;
    private final SecureRandom random = new SecureRandom();

    ClaimRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("POST", "/v1/claims", this::claim, TokenScope.WORK),
                Route.of("POST", "/v1/settlements", this::settle, TokenScope.WORK),
                Route.of("POST", "/v1/leases/{lease}/complete", this::complete, TokenScope.WORK),
                Route.of("POST", "/v1/leases/{lease}/error", this::error, TokenScope.WORK),
                Route.of("POST", "/v1/leases/{lease}/extend", this::extend, TokenScope.WORK));
    }

    private Reply claim(Request request) {
        request.allowQueries();
        JsonMembers body = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("claim")
                .allow("queues", "types", "limit", "lease", "worker", "wait", "claim");
        Set<String> queues = names("queue", body.strings("queues").orElse(List.of()));
        Optional<List<String>> types = body.strings("types");
        if (types.isPresent() && types.get().isEmpty()) {
            throw new InvalidInput(
                    "A claim names the types that it takes, but \"types\" is empty, so it would never take"
                            + " anything. Leave it out to take all types.");
        }
        int limit = body.number("limit").orElse(1);
        if (limit < 1 || limit > MOST) {
            throw new InvalidInput("A claim takes 1 to " + MOST + " tasks, but got limit \"" + limit + "\".");
        }
        Optional<String> number = body.string("claim");
        ClaimRequest claim = new ClaimRequest(
                number.map(ClaimRoutes::number).orElseGet(random::nextLong),
                number.isPresent(),
                queues,
                types.map(all -> names("task type", all)).orElse(null),
                limit,
                limit,
                limit,
                MOST_BYTES,
                body.duration("lease").orElse(USUAL_LEASE),
                body.string("worker").orElse(request.caller().name()));
        Duration wait = body.duration("wait").orElse(Duration.ZERO);
        Claims claims = backend.polls().claim(backend.store(request), claim, wait);
        return Reply.json(new JsonText()
                .put("claim", Long.toString(claim.claim()))
                .objects("tasks", claims.tasks().stream().map(ClaimRoutes::json).toList())
                .toString());
    }

    private static long number(String text) {
        if (!text.matches("-?[0-9]{1,18}")) {
            throw new InvalidInput("The number of a claim has 1 to 18 digits, but got \"" + Limits.shown(text)
                    + "\". Choose one at random, and send the same one again if the answer was lost.");
        }
        return Long.parseLong(text);
    }

    private static Set<String> names(String what, List<String> names) {
        Set<String> all = new HashSet<>();
        names.forEach(name -> all.add(Limits.name(what, name)));
        if (all.size() > MOST) {
            throw new InvalidInput("A claim names at most " + MOST + " queues and types, but got " + all.size() + ".");
        }
        return all;
    }

    private static JsonText json(Claimed claimed) {
        Task task = claimed.task();
        return TaskJson.summary(task)
                .put("lease", LeaseText.of(claimed.lease()))
                .put("token", Tokens.token(task.lineage(), "exec"))
                .raw("input", task.input());
    }

    private Reply settle(Request request) {
        request.allowQueries();
        JsonDocument body = JsonDocument.parse(request.text(Backend.MAX_BATCH_BODY));
        List<JsonDocument> items = body.isArray() ? body.elements("body") : List.of(body);
        if (items.size() > MOST) {
            throw new Problem(
                    413, "too-large", "A batch has at most " + MOST + " settlements, but got " + items.size() + ".");
        }
        List<SettlementBody> read = SettlementBody.read(items);
        TaskStore store = backend.store(request);
        Map<TaskId, Task> tasks = store.find(read.stream()
                .filter(SettlementBody::needsTask)
                .map(one -> one.lease().taskId())
                .toList());
        List<Settlement> settlements = new ArrayList<>();
        read.forEach(one -> settlements.add(one.settlement(tasks, random)));
        List<String> answers = new ArrayList<>();
        List<Settled> settled = store.settle(settlements);
        for (int i = 0; i < settled.size(); i++) {
            answers.add(answer(settlements.get(i), settled.get(i)).toString());
        }
        return Reply.json(body.isArray() ? "[" + String.join(",", answers) + "]" : answers.getFirst());
    }

    private static JsonText answer(Settlement settlement, Settled settled) {
        JsonText json = new JsonText().put("outcome", settled.name().toLowerCase(Locale.ROOT));
        return settlement instanceof Settlement.Intend intend && settled == Settled.APPLIED
                ? json.put("token", intend.effect().token())
                : json;
    }

    private Reply complete(Request request) {
        String result = request.header("Content-Length").filter("0"::equals).isPresent()
                ? null
                : dev.semel.task.Json.parse(request.text(Limits.DOCUMENT_BYTES)).text();
        return one(request, new Settlement.Complete(lease(request), result));
    }

    private Reply error(Request request) {
        request.allowQueries();
        Lease lease = lease(request);
        String error = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("error")
                .allow("error")
                .text("error");
        SettlementBody body = SettlementBody.read(JsonDocument.parse(new JsonText()
                .put("lease", LeaseText.of(lease))
                .put("action", "error")
                .put("error", error)
                .toString()));
        return one(request, body.settlement(backend.store(request).find(List.of(lease.taskId())), random));
    }

    private Reply extend(Request request) {
        request.allowQueries("duration");
        return one(
                request,
                new Settlement.Extend(
                        lease(request),
                        request.query("duration").map(Backend::seconds).orElse(USUAL_LEASE)));
    }

    private static Lease lease(Request request) {
        return LeaseText.parse(request.parameter("lease"));
    }

    // A single settlement says by its status whether it was applied, so that a shell script need not read JSON.
    private Reply one(Request request, Settlement settlement) {
        Settled settled = backend.store(request).settle(List.of(settlement)).getFirst();
        return switch (settled) {
            case APPLIED, CANCEL_REQUESTED ->
                Reply.json(answer(settlement, settled).toString());
            case NOT_FOUND -> throw new Problem(404, "not-found", "There is no such task.");
            case STALE ->
                throw new Problem(
                        409,
                        "lease-lost",
                        "Another attempt has begun, or this one has ended. Nothing changed; stop working on"
                                + " the task.");
            case CONCLUDED, TOO_LATE, FULL, BUSY ->
                throw new Problem(
                        409,
                        "not-settled",
                        "The settlement was not applied: " + settled.name().toLowerCase(Locale.ROOT) + ".");
        };
    }
}
