package dev.semel.server.api;

import dev.semel.schedule.CatchUp;
import dev.semel.schedule.Overlap;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.ScheduleState;
import dev.semel.schedule.Schedules;
import dev.semel.schedule.StoredSchedule;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.store.ScheduleQuery;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;

/** Schedules: set, list, pause, trigger, remove. */
final class ScheduleRoutes {

    private static final String ONE = "/v1/schedules/{name}";

    private final Backend backend;

    ScheduleRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/v1/schedules", this::list, TokenScope.READ),
                Route.of("GET", ONE, this::get, TokenScope.READ),
                Route.of("GET", ONE + "/next", this::next, TokenScope.READ),
                Route.of("PUT", ONE, this::put, TokenScope.ADMIN),
                Route.of("DELETE", ONE, this::remove, TokenScope.ADMIN),
                Route.of("POST", ONE + "/pause", this::pause, TokenScope.ADMIN),
                Route.of("POST", ONE + "/resume", this::resume, TokenScope.ADMIN),
                Route.of("POST", ONE + "/trigger", this::trigger, TokenScope.ADMIN));
    }

    private Schedules schedules(Request request) {
        return backend.semel().schedules(Backend.tenant(request));
    }

    private static String name(Request request) {
        return Limits.name("schedule", request.parameter("name"));
    }

    private Reply list(Request request) {
        request.allowQueries("limit", "cursor");
        int limit = Backend.limit(request, Filters.PAGE, ScheduleQuery.MAX_LIMIT);
        List<StoredSchedule> page =
                schedules(request).list(request.query("cursor").orElse(null), limit);
        return Reply.json(new JsonText()
                .objects("schedules", page.stream().map(ScheduleRoutes::json).toList())
                .put("next", page.size() < limit ? null : page.getLast().id().name())
                .toString());
    }

    private Reply get(Request request) {
        request.allowQueries();
        return Reply.json(json(schedules(request).get(name(request))).toString());
    }

    private Reply next(Request request) {
        request.allowQueries("limit");
        List<Instant> ticks = schedules(request).next(name(request), Backend.limit(request, 10, Schedules.MAX_NEXT));
        return Reply.json(new JsonText()
                .put("ticks", ticks.stream().map(Instant::toString).toList())
                .toString());
    }

    private Reply put(Request request) {
        request.allowQueries();
        Schedule schedule = schedule(
                name(request),
                JsonDocument.parse(request.text(Backend.MAX_BODY))
                        .members("schedule")
                        .allow(
                                "cron",
                                "zone",
                                "every",
                                "at",
                                "type",
                                "queue",
                                "input",
                                "priority",
                                "mutex",
                                "jitter",
                                "start",
                                "end",
                                "catch_up",
                                "overlap"));
        StoredSchedule stored = schedules(request).put(schedule);
        return Reply.json(json(stored).toString());
    }

    private static Schedule schedule(String name, JsonMembers body) {
        Schedule.Builder builder = timing(name, body).type(body.text("type"));
        body.string("queue").ifPresent(builder::queue);
        // What a program of another language sends as input is a template, as in semel.toml.
        body.find("input").map(JsonDocument::text).ifPresent(builder::input);
        body.number("priority").ifPresent(builder::priority);
        body.string("mutex").ifPresent(builder::mutex);
        body.duration("jitter").ifPresent(builder::jitter);
        body.time("start").ifPresent(builder::start);
        body.time("end").ifPresent(builder::end);
        body.string("catch_up").map(CatchUp::parse).ifPresent(builder::catchUp);
        body.string("overlap").map(Overlap::parse).ifPresent(builder::overlap);
        return builder.build();
    }

    private static Schedule.Builder timing(String name, JsonMembers body) {
        int given = (body.has("cron") ? 1 : 0) + (body.has("every") ? 1 : 0) + (body.has("at") ? 1 : 0);
        if (given != 1) {
            throw new InvalidInput(
                    "A schedule has exactly one of \"cron\", \"every\" and \"at\", but got " + given + ".");
        }
        if (body.has("every")) {
            return Schedule.every(
                    name,
                    Limits.positive(
                            "interval of a schedule", body.duration("every").orElseThrow()));
        }
        try {
            if (body.has("cron")) {
                return Schedule.cron(
                        name, body.text("cron"), ZoneId.of(body.string("zone").orElse("UTC")));
            }
            return Schedule.at(
                    name,
                    body.strings("at").orElse(List.of()).stream()
                            .map(time -> OffsetDateTime.parse(time).toInstant())
                            .toList());
        } catch (DateTimeException e) {
            throw new InvalidInput(
                    "A zone is a name such as \"Europe/Berlin\", and a time has its offset, such as"
                            + " \"2026-01-31T09:00:00Z\", but got something else.",
                    e);
        }
    }

    private Reply remove(Request request) {
        request.allowQueries("force");
        Schedules.Removal removal = schedules(request)
                .remove(name(request), request.query("force").orElse("false").equals("true"));
        return Reply.json(new JsonText()
                .put("outcome", removal.name().toLowerCase(Locale.ROOT))
                .toString());
    }

    private Reply pause(Request request) {
        request.allowQueries();
        String reason = JsonDocument.parse(request.text(Backend.MAX_BODY))
                .members("pause")
                .allow("reason")
                .text("reason");
        StoredSchedule stored = schedules(request).pause(name(request), reason);
        return Reply.json(json(stored).toString());
    }

    private Reply resume(Request request) {
        request.allowQueries();
        StoredSchedule stored = schedules(request).resume(name(request));
        return Reply.json(json(stored).toString());
    }

    private Reply trigger(Request request) {
        request.allowQueries("overlapping");
        TaskId task = schedules(request)
                .trigger(
                        name(request),
                        request.query("overlapping").orElse("false").equals("true"));
        return Reply.json(201, new JsonText().put("task_id", task.toString()).toString())
                .header("Location", "/v1/tasks/" + task);
    }

    private static JsonText json(StoredSchedule stored) {
        Schedule definition = stored.definition();
        ScheduleState.Pause pause = stored.state().pause();
        return new JsonText()
                .put("schedule", stored.id().name())
                .put("tenant", stored.id().tenant())
                .put("timing", definition.timingText())
                .put("type", definition.type())
                .put("queue", definition.queue())
                .put("overlap", definition.overlap().word())
                .put("catch_up", definition.catchUp().word())
                .put("declared", stored.declared() != null)
                .put("set_by_hand", stored.set() != null)
                .put("paused", pause != null)
                .put("pause_reason", pause == null ? null : pause.reason())
                .put("next_at", stored.next().orElse(null));
    }
}
