package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.Submission;
import dev.semel.SubmissionRequest;
import dev.semel.engine.RawJson;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ResultGone;
import dev.semel.task.ResultNotReady;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel submit TYPE INPUT}: submits one task. */
final class SubmitCommand implements Command {

    private static final String KEY = "--key";
    private static final String TTL = "--ttl";
    private static final String SCOPE = "--scope";
    private static final String REUSE = "--reuse";
    private static final String QUEUE = "--queue";
    private static final String DELAY = "--delay";
    private static final String RUN_AT = "--run-at";
    private static final String PRIORITY = "--priority";
    private static final String TIMEOUT = "--timeout";
    private static final String TIME_LIMIT = "--time-limit";
    private static final String START_BY = "--start-by";
    private static final String TAG = "--tag";
    private static final String MAX_ATTEMPTS = "--max-attempts";
    private static final String WAIT = "--wait";
    private static final String EXPLAIN = "--explain";
    private static final String SEND_LIMIT = "--send-limit";
    private static final Duration USUAL_LIMIT = Duration.ofSeconds(60);
    private static final String REJECT = "open=reject, completed=reject, unsuccessful=reject";

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Submits a task.",
                        "Submitting the same key again returns the same task; the same key with different input is a"
                                + " conflict.",
                        "semel submit charge '{\"order\":\"ORD-123\"}' --key charge-ORD-123 --queue payments",
                        "semel submit report @input.json --delay 10m --priority 5",
                        "echo '{\"n\":1}' | semel submit count - --wait 30s --json")
                .addPositional(Options.position(0, "TYPE", "The task type, for example charge."))
                .addPositional(Options.position(1, "INPUT", "JSON, @FILE, or - for standard input; at most 1 MiB."))
                .addOption(Options.value(KEY, "KEY", "The idempotency key: 1 to 255 characters."))
                .addOption(Options.value(
                        TTL, "DURATION", "How long the key is remembered after creation. Default:" + " 30d."))
                .addOption(Options.scope(
                        "Scope of the key: type, queue, tenant, custom:NAME. Default: the scope of the task type, or"
                                + " else type."))
                .addOption(Options.completed(
                        Options.value(
                                REUSE,
                                "POLICY",
                                "If the key has a task: allow-failed-only (default: return it, run again if it"
                                        + " failed), never (always return it), after-finish (run again once it has"
                                        + " ended), reject. Exceptions may follow, such as \"never, open=replace,"
                                        + " other-input=warn\"."),
                        List.of("allow-failed-only", "never", "after-finish", "reject")))
                .addOption(Options.value(
                        QUEUE, "QUEUE", "The queue. Default: the queue of the task type, or else" + " \"default\"."))
                .addOption(Options.value(DELAY, "DURATION", "Start after this time: 500ms, 30s, 10m, 2h, 7d."))
                .addOption(Options.value(RUN_AT, "TIME", "Start at this time: 2026-01-31T09:00:00Z."))
                .addOption(Options.value(
                        PRIORITY,
                        "0-9",
                        "The priority; higher runs first. Default: the priority of" + " the task type, or else 0."))
                .addOption(Options.value(
                        TIMEOUT, "DURATION", "How long one attempt may run. Default: the worker's" + " setting."))
                .addOption(Options.value(
                        TIME_LIMIT,
                        "DURATION",
                        "How long the task may take as a whole: then it ends as timed out. Default: no limit."))
                .addOption(Options.value(
                        START_BY,
                        "DURATION",
                        "How long the task may wait for its first attempt: then it ends as timed out. Default: no"
                                + " limit."))
                .addOption(Options.value(
                        TAG, "TAGS", "Words to find the task by: up to 10, separated by commas. Default: none."))
                .addOption(Options.value(
                        MAX_ATTEMPTS, "N", "How many attempts may fail. Default: the worker's" + " setting."))
                .addOption(Options.value(
                        WAIT, "DURATION", "Wait up to this time for the task to end, and print its" + " result."))
                .addOption(Options.value(
                        SEND_LIMIT, "DURATION", "How long to wait for the store to take the task. Default: 60s."))
                .addOption(Options.flag(EXPLAIN, "Show what the submission would do and why, and change nothing."));
    }

    @Override
    public int run(Invocation invocation) {
        // All arguments are checked before the store is opened.
        Arguments arguments = Arguments.read(invocation);
        Settings settings = invocation.settings();
        StoreUrl url = invocation.store();
        if (invocation.has(EXPLAIN)) {
            // If the store does not exist, an empty one in memory gives the same answer and leaves no file behind.
            TaskStore store = url.mayBeThere() ? url.openExisting() : new InMemoryTaskStore();
            try (Semel semel = invocation.semel(new DryStore(store, settings.queues()))) {
                TaskExplainCommand.print(semel.explain(arguments.on(semel)), invocation);
                return ExitCode.DONE;
            }
        }
        Duration limit = arguments.limit();
        Sent sent = TimeLimit.run(limit, () -> send(invocation, url, arguments), () -> late(limit, arguments));
        try (Semel semel = sent.semel()) {
            Submission<RawJson> answer = sent.answer();
            return invocation.json()
                    ? printJson(answer, arguments.patience(), invocation.console())
                    : printText(answer, arguments, queue(arguments, settings), invocation.console());
        }
    }

    /** The answer to a submission, which needs its instance to wait for the result. */
    private record Sent(Semel semel, Submission<RawJson> answer) {}

    private static Sent send(Invocation invocation, StoreUrl url, Arguments arguments) {
        Semel semel = invocation.semel(url.open());
        try {
            return new Sent(semel, arguments.on(semel).send());
        } catch (RuntimeException e) {
            semel.close();
            throw e;
        }
    }

    private static StoreUnavailable late(Duration limit, Arguments arguments) {
        return new StoreUnavailable("The store did not answer within " + Durations.shown(limit)
                + ". Whether the task was stored is not known. "
                + (arguments.key() == null
                        ? "Submitted again without a key it may be stored twice: look for it with \"semel task list\"."
                        : "Submit it again with the same key: it is stored once."));
    }

    private static String queue(Arguments arguments, Settings settings) {
        String given = arguments.queue();
        String configured = given == null ? settings.task(arguments.type()).queue() : given;
        return configured == null ? TaskType.DEFAULT_QUEUE : configured;
    }

    /**
     * Parses a policy as given in a shell: hyphens as well as underscores, and {@code reject} as an additional preset.
     */
    static ReusePolicy reuse(String given) {
        String text = given.replace('-', '_').strip();
        return ReusePolicy.parse(
                text.equals("reject") || text.startsWith("reject,")
                        ? REJECT + text.substring("reject".length())
                        : text);
    }

    private static int printText(Submission<RawJson> answer, Arguments arguments, String queue, Console console) {
        String run = answer.run() == 1 ? "" : ", run " + answer.run();
        console.out()
                .println(answer.deduplicatedFrom()
                        .map(created ->
                                "Task " + answer.taskId() + " already has this key: created" + " " + Text.time(created)
                                        + run + ", " + answer.state().word() + ".")
                        .orElseGet(
                                () -> "Created task " + answer.taskId() + " in queue \"" + queue + "\"" + run + "."));
        if (answer.inputDiffers()) {
            console.out().println("Its input differs from this input.");
        }
        Duration patience = arguments.patience();
        if (patience != null) {
            console.out().println(Text.printable(answer.result(patience).text()));
        }
        return ExitCode.DONE;
    }

    private static int printJson(Submission<RawJson> answer, @Nullable Duration patience, Console console) {
        JsonText json = new JsonText()
                .put("task_id", answer.taskId().toString())
                .put("created", answer.created())
                .put("run", answer.run());
        if (answer.inputDiffers()) {
            json.put("input_differs", true);
        }
        if (patience == null) {
            json.put("state", answer.state().word());
            json.put("deduplicated_from", answer.deduplicatedFrom().orElse(null));
            console.out().println(json);
            return ExitCode.DONE;
        }
        // The submission is printed even if there is no result: one object with both.
        try {
            String result = answer.result(patience).text();
            json.put("state", TaskState.COMPLETED.word());
            json.put("deduplicated_from", answer.deduplicatedFrom().orElse(null));
            console.out().println(json.raw("result", result));
            return ExitCode.DONE;
        } catch (TaskUnsuccessful | ResultNotReady | ResultGone e) {
            TaskState state = e instanceof TaskUnsuccessful ended ? ended.status() : answer.state();
            json.put("state", state.word());
            json.put("deduplicated_from", answer.deduplicatedFrom().orElse(null));
            json.put("error", e.getClass().getSimpleName()).put("message", e.getMessage());
            if (e instanceof TaskUnsuccessful ended) {
                json.put("last_error", ended.lastError().orElse(null));
            }
            console.out().println(json);
            return Failure.exitCode(e);
        }
    }

    /** The checked arguments of the command. */
    private record Arguments(
            String type,
            String input,
            String tenant,
            @Nullable String queue,
            @Nullable String key,
            @Nullable Duration ttl,
            @Nullable Scope scope,
            @Nullable ReusePolicy reuse,
            @Nullable Duration delay,
            @Nullable Instant runAt,
            @Nullable Integer priority,
            @Nullable Duration timeout,
            @Nullable Duration timeLimit,
            @Nullable Duration startBy,
            List<String> tags,
            @Nullable RetryPolicy retry,
            @Nullable Duration patience,
            Duration limit) {

        static Arguments read(Invocation invocation) {
            String key = invocation.text(KEY);
            Integer attempts = invocation.number(MAX_ATTEMPTS);
            String runAt = invocation.text(RUN_AT);
            String scope = invocation.text(SCOPE);
            String reuse = invocation.text(REUSE);
            Integer priority = invocation.number(PRIORITY);
            String tags = invocation.text(TAG);
            // An option that is not given stays unset, so that the type, the queue or the instance decides.
            Arguments arguments = new Arguments(
                    Limits.name("task type", invocation.position(0)),
                    InputArgument.read(invocation.position(1), invocation.console()),
                    invocation.tenantOrDefault(),
                    invocation.name("queue", QUEUE),
                    key == null ? null : Limits.key(key),
                    positive(TTL, invocation),
                    scope == null ? null : Scope.parse(scope),
                    reuse == null ? null : SubmitCommand.reuse(reuse),
                    invocation.duration(DELAY),
                    runAt == null ? null : time(runAt),
                    priority == null ? null : Limits.priority(priority),
                    positive(TIMEOUT, invocation),
                    positive(TIME_LIMIT, invocation),
                    positive(START_BY, invocation),
                    tags == null ? List.of() : Limits.tags(List.of(tags.split(",", -1))),
                    attempts == null ? null : RetryPolicy.attempts(attempts),
                    invocation.duration(WAIT),
                    Limits.positive("send limit", invocation.duration(SEND_LIMIT, USUAL_LIMIT)));
            if (arguments.delay != null && arguments.runAt != null) {
                throw new InvalidInput(
                        "A task starts after " + DELAY + " or at " + RUN_AT + ", but got both. Remove one of them.");
            }
            if (arguments.patience != null && invocation.has(EXPLAIN)) {
                throw new InvalidInput("With " + EXPLAIN + " nothing is submitted, so there is no result to wait for,"
                        + " but got " + WAIT + " as well. Remove one of them.");
            }
            return arguments;
        }

        private static @Nullable Duration positive(String option, Invocation invocation) {
            Duration given = invocation.duration(option);
            return given == null ? null : Limits.positive(option.substring(2), given);
        }

        private static Instant time(String text) {
            try {
                return OffsetDateTime.parse(text).toInstant();
            } catch (DateTimeParseException e) {
                throw new InvalidInput(
                        "Option " + RUN_AT + " takes a time with its offset, such as \"2026-01-31T09:00:00Z\" or"
                                + " \"2026-01-31T10:00:00+01:00\", but got \"" + Limits.shown(text) + "\".",
                        e);
            }
        }

        SubmissionRequest<RawJson, RawJson> on(Semel semel) {
            TaskType<RawJson, RawJson> taskType = TaskType.of(type, RawJson.class, RawJson.class);
            SubmissionRequest<RawJson, RawJson> request =
                    semel.submit(taskType, new RawJson(input)).tenant(tenant).idempotencyKey(key);
            if (queue != null) {
                request.queue(queue);
            }
            if (scope != null) {
                request.scope(scope);
            }
            if (reuse != null) {
                request.reuse(reuse);
            }
            if (priority != null) {
                request.priority(priority);
            }
            if (ttl != null) {
                request.idempotencyTtl(ttl);
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
}
