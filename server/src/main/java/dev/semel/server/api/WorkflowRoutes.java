package dev.semel.server.api;

import dev.semel.RestartPreview;
import dev.semel.Submission;
import dev.semel.Workflows;
import dev.semel.engine.RawJson;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.server.limit.Admission;
import dev.semel.store.History;
import dev.semel.store.Task;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.ResultNotReady;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.workflow.AskRejected;
import dev.semel.workflow.WorkflowType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Workflows: start, show, signal, cancel. */
final class WorkflowRoutes {

    private static final String ONE = "/v1/workflows/{type}/{id}";

    private final Backend backend;

    WorkflowRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("POST", ONE, this::start, TokenScope.SUBMIT),
                Route.of("GET", ONE, this::show, TokenScope.SUBMIT, TokenScope.READ),
                Route.of("GET", ONE + "/history", this::history, TokenScope.READ),
                Route.of("POST", ONE + "/signal", this::signal, TokenScope.SUBMIT),
                Route.of("POST", ONE + "/ask", this::ask, TokenScope.SUBMIT),
                Route.of("POST", ONE + "/cancel", this::cancel, TokenScope.SUBMIT, TokenScope.ADMIN),
                Route.of("POST", ONE + "/resume", this::resume, TokenScope.ADMIN),
                Route.of("POST", ONE + "/restart", this::restart, TokenScope.ADMIN),
                Route.of("POST", ONE + "/terminate", this::terminate, TokenScope.ADMIN));
    }

    private static WorkflowType<RawJson, RawJson> type(Request request) {
        return WorkflowType.of(request.parameter("type"), RawJson.class, RawJson.class);
    }

    private static String id(Request request) {
        return Limits.key(request.parameter("id"));
    }

    private Workflows workflows(Request request) {
        return backend.semel().workflows(Backend.tenant(request));
    }

    private Reply start(Request request) {
        request.allowQueries();
        JsonMembers body = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("start of a workflow")
                .allow("input", "queue");
        TaskType<RawJson, RawJson> type = type(request).taskType();
        String id = id(request);
        String input = SubmissionBody.input(body);
        String queue = Limits.name("queue", body.string("queue").orElse(type.queue()));
        String tenant = Backend.tenant(request);
        Submission<RawJson> answer;
        try (Admission.Ticket ticket =
                backend.admission().admit(tenant, 1, input.getBytes(StandardCharsets.UTF_8).length)) {
            answer = backend.semel()
                    .submit(type, new RawJson(input))
                    .tenant(tenant)
                    .queue(queue)
                    .idempotencyKey(id)
                    .send();
        }
        Reply reply = Reply.json(
                        answer.created() ? 201 : 200,
                        new JsonText()
                                .put("workflow", id)
                                .put("task_id", answer.taskId().toString())
                                .put("created", answer.created())
                                .put("run", answer.run())
                                .put("state", answer.state().word())
                                .put(
                                        "deduplicated_from",
                                        answer.deduplicatedFrom().orElse(null))
                                .toString())
                .header("Location", request.path());
        return answer.created() ? reply : reply.header("Idempotent-Replayed", "true");
    }

    private Reply show(Request request) {
        request.allowQueries();
        TaskId task = workflows(request).taskId(type(request), id(request));
        Task found = backend.own(request, task);
        return Reply.json(
                TaskJson.whole(found, backend.store(request).attempts(task)).toString());
    }

    private Reply history(Request request) {
        request.allowQueries();
        History history = workflows(request).history(type(request), id(request));
        return Reply.json(new JsonText()
                .objects(
                        "lines",
                        history.lines().stream()
                                .map(line -> new JsonText()
                                        .put("number", line.number())
                                        .put("kind", line.kind().word())
                                        .put("name", line.name())
                                        .put("at", line.at()))
                                .toList())
                .objects(
                        "inbox",
                        history.inbox().stream()
                                .map(entry -> new JsonText()
                                        .put("number", entry.number())
                                        .put("name", entry.name())
                                        .put("at", entry.at()))
                                .toList())
                .toString());
    }

    private Reply signal(Request request) {
        request.allowQueries();
        JsonMembers body = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("signal")
                .allow("name", "value", "key");
        RawJson value = body.find("value")
                .map(document -> new RawJson(Json.parse(document.text()).text()))
                .orElse(null);
        String name = body.text("name");
        var key = request.header("Idempotency-Key").map(KeyHeader::parse).or(() -> body.string("key"));
        if (key.isPresent()) {
            workflows(request).signal(type(request), id(request), name, value, key.get());
        } else {
            workflows(request).signal(type(request), id(request), name, value);
        }
        return Reply.empty(204);
    }

    private Reply ask(Request request) {
        request.allowQueries("wait");
        JsonMembers body = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("question")
                .allow("name", "value", "key");
        RawJson value = body.find("value")
                .map(document -> new RawJson(Json.parse(document.text()).text()))
                .orElse(null);
        String name = body.text("name");
        String key = request.header("Idempotency-Key")
                .map(KeyHeader::parse)
                .or(() -> body.string("key"))
                .orElseThrow(
                        () -> new InvalidInput("A question needs a key, so that it is decided once. Give one in the"
                                + " header Idempotency-Key, or as \"key\"."));
        Duration wait = Backend.wait(request);
        JsonText json = new JsonText().put("key", key);
        try {
            Optional<RawJson> answer = backend.polls()
                    .interruptibly(() ->
                            workflows(request).ask(type(request), id(request), name, value, RawJson.class, key, wait));
            json.put("state", "answered")
                    .raw("answer", answer.map(RawJson::text).orElse("null"));
        } catch (AskRejected e) {
            json.put("state", "rejected").put("reason", e.getMessage());
        } catch (ResultNotReady e) {
            return Reply.json(202, json.put("state", "open").toString());
        }
        return Reply.json(json.toString());
    }

    private Reply cancel(Request request) {
        return operate(request, (type, id) -> workflows(request).cancel(type, id));
    }

    private Reply resume(Request request) {
        return operate(request, (type, id) -> workflows(request).resume(type, id));
    }

    private Reply operate(Request request, BiConsumer<WorkflowType<?, ?>, String> operation) {
        request.allowQueries();
        operation.accept(type(request), id(request));
        return Reply.empty(204);
    }

    private Reply restart(Request request) {
        request.allowQueries("from", "preview");
        WorkflowType<RawJson, RawJson> type = type(request);
        var from = request.query("from");
        RestartPreview preview = from.isEmpty()
                ? workflows(request).previewRestart(type, id(request))
                : workflows(request).previewRestart(type, id(request), line(from.get()));
        boolean only = request.query("preview").isPresent();
        Workflows.@Nullable Restarting outcome =
                only ? null : workflows(request).restart(preview);
        request.audit("task_id=" + preview.task() + " outcome="
                + (outcome == null ? "preview" : outcome.name().toLowerCase(Locale.ROOT)));
        return Reply.json(new JsonText()
                .put("task_id", preview.task().toString())
                .put("outcome", outcome == null ? null : outcome.name().toLowerCase(Locale.ROOT))
                .put("generation", preview.generation() + 1)
                .put("from", preview.from())
                .objects(
                        "steps",
                        preview.steps().stream()
                                .map(step -> new JsonText()
                                        .put("line", step.line())
                                        .put("type", step.type())
                                        .put("task_id", step.task().toString())
                                        .put("kept", step.isKept()))
                                .toList())
                .toString());
    }

    private static int line(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new InvalidInput(
                    "\"from\" is the number of a line of the history, but got \"" + Limits.shown(text) + "\".", e);
        }
    }

    private Reply terminate(Request request) {
        request.allowQueries();
        var outcome = workflows(request).terminate(type(request), id(request));
        request.audit("outcome=" + outcome.name().toLowerCase(Locale.ROOT));
        return Reply.json(new JsonText()
                .put("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .toString());
    }
}
