package dev.semel.server.api;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.engine.RawJson;
import dev.semel.server.http.Problem;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A submission as it was sent, checked completely before the instance hears of it.
 *
 * @param type the task type
 * @param input the input in JSON
 * @param key the key; null for none
 */
record SubmissionBody(
        String type,
        String input,
        @Nullable String queue,
        @Nullable String key,
        @Nullable Scope scope,
        @Nullable Duration ttl,
        @Nullable ReusePolicy reuse,
        @Nullable Integer priority,
        @Nullable Duration delay,
        @Nullable Instant runAt,
        @Nullable Duration timeout,
        @Nullable Duration timeLimit,
        @Nullable Duration startBy,
        List<String> tags,
        @Nullable RetryPolicy retry) {

    // Made once: a batch has a thousand submissions.
    private static final Set<String> MEMBERS = Set.of(
            "type",
            "input",
            "queue",
            "key",
            "scope",
            "ttl",
            "reuse",
            "priority",
            "delay",
            "run_at",
            "timeout",
            "time_limit",
            "start_by",
            "tags",
            "max_attempts");

    static SubmissionBody read(JsonDocument document, @Nullable String keyInHeader) {
        JsonMembers members = document.members("submission").allow(MEMBERS);
        Optional<Duration> delay = members.duration("delay").map(time -> Limits.duration("delay", time));
        Optional<Instant> runAt = members.time("run_at");
        if (delay.isPresent() && runAt.isPresent()) {
            throw new InvalidInput("A task starts after \"delay\" or at \"run_at\", but got both. Remove one of them.");
        }
        return new SubmissionBody(
                Limits.name("task type", members.text("type")),
                input(members),
                members.string("queue").map(name -> Limits.name("queue", name)).orElse(null),
                key(members.string("key").map(Limits::key).orElse(null), keyInHeader),
                members.string("scope").map(Scope::parse).orElse(null),
                members.duration("ttl")
                        .map(ttl -> Limits.positive("idempotency ttl", ttl))
                        .orElse(null),
                members.string("reuse").map(ReusePolicy::parse).orElse(null),
                members.number("priority").map(Limits::priority).orElse(null),
                delay.orElse(null),
                runAt.orElse(null),
                members.duration("timeout")
                        .map(timeout -> Limits.positive("timeout", timeout))
                        .orElse(null),
                members.duration("time_limit")
                        .map(limit -> Limits.positive("time limit", limit))
                        .orElse(null),
                members.duration("start_by")
                        .map(limit -> Limits.positive("start-by", limit))
                        .orElse(null),
                Limits.tags(members.strings("tags").orElse(List.of())),
                members.number("max_attempts").map(RetryPolicy::attempts).orElse(null));
    }

    /** Returns the size of the input. */
    long bytes() {
        return input.getBytes(StandardCharsets.UTF_8).length;
    }

    static String input(JsonMembers members) {
        if (!members.has("input")) {
            throw new InvalidInput(
                    "A submission needs the member \"input\", but it is absent. Send null if there is nothing to"
                            + " send.");
        }
        String text = members.find("input").map(JsonDocument::text).orElse("null");
        if (text.length() > Limits.DOCUMENT_BYTES) {
            throw tooLarge();
        }
        try {
            return Json.parse(text).text();
        } catch (InvalidInput e) {
            throw text.getBytes(StandardCharsets.UTF_8).length > Limits.DOCUMENT_BYTES ? tooLarge() : e;
        }
    }

    private static Problem tooLarge() {
        return new Problem(
                        413,
                        "too-large",
                        "An input has at most " + Limits.DOCUMENT_BYTES
                                + " bytes of UTF-8, but got more. Store the large part elsewhere, and send a reference"
                                + " to it.")
                .withRaw("max_bytes", Integer.toString(Limits.DOCUMENT_BYTES));
    }

    private static @Nullable String key(@Nullable String inBody, @Nullable String inHeader) {
        if (inBody != null && inHeader != null && !inBody.equals(inHeader)) {
            throw new InvalidInput(
                    "The key is in the header Idempotency-Key or in the member \"key\", but got two different ones."
                            + " Remove one of them.");
        }
        return inBody != null ? inBody : inHeader;
    }

    SubmissionRequest<RawJson, RawJson> on(Semel semel, String tenant) {
        SubmissionRequest<RawJson, RawJson> request = semel.submit(
                        TaskType.of(type, RawJson.class, RawJson.class), new RawJson(input))
                .tenant(tenant)
                .idempotencyKey(key);
        if (queue != null) {
            request.queue(queue);
        }
        if (scope != null) {
            request.scope(scope);
        }
        if (ttl != null) {
            request.idempotencyTtl(ttl);
        }
        if (reuse != null) {
            request.reuse(reuse);
        }
        if (priority != null) {
            request.priority(priority);
        }
        if (delay != null) {
            request.delay(delay);
        }
        if (runAt != null) {
            request.runAt(runAt);
        }
        if (timeout != null) {
            request.timeout(timeout);
        }
        if (timeLimit != null) {
            request.timeLimit(timeLimit);
        }
        if (startBy != null) {
            request.startBy(startBy);
        }
        request.tags(tags.toArray(String[]::new));
        if (retry != null) {
            request.retry(retry);
        }
        return request;
    }
}
