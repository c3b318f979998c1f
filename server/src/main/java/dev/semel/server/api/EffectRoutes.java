package dev.semel.server.api;

import dev.semel.EffectOperations.Resolving;
import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Effects: list those with unknown outcome, and resolve them. */
final class EffectRoutes {

    private final Backend backend;

    EffectRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/v1/effects", this::list, TokenScope.READ),
                Route.of("GET", "/v1/tasks/{id}/effects", this::ofTask, TokenScope.READ, TokenScope.WORK),
                Route.of("POST", "/v1/tasks/{id}/effects/{effect}/resolve", this::resolve, TokenScope.ADMIN));
    }

    private Reply list(Request request) {
        request.allowQueries("state", "limit", "cursor");
        Set<EffectState> states = request.query("state").stream()
                .flatMap(words -> Stream.of(words.split(",", -1)))
                .map(EffectRoutes::state)
                .collect(Collectors.toSet());
        EffectPage page = backend.store(request)
                .effects(new EffectQuery(
                        request.caller().tenant(),
                        states,
                        request.query("cursor").map(EffectRoutes::cursor).orElse(null),
                        Backend.limit(request, Filters.PAGE, EffectQuery.MAX_LIMIT)));
        EffectId next = page.next();
        return Reply.json(new JsonText()
                .objects(
                        "effects", page.effects().stream().map(TaskJson::effect).toList())
                .put("next", next == null ? null : next.lineage() + "!" + next.label())
                .toString());
    }

    private static EffectState state(String word) {
        return Stream.of(EffectState.values())
                .filter(state -> state.word().equals(word))
                .findFirst()
                .orElseThrow(() ->
                        new InvalidInput("The state of an effect is in_progress, unknown, done or not_done, but got \""
                                + Limits.shown(word) + "\"."));
    }

    private static EffectId cursor(String text) {
        int mark = text.indexOf('!');
        if (mark < 0) {
            throw new InvalidInput(
                    "A cursor is what \"next\" of the last page was, but got \"" + Limits.shown(text) + "\".");
        }
        return EffectId.parse(TaskId.parse(text.substring(0, mark)), text.substring(mark + 1));
    }

    private Reply ofTask(Request request) {
        request.allowQueries();
        Task task = backend.own(request, Backend.id(request));
        boolean worker = request.caller().scopes().contains(TokenScope.WORK);
        return Reply.json(new JsonText()
                .put("lineage", task.lineage().toString())
                .objects(
                        "effects",
                        backend.semel().effects().of(task.id()).stream()
                                // Only a worker gets what it needs to go on: the token and the recorded result.
                                .map(effect -> worker
                                        ? TaskJson.effect(effect)
                                                .put("token", effect.id().token())
                                                .raw("result", effect.result())
                                        : TaskJson.effect(effect))
                                .toList())
                .toString());
    }

    private Reply resolve(Request request) {
        request.allowQueries();
        JsonMembers body = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("resolution")
                .allow("verdict", "result", "reason");
        Resolution.Verdict verdict = Stream.of(Resolution.Verdict.values())
                .filter(one -> one.word().equals(body.text("verdict")))
                .findFirst()
                .orElseThrow(() -> new InvalidInput("A verdict is done, not_done or give_up, but got another word."));
        Resolution resolution = new Resolution(
                verdict,
                body.find("result").map(JsonDocument::text).orElse(null),
                request.caller().name(),
                body.text("reason"));
        Task task = backend.own(request, Backend.id(request));
        String label = request.parameter("effect");
        EffectRecord effect = backend.semel().effects().of(task.id()).stream()
                .filter(one -> one.id().label().equals(label))
                .findFirst()
                .orElseThrow(() -> new Problem(404, "not-found", "The task has no such effect."));
        Resolving outcome = backend.semel().effects().resolve(effect, resolution);
        if (outcome != Resolving.RESOLVED) {
            throw new Problem(
                    409,
                    outcome == Resolving.UNDER_WAY ? "effect-in-progress" : "effect-changed",
                    outcome == Resolving.UNDER_WAY
                            ? "The attempt of the effect still runs, so its outcome may still be recorded."
                            : "The effect has changed since it was read, or its outcome is known. Read it again.");
        }
        request.audit("verdict=" + verdict.word());
        return Reply.empty(204);
    }
}
