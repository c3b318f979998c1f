package dev.semel.server.api;

import dev.semel.Operations.Cancellation;
import dev.semel.Operations.Erasure;
import dev.semel.Operations.Redriving;
import dev.semel.engine.RawJson;
import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.ResultGone;
import dev.semel.task.ResultNotReady;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Tasks that exist: read, list, wait for, cancel, redrive, erase, explain. */
final class TaskRoutes {

    private static final Set<TaskState> DEAD = Set.of(TaskState.FAILED, TaskState.TIMED_OUT);

    private final Backend backend;

    TaskRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/v1/tasks", this::list, TokenScope.READ),
                Route.of("GET", "/v1/tasks/{id}", this::get, TokenScope.SUBMIT, TokenScope.READ),
                Route.of("GET", "/v1/tasks/{id}/result", this::result, TokenScope.SUBMIT, TokenScope.READ),
                Route.of("GET", "/v1/tasks/{id}/explain", this::explain, TokenScope.READ),
                Route.of("DELETE", "/v1/tasks/{id}", this::erase, TokenScope.ADMIN),
                Route.of("POST", "/v1/tasks/{id}/cancel", this::cancel, TokenScope.SUBMIT, TokenScope.ADMIN),
                Route.of("POST", "/v1/tasks/cancel", this::cancelAll, TokenScope.ADMIN),
                Route.of("GET", "/v1/dead", this::dead, TokenScope.READ),
                Route.of("POST", "/v1/dead/redrive", this::redriveAll, TokenScope.ADMIN),
                Route.of("POST", "/v1/tasks/{id}/redrive", this::redrive, TokenScope.ADMIN));
    }

    private Reply get(Request request) {
        request.allowQueries();
        Task task = backend.own(request, Backend.id(request));
        String json =
                TaskJson.whole(task, backend.store(request).attempts(task.id())).toString();
        String tag = "\"" + UUID.nameUUIDFromBytes(json.getBytes(StandardCharsets.UTF_8)) + "\"";
        boolean same = request.header("If-None-Match")
                .map(tags -> List.of(tags.split("\\s*,\\s*", -1)).contains(tag))
                .orElse(false);
        return (same ? Reply.empty(304) : Reply.json(json)).header("ETag", tag);
    }

    private Reply list(Request request) {
        return page(backend.store(request).list(Filters.tasks(request, Set.of())));
    }

    private Reply dead(Request request) {
        return page(backend.store(request).list(Filters.tasks(request, DEAD)));
    }

    private static Reply page(Page page) {
        TaskId next = page.next();
        return Reply.json(new JsonText()
                .objects("tasks", page.tasks().stream().map(TaskJson::summary).toList())
                .put("next", next == null ? null : next.toString())
                .toString());
    }

    private Reply result(Request request) {
        request.allowQueries("wait");
        Duration wait =
                backend.polls().bounded(SubmitRoutes.preferredWait(request).orElse(Backend.wait(request)));
        Task task = backend.own(request, Backend.id(request));
        JsonText json = new JsonText().put("task_id", task.id().toString());
        TaskType<RawJson, RawJson> type = TaskType.of(task.type(), RawJson.class, RawJson.class);
        try {
            RawJson result = backend.polls()
                    .interruptibly(() -> backend.semel().handle(type, task.id()).result(wait));
            return Reply.json(
                    json.put("state", "completed").raw("result", result.text()).toString());
        } catch (ResultNotReady e) {
            return Reply.json(202, json.put("state", task.state().word()).toString());
        } catch (TaskUnsuccessful e) {
            return Reply.json(json.put("state", e.status().word())
                    .put("last_error", e.lastError().orElse(null))
                    .toString());
        } catch (ResultGone e) {
            throw e;
        }
    }

    private Reply explain(Request request) {
        request.allowQueries();
        Task task = backend.own(request, Backend.id(request));
        return Reply.json(backend.semel().operations().explain(task.id()).json());
    }

    private Reply cancel(Request request) {
        request.allowQueries();
        Task task = backend.own(request, Backend.id(request));
        Cancellation outcome = backend.semel().operations().cancel(task.id());
        request.audit("outcome=" + word(outcome));
        return Reply.json(new JsonText()
                .put("task_id", task.id().toString())
                .put("outcome", word(outcome))
                .toString());
    }

    private Reply erase(Request request) {
        request.allowQueries();
        Task task = backend.own(request, Backend.id(request));
        if (backend.semel().operations().erase(task.id()) == Erasure.OPEN) {
            throw new Problem(
                            409,
                            "task-open",
                            "Only the data of a task that has ended can be erased. Cancel it first, or wait.")
                    .with("task_id", task.id().toString());
        }
        return Reply.empty(204);
    }

    private Reply redrive(Request request) {
        request.allowQueries();
        Task task = backend.own(request, Backend.id(request));
        Redriving outcome = backend.semel().operations().redrive(task.id());
        if (outcome != Redriving.REDRIVEN) {
            throw new Problem(
                            409,
                            outcome == Redriving.SUPERSEDED ? "superseded" : "not-dead",
                            outcome == Redriving.SUPERSEDED
                                    ? "A newer task holds the key of this one, so it cannot be redriven."
                                    : "Only a dead letter can be redriven, and this task is "
                                            + task.state().word() + ".")
                    .with("task_id", task.id().toString());
        }
        return Reply.json(new JsonText()
                .put("task_id", task.id().toString())
                .put("outcome", word(outcome))
                .toString());
    }

    private Reply cancelAll(Request request) {
        JsonMembers body = body(request);
        TaskQuery filter = Filters.tasks(request, body);
        Map<String, Integer> counts = new TreeMap<>();
        ChangedTasks changed = new ChangedTasks();
        try {
            if (body.truth("dry_run").orElse(false)) {
                backend.semel()
                        .operations()
                        .previewCancelAll(filter, task -> counts.merge("would_cancel", 1, Integer::sum));
            } else {
                backend.semel().operations().cancelAll(filter, (task, outcome) -> {
                    counts.merge(word(outcome), 1, Integer::sum);
                    changed.add(task.id());
                });
            }
        } finally {
            request.audit(described(filter) + " " + counts + " " + changed);
        }
        return counts(counts);
    }

    private Reply redriveAll(Request request) {
        JsonMembers body = body(request);
        TaskQuery filter = Filters.tasks(request, body);
        Map<String, Integer> counts = new TreeMap<>();
        ChangedTasks changed = new ChangedTasks();
        try {
            if (body.truth("dry_run").orElse(false)) {
                backend.semel()
                        .operations()
                        .previewRedriveAll(
                                filter,
                                outlook -> counts.merge(
                                        outlook.supersededBy() == null ? "would_redrive" : "superseded",
                                        1,
                                        Integer::sum));
            } else {
                backend.semel().operations().redriveAll(filter, (task, outcome) -> {
                    counts.merge(word(outcome), 1, Integer::sum);
                    changed.add(task.id());
                });
            }
        } finally {
            request.audit(described(filter) + " " + counts + " " + changed);
        }
        return counts(counts);
    }

    private static JsonMembers body(Request request) {
        request.allowQueries();
        return JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("filter")
                .allow("queue", "type", "states", "tag", "dry_run");
    }

    private static String described(TaskQuery filter) {
        return "queue=" + (filter.queue() == null ? "*" : filter.queue()) + " type="
                + (filter.type() == null ? "*" : filter.type()) + " tag="
                + (filter.tag() == null ? "*" : filter.tag());
    }

    private static Reply counts(Map<String, Integer> counts) {
        JsonText json = new JsonText();
        counts.forEach(json::put);
        return Reply.json(json.toString());
    }

    private static String word(Enum<?> outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }
}
