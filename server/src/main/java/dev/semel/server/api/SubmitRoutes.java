package dev.semel.server.api;

import dev.semel.Submission;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.engine.RawJson;
import dev.semel.server.http.Problem;
import dev.semel.server.http.Problems;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonText;
import dev.semel.server.limit.Admission;
import dev.semel.server.limit.TenantAdmission;
import dev.semel.task.InvalidInput;
import dev.semel.task.ResultGone;
import dev.semel.task.ResultNotReady;
import dev.semel.task.SemelException;
import dev.semel.task.TaskUnsuccessful;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Submitting one task, or many. */
final class SubmitRoutes {

    private static final Pattern WAIT = Pattern.compile("(?:^|,)\\s*wait\\s*=\\s*([0-9]{1,6})\\s*(?:[,;]|$)");

    private final Backend backend;

    SubmitRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("POST", "/v1/tasks", this::submit, TokenScope.SUBMIT),
                Route.of("POST", "/v1/tasks/explain", this::explain, TokenScope.SUBMIT, TokenScope.READ));
    }

    private Reply submit(Request request) {
        request.allowQueries();
        JsonDocument body = JsonDocument.parse(request.text(Backend.MAX_BATCH_BODY));
        return body.isArray() ? many(request, body) : one(request, body);
    }

    private Reply one(Request request, JsonDocument body) {
        if (body.text().length() > Backend.MAX_BODY) {
            throw new Problem(
                            413, "too-large", "A submission has at most " + Backend.MAX_BODY + " bytes, but got more.")
                    .withRaw("max_bytes", Integer.toString(Backend.MAX_BODY));
        }
        SubmissionBody submission = SubmissionBody.read(
                body, request.header("Idempotency-Key").map(KeyHeader::parse).orElse(null));
        Optional<Duration> wait = preferredWait(request);
        String tenant = Backend.tenant(request);
        Submission<RawJson> answer;
        try (Admission.Ticket ticket = admitted(tenant, submission)) {
            answer = submission.on(backend.semel(), tenant).send();
        }
        JsonText json = json(answer);
        wait.ifPresentOrElse(
                time -> addResult(json, answer, backend.polls().bounded(time)),
                () -> json.put("state", answer.state().word()));
        Reply reply = Reply.json(answer.created() ? 201 : 200, json.toString())
                .header("Location", "/v1/tasks/" + answer.taskId());
        if (!answer.created()) {
            reply.header("Idempotent-Replayed", "true");
        }
        wait.ifPresent(time -> reply.header("Preference-Applied", "wait=" + time.toSeconds()));
        return reply;
    }

    /** Admits a submission. A duplicate takes no room, so it gets its answer even from a tenant that has none left. */
    private Admission.Ticket admitted(String tenant, SubmissionBody submission) {
        try {
            return backend.admission().admit(tenant, 1, submission.bytes());
        } catch (Problem full) {
            if (TenantAdmission.isAboutRoom(full) && submission.key() != null && !createsTask(tenant, submission)) {
                return () -> {};
            }
            throw full;
        }
    }

    private boolean createsTask(String tenant, SubmissionBody submission) {
        return switch (backend.semel()
                .explain(submission.on(backend.semel(), tenant))
                .outcome()) {
            case CREATE, RERUN, REPLACE -> true;
            case REPEAT, RETURN, WARN, REJECT, CONFLICT -> false;
        };
    }

    static Optional<Duration> preferredWait(Request request) {
        Matcher matcher = WAIT.matcher(request.header("Prefer").orElse(""));
        return matcher.find() ? Optional.of(Duration.ofSeconds(Long.parseLong(matcher.group(1)))) : Optional.empty();
    }

    private static JsonText json(Submission<RawJson> answer) {
        JsonText json = new JsonText()
                .put("task_id", answer.taskId().toString())
                .put("created", answer.created())
                .put("run", answer.run())
                .put("deduplicated_from", answer.deduplicatedFrom().orElse(null));
        return answer.inputDiffers() ? json.put("input_differs", true) : json;
    }

    private void addResult(JsonText json, Submission<RawJson> answer, Duration wait) {
        try {
            RawJson result = backend.polls().interruptibly(() -> answer.result(wait));
            json.put("state", "completed").raw("result", result.text());
        } catch (ResultNotReady e) {
            json.put("state", answer.state().word());
        } catch (TaskUnsuccessful e) {
            json.put("state", e.status().word()).put("last_error", e.lastError().orElse(null));
        } catch (ResultGone e) {
            json.put("state", answer.state().word()).put("result_gone", true);
        }
    }

    private Reply many(Request request, JsonDocument body) {
        if (request.header("Idempotency-Key").isPresent()) {
            throw new InvalidInput(
                    "The header Idempotency-Key names one submission, but got an array. Give each item its own"
                            + " member \"key\".");
        }
        List<JsonDocument> items = body.elements("body");
        if (items.isEmpty() || items.size() > Backend.MAX_BATCH) {
            throw new Problem(
                            items.isEmpty() ? 400 : 413,
                            items.isEmpty() ? "invalid-input" : "too-large",
                            "A batch has 1 to " + Backend.MAX_BATCH + " submissions, but got " + items.size() + ".")
                    .withRaw("max_items", Integer.toString(Backend.MAX_BATCH));
        }
        // One item that cannot be read never fails its neighbours.
        List<@Nullable SubmissionBody> read = new ArrayList<>();
        List<@Nullable Problem> problems = new ArrayList<>();
        long bytes = 0;
        for (JsonDocument item : items) {
            try {
                SubmissionBody submission = SubmissionBody.read(item, null);
                bytes += submission.bytes();
                read.add(submission);
                problems.add(null);
            } catch (SemelException | Problem e) {
                read.add(null);
                problems.add(Problems.of(e));
            }
        }
        String tenant = Backend.tenant(request);
        List<SubmissionBody> readable = read.stream().filter(Objects::nonNull).toList();
        List<SubmitOutcome<RawJson>> outcomes = List.of();
        if (!readable.isEmpty()) {
            try (Admission.Ticket ticket = backend.admission().admit(tenant, readable.size(), bytes)) {
                List<SubmissionRequest<RawJson, RawJson>> requests = new ArrayList<>();
                readable.forEach(submission -> requests.add(submission.on(backend.semel(), tenant)));
                outcomes = backend.semel().submitAll(requests);
            }
        }
        List<String> answers = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < items.size(); i++) {
            Problem problem = problems.get(i);
            answers.add(problem == null ? outcome(outcomes.get(next++)) : problem.json(null));
        }
        return Reply.json("[" + String.join(",", answers) + "]");
    }

    private static String outcome(SubmitOutcome<RawJson> outcome) {
        return switch (outcome) {
            case SubmitOutcome.Accepted<RawJson>(Submission<RawJson> answer) ->
                json(answer)
                        .put("state", answer.state().word())
                        .put("status", answer.created() ? 201 : 200)
                        .toString();
            case SubmitOutcome.Refused<RawJson>(SemelException error) ->
                Problems.of(error).json(null);
        };
    }

    private Reply explain(Request request) {
        request.allowQueries();
        SubmissionBody submission = SubmissionBody.read(
                JsonDocument.parse(request.text(Backend.MAX_BODY)),
                request.header("Idempotency-Key").map(KeyHeader::parse).orElse(null));
        return Reply.json(backend.semel()
                .explain(submission.on(backend.semel(), Backend.tenant(request)))
                .json());
    }
}
