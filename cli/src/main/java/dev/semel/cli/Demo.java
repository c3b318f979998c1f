package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.store.Attempt;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.Json;
import dev.semel.task.Scope;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The steps of the demonstration. Each step can fail: what it reports is read from the store, from the output of the
 * child processes and from their exit codes.
 */
final class Demo {

    private static final Duration PATIENCE = DemoStage.PATIENCE;
    private static final int PROCESSES = 4;
    private static final int CALLERS_EACH = 4;
    private static final int FREEZES = 5;
    private static final TaskId NOBODY = TaskId.parse("00000000-0000-7000-8000-000000000000");

    private static final String KEY = "charge-ORD-123";
    private static final String INPUT = "{\"order\":\"ORD-123\",\"amount\":9900}";
    private static final String OTHER_INPUT = "{\"order\":\"ORD-123\",\"amount\":9999}";
    private static final String PAYMENTS = "payments";
    private static final String REFUNDS = "refunds";
    private static final String MAIL = "mail";

    private final DemoStage stage;
    private @Nullable Task charged;

    Demo(DemoStage stage) {
        this.stage = stage;
    }

    /** A promise, what was observed, and whether the promise held. */
    record Observation(String promised, String seen, boolean ok) {}

    /** What a step observed, and whether it is what was promised. */
    record Outcome(String seen, boolean ok) {}

    private interface Step {
        Outcome show(Semel semel, TaskStore store) throws IOException, InterruptedException;
    }

    List<Observation> run() {
        TaskStore store = stage.place().url().open();
        stage.print("Semel keeps its tasks " + stage.place().described() + ". Every process below is a real process.");
        List<Observation> seen = new ArrayList<>();
        try (Semel semel = Semel.on(store).build()) {
            seen.add(step(semel, store, "one key from 16 callers at once is one task", this::oneKey));
            seen.add(step(semel, store, "the same key with different input is refused", this::conflict));
            seen.add(step(semel, store, "a task survives kill -9 of its worker", this::killed));
            seen.add(step(semel, store, "a duplicate gets the result of the first submission", this::duplicate));
            seen.add(step(semel, store, "a frozen worker's late completion is refused", this::frozen));
            seen.add(step(semel, store, "a submission repeated after a lost answer is recognised", this::lostAnswer));
            DemoLife life = new DemoLife(stage);
            seen.add(step(semel, store, "after a failure the same key runs again, with the same token", life::rerun));
            seen.add(step(
                    semel,
                    store,
                    "a dead letter is kept, forwarded, and redriven as the same" + " task",
                    life::deadLetter));
            seen.add(step(semel, store, "two processes share one rate limit", life::rateLimit));
        }
        return seen;
    }

    private Observation step(Semel semel, TaskStore store, String promised, Step step) {
        if (stage.isClosed()) {
            return new Observation(promised, "interrupted", false);
        }
        stage.print("");
        stage.print("» " + promised);
        Outcome outcome;
        try {
            outcome = step.show(semel, store);
        } catch (DemoProcess.StepFailure | SemelException | IOException e) {
            outcome = new Outcome("not completed: " + e.getMessage(), false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            outcome = new Outcome("interrupted", false);
        }
        if (stage.isClosed()) {
            return new Observation(promised, "interrupted", false); // the user has ended the program
        }
        stage.print("  " + (outcome.ok() ? "✓ " : "✗ ") + outcome.seen());
        return new Observation(promised, outcome.seen(), outcome.ok());
    }

    private Outcome oneKey(Semel semel, TaskStore store) throws IOException, InterruptedException {
        stage.say("starting " + PROCESSES + " processes with " + CALLERS_EACH + " callers each");
        List<DemoProcess> callers = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            callers.add(stage.child(
                    "a caller", DemoChildCommand.CALLERS, Integer.toString(CALLERS_EACH), PAYMENTS, KEY, INPUT));
        }
        for (DemoProcess process : callers) {
            DemoStage.expect(process, "ready");
        }
        stage.say("all are ready; now they submit the charge of order ORD-123 with the key " + KEY);
        for (DemoProcess process : callers) {
            process.send(DemoChildCommand.GO);
        }
        List<JsonNode> answers = new ArrayList<>();
        for (DemoProcess process : callers) {
            for (int i = 0; i < CALLERS_EACH; i++) {
                answers.add(stage.json(process.line(PATIENCE)));
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
        stage.say("another process submits the same key with a different amount");
        DemoProcess process = submit(OTHER_INPUT);
        JsonNode answer = stage.json(process.line(PATIENCE));
        int code = process.exitCode(PATIENCE);
        List<String> paths = answer.path("differing_paths")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
        Task now = DemoStage.find(store, first.id());
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
        DemoProcess first = stage.worker(PAYMENTS, DemoChildCommand.HANG);
        DemoStage.expect(first, "handling " + id + " attempt 1");
        stage.say("worker " + first.pid() + " is running the charge; starting a second worker, then kill -9 "
                + first.pid());
        DemoProcess second = stage.worker(PAYMENTS);
        first.kill();
        long killed = System.nanoTime();
        stage.say("killed. Nothing reports its end; the lease of "
                + Text.span(stage.place().lease()) + " expires");
        semel.handle(DemoChildCommand.CHARGE, id).result(PATIENCE);
        Duration took = Duration.ofNanos(System.nanoTime() - killed);
        second.close();
        List<Attempt> attempts = store.attempts(id);
        return new Outcome(
                DemoStage.described(attempts) + ", " + Text.span(took) + " after the kill",
                matches(attempts, Attempt.Outcome.VANISHED, first, Attempt.Outcome.COMPLETED, second)
                        && DemoStage.find(store, id).state() == TaskState.COMPLETED);
    }

    private Outcome duplicate(Semel semel, TaskStore store) throws IOException, InterruptedException {
        Task first = DemoStage.find(store, charged().id());
        stage.say("another process submits the same charge again and asks for the result");
        DemoProcess process = submit(INPUT, "--wait", "5s");
        JsonNode answer = stage.json(process.line(PATIENCE));
        int code = process.exitCode(PATIENCE);
        String stored = first.progress().result();
        String got = answer.path("result").toString();
        boolean same = stored != null && canonical(stored).equals(canonical(got));
        boolean created = answer.path("created").asBoolean(true);
        String id = answer.path("task_id").asString("");
        return new Outcome(
                "created: " + created + ", the result is " + (same ? "the stored one: " : "a different one: ") + got,
                code == ExitCode.DONE
                        && !created
                        && same
                        && id.equals(first.id().toString()));
    }

    private Outcome frozen(Semel semel, TaskStore store) throws IOException, InterruptedException {
        DemoProcess first = stage.child(
                "the frozen worker",
                DemoChildCommand.BARE_WORKER,
                REFUNDS,
                Long.toString(stage.place().lease().toMillis()));
        DemoStage.expect(first, "ready");
        TaskId id = semel.submit(DemoChildCommand.CHARGE, new RawJson(INPUT))
                .queue(REFUNDS)
                .send()
                .taskId();
        DemoStage.expect(first, "handling " + id + " attempt 1");
        freeze(first, store);
        // It reads this line as soon as it wakes up, and completes its task.
        first.send(DemoChildCommand.GO);
        stage.say("worker " + first.pid() + " holds a task and is frozen (kill -STOP); a second worker takes over");
        DemoProcess second = stage.worker(REFUNDS);
        String result =
                semel.handle(DemoChildCommand.CHARGE, id).result(PATIENCE).text();
        second.close();
        stage.say("the second worker has completed the task; now the first one wakes up (kill -CONT) and completes it"
                + " too");
        first.thaw();
        String answer = first.line(PATIENCE);
        first.close();
        Task now = DemoStage.find(store, id);
        List<Attempt> attempts = store.attempts(id);
        boolean kept = result.equals(now.progress().result());
        return new Outcome(
                "the store answered " + answer + "; " + DemoStage.described(attempts) + "; the result is "
                        + (kept ? "still that of the second worker" : "a different one now"),
                answer.equals(Settled.STALE.name())
                        && kept
                        && matches(attempts, Attempt.Outcome.VANISHED, first, Attempt.Outcome.COMPLETED, second));
    }

    /**
     * Freezes a process that holds a task but no lock of the store: a process that is frozen while it writes to a SQLite file holds up
     * all others, which is not what this step shows.
     */
    private static void freeze(DemoProcess process, TaskStore store) throws IOException, InterruptedException {
        List<Operation> harmless = List.of(new Operation.Cancel(NOBODY));
        for (int left = FREEZES; left > 0; left--) {
            process.freeze();
            try {
                store.operate(harmless);
                return;
            } catch (StoreUnavailable e) {
                process.thaw();
                store.operate(harmless);
            }
        }
        throw new DemoProcess.StepFailure("the worker held the lock of the store each time that it was frozen");
    }

    private Outcome lostAnswer(Semel semel, TaskStore store) throws IOException, InterruptedException {
        stage.say("a process submits a task without a key, gets no answer, and sends the same submission again");
        DemoProcess process = stage.child("the caller", DemoChildCommand.LOST_ANSWER, MAIL, INPUT);
        JsonNode answer = stage.json(process.line(PATIENCE));
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

    // ---- shared by the steps

    private static Identity identity() {
        return Identity.of(Identity.DEFAULT_TENANT, Scope.type(), PAYMENTS, DemoChildCommand.CHARGE.name(), KEY);
    }

    private Task charged() {
        if (charged == null) {
            throw new DemoProcess.StepFailure("an earlier step left no task to continue with");
        }
        return charged;
    }

    private DemoProcess submit(String input, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("submit", DemoChildCommand.CHARGE.name(), input, "--queue", PAYMENTS, "--key", KEY, "--json"));
        arguments.addAll(List.of(more));
        return stage.start("the submission", arguments);
    }

    private static String canonical(String json) {
        return Json.parse(json).canonical();
    }

    /** Returns whether there were exactly these two attempts, by these processes, with these outcomes. */
    private static boolean matches(
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
