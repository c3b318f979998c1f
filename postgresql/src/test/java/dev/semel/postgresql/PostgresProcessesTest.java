package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.process.Child;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many processes on one server: some submit the same keys, some work, workers are killed and replaced, and so is the server.
 * What was asked and what ran is written to files by those who did it; afterwards these are held against what is stored.
 */
@Timeout(300)
class PostgresProcessesTest {

    private static final int SUBMITTERS = 8;
    private static final int WORKERS = 8;
    private static final int KEYS = 10_000;
    private static final int SENDS = 3;
    private static final int KILLS = 8;
    private static final int BATCH = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    private static final TaskType<String, Integer> WORK = TaskType.builder(Tasks.TYPE, String.class, Integer.class)
            .queue(Tasks.QUEUE)
            .build();

    @TempDir
    Path directory;

    private final List<Child> submitters = new ArrayList<>();
    private final List<Child> workers = new ArrayList<>();
    private int workersStarted;
    private String url = "";

    @Test
    void eachKeyIsOneTaskThatCompletesOnceWhoeverDies() throws Exception {
        long seed = Long.getLong("seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        try (PostgresCluster server = PostgresCluster.newest()) {
            url = "postgresql://postgres@127.0.0.1:" + server.port() + "/postgres";
            try (PostgresTaskStore store = open(url)) {
                for (int i = 0; i < WORKERS; i++) {
                    workers.add(newWorker());
                }
                for (int i = 0; i < SUBMITTERS; i++) {
                    submitters.add(Child.run(Submitter.class, url, answers(i), i, seed));
                }
                for (int kill = 1; kill <= KILLS; kill++) {
                    awaitCompleted(server, kill * KEYS / (KILLS + 1));
                    int victim = random.nextInt(WORKERS);
                    workers.get(victim).kill();
                    if (kill == KILLS / 2) {
                        server.kill();
                        server.restart();
                    }
                    workers.set(victim, newWorker());
                }
                for (Child submitter : submitters) {
                    assertThat(submitter.exit()).as("seed %s", seed).isZero();
                }
                awaitCompleted(server, KEYS);
                check(store, server);
            }
        } finally {
            for (Child child : submitters) {
                child.close();
            }
            for (Child child : workers) {
                child.close();
            }
        }
    }

    private Child newWorker() throws IOException {
        Child worker = Child.run(Worker.class, url, runs(workersStarted));
        workersStarted++;
        return worker;
    }

    private Path answers(int submitter) {
        return directory.resolve("answers-" + submitter);
    }

    private Path runs(int worker) {
        return directory.resolve("runs-" + worker);
    }

    private static PostgresTaskStore open(String url) {
        return PostgresTaskStore.open(url, PostgresSettings.standard().withConnections(4));
    }

    private static void awaitCompleted(PostgresCluster server, int number) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .until(() -> count(server, "SELECT count(*) FROM semel.done") >= number);
    }

    private static long count(PostgresCluster server, String sql) throws SQLException {
        try (Connection connection = server.database().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void check(TaskStore store, PostgresCluster server) throws Exception {
        Map<String, TaskId> answered = answered();
        assertThat(answered).hasSize(KEYS);
        Map<TaskId, Task> tasks = all(store);
        assertThat(tasks).hasSize(KEYS);
        assertThat(count(server, "SELECT count(*) FROM semel.done WHERE state = 'completed'"))
                .isEqualTo(KEYS);
        Set<String> ran = ran();
        Map<TaskId, List<Attempt>> attempts = attempts(store, tasks);
        answered.forEach((key, id) -> {
            Task task = Objects.requireNonNull(tasks.get(id), key);
            assertThat(Objects.requireNonNull(task.identity()).key()).isEqualTo(key);
            assertThat(task.state()).as("%s", task).isEqualTo(TaskState.COMPLETED);
            // What completed it is its newest attempt, and that one did run.
            assertThat(task.progress().result())
                    .isEqualTo(Integer.toString(task.progress().attempt()));
            assertThat(ran).contains(id + " " + task.progress().attempt());
            assertThat(attempts.get(id).stream().filter(each -> each.outcome() == Attempt.Outcome.COMPLETED))
                    .hasSize(1);
        });
        assertThat(tasks.values().stream().filter(task -> task.progress().vanished() > 0))
                .as("workers were killed with tasks in their hands")
                .isNotEmpty();
        StoreInvariants.check(store);
    }

    /** What each submission was answered with; all of one key with the same task. */
    private Map<String, TaskId> answered() throws IOException {
        Map<String, TaskId> answered = new HashMap<>();
        int lines = 0;
        for (int i = 0; i < SUBMITTERS; i++) {
            for (String line : Files.readAllLines(answers(i))) {
                String[] parts = line.split(" ", -1);
                TaskId id = TaskId.parse(parts[1]);
                TaskId before = answered.putIfAbsent(parts[0], id);
                assertThat(before == null || before.equals(id)).as(parts[0]).isTrue();
                lines++;
            }
        }
        assertThat(lines).isEqualTo(KEYS * SENDS);
        return answered;
    }

    /** Each attempt that ran, as task and number; none was given to two workers. */
    private Set<String> ran() throws IOException {
        Set<String> ran = new HashSet<>();
        for (int i = 0; i < workersStarted; i++) {
            if (Files.exists(runs(i))) {
                String text = Files.readString(runs(i));
                // A line that the death of its writer cut is no line.
                for (String line :
                        text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
                    assertThat(ran.add(line)).as(line).isTrue();
                }
            }
        }
        return ran;
    }

    private static Map<TaskId, Task> all(TaskStore store) {
        Map<TaskId, Task> all = new HashMap<>();
        TaskQuery query = TaskQuery.all(TaskQuery.MAX_LIMIT);
        List<Task> page = store.list(query).tasks();
        while (!page.isEmpty()) {
            page.forEach(task -> all.put(task.id(), task));
            page = store.list(query.after(page.getLast().id())).tasks();
        }
        return all;
    }

    private static Map<TaskId, List<Attempt>> attempts(TaskStore store, Map<TaskId, Task> tasks) {
        return store.attempts(tasks.keySet());
    }

    /** Sends its share of the keys, and writes down the answers: each key is sent by three of them. */
    static final class Submitter {
        public static void main(String[] arguments) throws IOException {
            int number = Integer.parseInt(arguments[2]);
            List<String> keys = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                int turn = Math.floorMod(key - number, SUBMITTERS);
                if (turn == 0 || turn == 3 || turn == 5) {
                    keys.add("key-" + key);
                }
            }
            Collections.shuffle(keys, new Random(Long.parseLong(arguments[3]) * SUBMITTERS + number));
            try (Semel semel = Semel.on(open(arguments[0])).build()) {
                for (int from = 0; from < keys.size(); from += BATCH) {
                    List<String> some = keys.subList(from, Math.min(keys.size(), from + BATCH));
                    List<SubmissionRequest<String, Integer>> requests = some.stream()
                            .map(key -> semel.submit(WORK, key).idempotencyKey(key))
                            .toList();
                    List<SubmitOutcome<Integer>> outcomes = patiently(semel, requests);
                    StringBuilder lines = new StringBuilder();
                    for (int i = 0; i < some.size(); i++) {
                        lines.append(some.get(i)).append(' ');
                        lines.append(outcomes.get(i).submission().taskId()).append('\n');
                    }
                    Files.writeString(
                            Path.of(arguments[1]), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                }
            }
        }

        private static List<SubmitOutcome<Integer>> patiently(
                Semel semel, List<SubmissionRequest<String, Integer>> requests) {
            while (true) {
                try {
                    List<SubmitOutcome<Integer>> outcomes = semel.submitAll(requests);
                    outcomes.forEach(SubmitOutcome::submission);
                    return outcomes;
                } catch (StoreUnavailable e) {
                    // The very same requests again: that is what a lost answer asks for.
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** Works until it is killed, and writes down each attempt before it ends. */
    static final class Worker {
        public static void main(String[] arguments) throws Exception {
            Path file = Path.of(arguments[1]);
            Semel semel = Semel.on(open(arguments[0])).build();
            semel.worker(Tasks.QUEUE)
                    .concurrency(4)
                    .prefetch(20)
                    .lease(Duration.ofSeconds(5))
                    // However often a busy machine lets a lease run out: nothing is to fail for that.
                    .maxVanished(1_000)
                    .handle(WORK, (context, key) -> {
                        Files.write(
                                file,
                                (context.taskId() + " " + context.attempt() + "\n").getBytes(StandardCharsets.US_ASCII),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.APPEND);
                        return context.attempt();
                    })
                    .start();
            new CountDownLatch(1).await();
        }
    }
}
