package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.SubmissionRequest;
import dev.semel.cli.Demo.Outcome;
import dev.semel.engine.RawJson;
import dev.semel.store.Attempt;
import dev.semel.store.QueueSettings;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.RateLimit;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskUnsuccessful;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The steps of the demonstration about reruns, dead letters and queues. */
final class DemoLife {

    private static final String INPUT = "{\"order\":\"ORD-7\",\"amount\":100}";
    private static final String KEY = "charge-ORD-7";
    private static final String SHOP = "shop";
    private static final String INVOICES = "invoices";
    private static final String DEAD_INVOICES = "dead-invoices";
    private static final String REPORTS = "reports";
    private static final RateLimit LIMIT = RateLimit.parse("40/sec");
    private static final int TASKS = 60;

    private final DemoStage stage;

    DemoLife(DemoStage stage) {
        this.stage = stage;
    }

    Outcome rerun(Semel semel, TaskStore store) throws IOException, InterruptedException {
        Submission<RawJson> first = charge(semel, SHOP).idempotencyKey(KEY).send();
        stage.say("a worker tries the charge, and the gateway refuses it permanently");
        String token = fail(semel, first.taskId(), SHOP);
        stage.say("the same key is submitted again, now with a worker that succeeds");
        Submission<RawJson> second = charge(semel, SHOP).idempotencyKey(KEY).send();
        DemoProcess worker = stage.worker(SHOP);
        String receipt = receipt(second.result(DemoStage.PATIENCE));
        worker.close();
        Task old = DemoStage.find(store, first.taskId());
        Task again = DemoStage.find(store, second.taskId());
        boolean sameToken = receipt.equals(token);
        return new Outcome(
                "run 1 " + old.state().word() + " and is kept, run " + again.run() + " "
                        + again.state().word() + "; the gateway got "
                        + (sameToken ? "the same token both times" : "two tokens"),
                old.state() == TaskState.FAILED
                        && again.state() == TaskState.COMPLETED
                        && second.created()
                        && again.run() == 2
                        && again.lineage().equals(old.id())
                        && sameToken);
    }

    Outcome deadLetter(Semel semel, TaskStore store) throws IOException, InterruptedException {
        semel.operations()
                .set(
                        INVOICES,
                        QueueSettings.builder().deadLetterQueue(DEAD_INVOICES).build());
        TaskId id = charge(semel, INVOICES).send().taskId();
        stage.say("a task fails permanently in a queue that has a dead-letter queue");
        String token = fail(semel, id, INVOICES);
        List<Task> letters = store.list(new TaskQuery(null, DEAD_INVOICES, null, Set.of(), null, null, 100))
                .tasks();
        boolean names = letters.size() == 1
                && String.valueOf(letters.getFirst().input()).contains(id.toString());
        stage.say("another process redrives it: semel dead redrive " + id);
        DemoProcess redrive = stage.start("the redrive", List.of("dead", "redrive", id.toString(), "--json"));
        int code = redrive.exitCode(DemoStage.PATIENCE);
        DemoProcess worker = stage.worker(INVOICES);
        String receipt = receipt(semel.handle(DemoChildCommand.CHARGE, id).result(DemoStage.PATIENCE));
        worker.close();
        List<Attempt> attempts = store.attempts(id);
        boolean sameToken = receipt.equals(token);
        return new Outcome(
                DemoStage.described(attempts) + ", as the same task with " + (sameToken ? "the same" : "another")
                        + " token; tasks in the dead-letter queue: " + letters.size(),
                code == ExitCode.DONE
                        && names
                        && sameToken
                        && attempts.size() == 2
                        && attempts.get(0).outcome() == Attempt.Outcome.FAILED
                        && attempts.get(1).outcome() == Attempt.Outcome.COMPLETED);
    }

    Outcome rateLimit(Semel semel, TaskStore store) throws IOException, InterruptedException {
        // Paused until both workers are ready: a process takes longer to start than these tasks to run.
        semel.operations()
                .set(
                        REPORTS,
                        QueueSettings.builder().rateLimit(LIMIT).paused(true).build());
        List<SubmissionRequest<RawJson, RawJson>> requests = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            requests.add(charge(semel, REPORTS));
        }
        semel.submitAll(requests);
        stage.say("two workers share a queue with " + TASKS + " due tasks and a limit of " + LIMIT.text());
        DemoProcess one = stage.worker(REPORTS);
        DemoProcess other = stage.worker(REPORTS);
        semel.operations().resume(REPORTS);
        for (SubmissionRequest<RawJson, RawJson> request : requests) {
            semel.handle(DemoChildCommand.CHARGE, request.taskId()).result(DemoStage.PATIENCE);
        }
        one.close();
        other.close();
        List<Attempt> attempts =
                store.attempts(requests.stream().map(SubmissionRequest::taskId).toList()).values().stream()
                        .flatMap(List::stream)
                        .toList();
        List<Long> starts = attempts.stream()
                .map(attempt -> attempt.startedAt().toEpochMilli())
                .sorted()
                .toList();
        long most = starts.stream()
                .mapToLong(from -> starts.stream()
                        .filter(start -> start >= from && start < from + 1_000)
                        .count())
                .max()
                .orElse(0);
        long byOne = attempts.stream()
                .filter(attempt -> attempt.worker().startsWith(one.pid() + "-"))
                .count();
        Duration took = Duration.ofMillis(starts.getLast() - starts.getFirst());
        return new Outcome(
                starts.size() + " started in " + Text.span(took) + ", at most " + most + " in any second; one process "
                        + byOne + ", the other " + (attempts.size() - byOne),
                starts.size() == TASKS && most <= LIMIT.starts() + LIMIT.burst());
    }

    private static SubmissionRequest<RawJson, RawJson> charge(Semel semel, String queue) {
        return semel.submit(DemoChildCommand.CHARGE, new RawJson(INPUT)).queue(queue);
    }

    /** Lets a worker fail a task permanently, and returns the token that it would have sent to the gateway. */
    private String fail(Semel semel, TaskId id, String queue) throws IOException, InterruptedException {
        DemoProcess worker = stage.worker(queue, DemoChildCommand.FAIL);
        DemoStage.expect(worker, "handling " + id + " attempt 1");
        String token = worker.line(DemoStage.PATIENCE).substring("token ".length());
        try {
            semel.handle(DemoChildCommand.CHARGE, id).result(DemoStage.PATIENCE);
            throw new DemoProcess.StepFailure("the task was expected to fail, but it completed");
        } catch (TaskUnsuccessful e) {
            return token;
        } finally {
            worker.close();
        }
    }

    private String receipt(RawJson result) {
        JsonNode json = stage.json(result.text());
        return json.path("receipt").asString("");
    }
}
