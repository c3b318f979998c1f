package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.engine.RawJson;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.Attempt;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Many processes on one file. */
class ProcessesTest {

    private static final int TASKS = 5_000;
    private static final int WORKERS = 4;
    private static final int KILLS = 4;
    private static final TaskType<RawJson, RawJson> WORKS = TaskType.of("works", RawJson.class, RawJson.class);

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    @Test
    @Timeout(300)
    void sixteenProcessesWithOneKeyMakeOneTask() throws InterruptedException {
        List<Child> children =
                IntStream.range(0, 16).mapToObj(i -> submitOneKey()).toList();
        List<JsonNode> answers = new ArrayList<>();
        boolean answerLost = false;
        for (Child child : children) {
            Child last = child;
            // On a starved machine the store does not answer in time; the message says to submit again with the same
            // key.
            while (last.exitCode() == ExitCode.STORE_UNAVAILABLE) {
                answerLost = true;
                last = submitOneKey();
            }
            assertThat(last.exitCode()).as(last.out()).isZero();
            answers.add(Cli.MAPPER.readTree(last.out()));
        }
        long created = answers.stream()
                .filter(answer -> answer.path("created").asBoolean())
                .count();
        // The lost answer may be the one of the process that created the task.
        assertThat(created).isBetween(answerLost ? 0L : 1L, 1L);
        assertThat(answers.stream()
                        .map(answer -> answer.path("task_id").asString())
                        .distinct())
                .hasSize(1);
        assertThat(cli.run("task", "list", "--json").json().path("tasks").size())
                .isEqualTo(1);
    }

    private Child submitOneKey() {
        return Child.semel(
                directory, "submit", "charge", "{\"order\":1}", "--key", "k", "--json", "--store", cli.url());
    }

    @Test
    @Timeout(300)
    void killingWorkersAtRandomLosesNothingAndCompletesNothingTwice() throws InterruptedException {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("killing workers with -Dseed=" + seed);
        Random random = new Random(seed);
        TaskStore store = SqliteTaskStore.open(cli.file());
        List<Child> workers = new ArrayList<>();
        try (Semel semel = Semel.on(store).build()) {
            List<SubmissionRequest<RawJson, RawJson>> requests = IntStream.range(0, TASKS)
                    .mapToObj(i -> semel.submit(WORKS, new RawJson("{\"n\":" + i + "}"))
                            .queue("q"))
                    .toList();
            semel.submitAll(requests)
                    .forEach(outcome ->
                            assertThat(outcome.submission().created()).isTrue());

            AtomicInteger begun = new AtomicInteger();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(start(begun));
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                int after = kill * TASKS / (KILLS + 2) + random.nextInt(TASKS / 10);
                await().atMost(Duration.ofSeconds(60)).until(() -> begun.get() >= after);
                workers.remove(random.nextInt(workers.size())).kill();
                workers.add(start(begun));
            }
            TaskQuery open =
                    new TaskQuery(null, "q", null, Set.of(TaskState.PENDING, TaskState.RUNNING), null, null, 1);
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> store.list(open).tasks().isEmpty());

            int vanished = 0;
            for (SubmissionRequest<RawJson, RawJson> request : requests) {
                TaskId id = request.taskId();
                assertThat(store.find(List.of(id)).get(id).state()).isEqualTo(TaskState.COMPLETED);
                List<Attempt> attempts = store.attempts(id);
                assertThat(attempts.stream().filter(attempt -> attempt.outcome() == Attempt.Outcome.COMPLETED))
                        .hasSize(1);
                vanished += attempts.size() - 1;
            }
            assertThat(vanished).as("attempts that were really cut off").isPositive();
        } finally {
            workers.forEach(Child::close);
        }
    }

    private Child start(AtomicInteger begun) {
        return Child.start(
                directory,
                TestWorker.class,
                line -> begun.incrementAndGet(),
                cli.file().toString());
    }

    @Test
    @Timeout(300)
    void handlersThatMisbehaveAreRecordedAndRetriedAndFinallyFailWhileTheWorkerOrItsSuccessorGoesOn()
            throws InterruptedException {
        Map<String, String> expected = Map.of(
                "throws",
                "failed",
                "hangs",
                "timed_out",
                "unserialisable",
                "failed",
                "exits",
                "failed",
                "works",
                "completed");
        Map<String, String> ids = new java.util.HashMap<>();
        expected.keySet().forEach(type -> ids.put(type, cli.submit(type, "{\"a\":1}", "--queue", "q")));
        int ended = 0;
        Child worker = start(new AtomicInteger());
        try {
            while (ids.values().stream()
                    .anyMatch(id -> cli.show(id).path("finished_at").isMissingNode())) {
                if (!worker.isAlive()) {
                    assertThat(worker.exitCode()).isEqualTo(7);
                    assertThat(++ended).isLessThanOrEqualTo(3);
                    worker = start(new AtomicInteger());
                }
            }
        } finally {
            worker.close();
        }
        assertThat(ended).isEqualTo(3);
        expected.forEach((type, state) -> assertThat(
                        cli.show(ids.get(type)).path("state").asString())
                .as(type)
                .isEqualTo(state));
        assertThat(errorsOf(ids.get("throws"), 2)).allMatch(error -> error.contains("thrown on purpose"));
        assertThat(errorsOf(ids.get("hangs"), 2)).allMatch(error -> error.contains("timeout of 300ms"));
        assertThat(errorsOf(ids.get("unserialisable"), 1))
                .allMatch(error -> error.contains("cannot be written as JSON"));
        assertThat(cli.show(ids.get("exits")).path("last_error").asString()).contains("3 attempts vanished");
        String after = cli.submit("works", "{}", "--queue", "q");
        try (Child successor = start(new AtomicInteger())) {
            cli.run("task", "result", after, "--wait", "60s").exits(0);
            assertThat(successor.isAlive()).isTrue();
        }
    }

    /**
     * Returns the errors of the attempts that fail on purpose. Other attempts may have vanished with their worker, or
     * may have been returned.
     */
    private List<String> errorsOf(String id, int failures) {
        List<String> errors = cli.show(id)
                .path("attempts")
                .valueStream()
                .map(attempt -> attempt.path("error").asString(""))
                .filter(error -> !error.isEmpty())
                .toList();
        assertThat(errors).hasSize(failures);
        return errors;
    }
}
