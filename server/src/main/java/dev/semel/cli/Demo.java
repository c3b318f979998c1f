package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.jdbc.SqliteTaskStore;
import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.Json;
import dev.semel.task.Scope;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The demonstration, step by step. Nothing in what was seen is known beforehand: it is read from the store, from what the
 * child processes printed and from their exit codes, and each step can fail.
 */
final class Demo {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LEASE = Duration.ofMillis(1_500);
    private static final int PROCESSES = 4;
    private static final int CALLERS_EACH = 4;

    private static final String KEY = "charge-ORD-123";
    private static final String INPUT = "{\"order\":\"ORD-123\",\"amount\":9900}";
    private static final String OTHER_INPUT = "{\"order\":\"ORD-123\",\"amount\":9999}";
    private static final String PAYMENTS = "payments";
    private static final String REFUNDS = "refunds";
    private static final String MAIL = "mail";

    private final DemoProcess.Group processes;
    private final StoreUrl url;
    private final Consumer<String> say;
    private final JsonMapper mapper = JsonMapper.builder().build();
    private @Nullable Task charged;

    Demo(Path directory, DemoProcess.Group processes, Consumer<String> say) {
        this.processes = processes;
        this.url = new StoreUrl(directory.resolve("demo.db"));
        this.say = say;
    }

    /** One promise, what was seen of it, and whether it held. */
    record Seen(String promised, String seen, boolean ok) {}

    private record Outcome(String seen, boolean ok) {}

    private interface Step {
        Outcome show(Semel semel, TaskStore store) throws IOException, InterruptedException;
    }

    List<Seen> run() {
        say.accept("Semel keeps its tasks in one file, here " + url.file() + ". Every process below is a real one.");
        List<Seen> seen = new ArrayList<>();
        TaskStore store = SqliteTaskStore.open(url.file());
        try (Semel semel = Semel.on(store).build()) {
            seen.add(step(semel, store, "one key from 16 callers at once is one task", this::oneKey));
            seen.add(step(semel, store, "the same key with other input is refused", this::conflict));
            seen.add(step(semel, store, "a task survives kill -9 of its worker", this::killed));
            seen.add(step(semel, store, "a duplicate reads the first one's result", this::duplicate));
            seen.add(step(semel, store, "a frozen worker's late completion is refused", this::frozen));
            seen.add(step(semel, store, "sent again after a lost answer, it is recognised", this::lostAnswer));
        }
        return seen;
    }

    private Seen step(Semel semel, TaskStore store, String promised, Step step) {
        if (processes.isClosed()) {
            return new Seen(promised, "interrupted", false);
        }
        say.accept("");
        say.accept("» " + promised);
        Outcome outcome;
        try {
            outcome = step.show(semel, store);
        } catch (DemoProcess.Trouble | SemelException | IOException e) {
            outcome = new Outcome("did not get that far: " + e.getMessage(), false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            outcome = new Outcome("interrupted", false);
        }
        if (processes.isClosed()) {
            return new Seen(promised, "interrupted", false); // told to end: nobody wants to read more
        }
        say.accept("  " + (outcome.ok() ? "✓ " : "✗ ") + outcome.seen());
        return new Seen(promised, outcome.seen(), outcome.ok());
    }

    private Outcome oneKey(Semel semel, TaskStore store) throws IOException, InterruptedException {
        say("starting " + PROCESSES + " processes with " + CALLERS_EACH + " callers each");
        List<DemoProcess> callers = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            callers.add(
                    child("a caller", DemoChildCommand.CALLERS, Integer.toString(CALLERS_EACH), PAYMENTS, KEY, INPUT));
        }
        for (DemoProcess process : callers) {
            expect(process, "ready");
        }
        say("all are ready; now they submit the charge of order ORD-123 under the key " + KEY);
        for (DemoProcess process : callers) {
            process.send(DemoChildCommand.GO);
        }
        List<JsonNode> answers = new ArrayList<>();
        for (DemoProcess process : callers) {
            for (int i = 0; i < CALLERS_EACH; i++) {
                answers.add(mapper.readTree(process.line(PATIENCE)));
            }
        }
        callers.forEach(DemoProcess::close);
        Set<String> ids = answers.stream()
                .map(answer -> answer.path("task_id").asString())
                .collect(Collectors.toSet());
        long created = answers.stream()
                .filter(answer -> answer.path("created").asBoolean())
                .count();
        List<Task> stored = store.list(TaskQuery.of(identity(), 100)).tasks();
        charged = stored.isEmpty() ? null : stored.getFirst();
        return new Outcome(
                answers.size() + " answers, " + created + " created, " + ids.size() + " task id; stored tasks: "
                        + stored.size(),
                answers.size() == PROCESSES * CALLERS_EACH
                        && created == 1
                        && ids.size() == 1
                        && stored.size() == 1
                        && ids.contains(stored.getFirst().id().toString()));
    }

    private Outcome conflict(Semel semel, TaskStore store) throws IOException, InterruptedException {
        Task first = charged();
        say("another process submits the same key with another amount");
        DemoProcess process = submit(OTHER_INPUT);
        JsonNode answer = mapper.readTree(process.line(PATIENCE));
        int code = process.exitCode(PATIENCE);
        List<String> paths = answer.path("differing_paths")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
        Task now = find(store, first.id());
        boolean unchanged = now.equals(first)
                && store.list(TaskQuery.of(identity(), 100)).tasks().size() == 1;
        return new Outcome(
                "exit code " + code + ", " + answer.path("error").asString("no error") + " at "
                        + String.join(", ", paths) + "; the stored task "
                        + (unchanged ? "is unchanged" : "has changed"),
                code == ExitCode.CONFLICT
                        && answer.path("error").asString("").equals("IdempotencyConflict")
                        && paths.equals(List.of("/amount"))
                        && unchanged);
    }

    private Outcome killed(Semel semel, TaskStore store) throws IOException, InterruptedException {
        TaskId id = charged().id();
        DemoProcess first = worker(PAYMENTS, DemoChildCommand.HANG);
        expect(first, "handling " + id + " attempt 1");
        say("worker " + first.pid() + " is in the middle of the charge; starting a second worker, then kill -9 "
                + first.pid());
        DemoProcess second = worker(PAYMENTS);
        first.kill();
        long killed = System.nanoTime();
        say("killed. Nobody is told; the lease of " + Text.span(LEASE) + " runs out by itself");
        semel.handle(DemoChildCommand.CHARGE, id).result(PATIENCE);
        Duration took = Duration.ofNanos(System.nanoTime() - killed);
        second.close();
        List<Attempt> attempts = store.attempts(id);
        return new Outcome(
                told(attempts) + ", " + Text.span(took) + " after the kill",
                tells(attempts, Attempt.Outcome.VANISHED, first, Attempt.Outcome.COMPLETED, second)
                        && find(store, id).state() == TaskState.COMPLETED);
    }

    private Outcome duplicate(Semel semel, TaskStore store) throws IOException, InterruptedException {
        Task first = find(store, charged().id());
        say("another process submits the same charge again and asks for the result");
        DemoProcess process = submit(INPUT, "--wait", "5s");
        JsonNode answer = mapper.readTree(process.line(PATIENCE));
        int code = process.exitCode(PATIENCE);
        String stored = first.progress().result();
        String got = answer.path("result").toString();
        boolean same = stored != null && canonical(stored).equals(canonical(got));
        boolean created = answer.path("created").asBoolean(true);
        String id = answer.path("task_id").asString("");
        return new Outcome(
                "created: " + created + ", the result is " + (same ? "the stored one: " : "another one: ") + got,
                code == ExitCode.DONE
                        && !created
                        && same
                        && id.equals(first.id().toString()));
    }

    private Outcome frozen(Semel semel, TaskStore store) throws IOException, InterruptedException {
        DemoProcess first =
                child("the frozen worker", DemoChildCommand.BARE_WORKER, REFUNDS, Long.toString(LEASE.toMillis()));
        expect(first, "ready");
        TaskId id = semel.submit(DemoChildCommand.CHARGE, new RawJson(INPUT))
                .queue(REFUNDS)
                .send()
                .taskId();
        expect(first, "handling " + id + " attempt 1");
        first.freeze();
        // It will find this the moment it wakes up, and complete its task.
        first.send(DemoChildCommand.GO);
        say("worker " + first.pid() + " has a task and is frozen (kill -STOP); a second worker takes over");
        DemoProcess second = worker(REFUNDS);
        String result =
                semel.handle(DemoChildCommand.CHARGE, id).result(PATIENCE).text();
        second.close();
        say("the second worker has completed it; now the first one wakes up (kill -CONT) and completes it too");
        first.thaw();
        String answer = first.line(PATIENCE);
        first.close();
        Task now = find(store, id);
        List<Attempt> attempts = store.attempts(id);
        boolean kept = result.equals(now.progress().result());
        return new Outcome(
                "the store answered " + answer + "; " + told(attempts) + "; the result is "
                        + (kept ? "still the second one's" : "another one now"),
                answer.equals(Applied.STALE.name())
                        && kept
                        && tells(attempts, Attempt.Outcome.VANISHED, first, Attempt.Outcome.COMPLETED, second));
    }

    private Outcome lostAnswer(Semel semel, TaskStore store) throws IOException, InterruptedException {
        say("a process submits a task without any key, gets no answer, and sends the same submission again");
        DemoProcess process = child("the caller", DemoChildCommand.LOST_ANSWER, MAIL, INPUT);
        JsonNode answer = mapper.readTree(process.line(PATIENCE));
        process.exitCode(PATIENCE);
        List<Task> stored = store.list(new TaskQuery(null, MAIL, null, Set.of(), null, null, 100))
                .tasks();
        boolean created = answer.path("created").asBoolean();
        String id = answer.path("task_id").asString("");
        return new Outcome(
                "first: " + answer.path("first").asString() + "; again: created " + created + "; stored tasks: "
                        + stored.size(),
                answer.path("first").asString("").equals("no answer")
                        && created
                        && stored.size() == 1
                        && stored.getFirst().id().toString().equals(id));
    }

    // ---- what the steps share

    private void say(String line) {
        say.accept("  " + line);
    }

    private static Identity identity() {
        return Identity.of(Identity.DEFAULT_TENANT, Scope.type(), PAYMENTS, DemoChildCommand.CHARGE.name(), KEY);
    }

    private Task charged() {
        if (charged == null) {
            throw new DemoProcess.Trouble("there is no task to go on with");
        }
        return charged;
    }

    private static Task find(TaskStore store, TaskId id) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null) {
            throw new DemoProcess.Trouble("task " + id + " is not in the store");
        }
        return task;
    }

    private DemoProcess submit(String input, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("submit", DemoChildCommand.CHARGE.name(), input, "--queue", PAYMENTS, "--key", KEY, "--json"));
        arguments.addAll(List.of(more));
        return start("the submission", arguments);
    }

    private DemoProcess worker(String queue, String... more) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(DemoChildCommand.WORKER, queue, Long.toString(LEASE.toMillis())));
        words.addAll(List.of(more));
        DemoProcess process = child("a worker", words.toArray(String[]::new));
        expect(process, "ready");
        return process;
    }

    private DemoProcess child(String role, String... words) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(DemoChildCommand.NAME));
        arguments.addAll(List.of(words));
        return start(role, arguments);
    }

    private DemoProcess start(String role, List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of(Options.STORE, url.toString()));
        return processes.start(role, all);
    }

    private static void expect(DemoProcess process, String expected) throws InterruptedException {
        String line = process.line(PATIENCE);
        if (!line.equals(expected)) {
            throw new DemoProcess.Trouble("expected \"" + expected + "\" but got \"" + line + "\"");
        }
    }

    private static String canonical(String json) {
        return Json.parse(json).canonical();
    }

    private static String told(List<Attempt> attempts) {
        return attempts.stream()
                .map(attempt -> "attempt " + attempt.number() + " " + TaskJson.outcome(attempt))
                .collect(Collectors.joining(", "));
    }

    /** Whether there were exactly these two attempts, by these processes, with these ends. */
    private static boolean tells(
            List<Attempt> attempts,
            Attempt.Outcome firstEnd,
            DemoProcess first,
            Attempt.Outcome secondEnd,
            DemoProcess second) {
        return attempts.size() == 2
                && attempts.get(0).outcome() == firstEnd
                && attempts.get(0).worker().startsWith(first.pid() + "-")
                && attempts.get(1).outcome() == secondEnd
                && attempts.get(1).worker().startsWith(second.pid() + "-");
    }
}
