package dev.semel.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.s3.log.LogSettings;
import dev.semel.store.Attempt;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.QueueDepth;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.process.Child;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.testservers.S3Server;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several processes on one prefix of a real server, some of which are killed, as {@code kill -9} does.
 *
 * <p>The build has few tasks and few kills. {@code -Dprocesses=full} has 2,000 tasks and kills 12 workers; {@code -Dseed=N} chooses
 * the moments.
 */
@Timeout(600)
class S3ProcessesTest {

    private static final Logger LOG = LoggerFactory.getLogger(S3ProcessesTest.class);

    private static final int PROCESSES = 4;
    private static final int SUBMITTERS = 16;
    private static final int KEYS = 6;
    private static final boolean FULL = System.getProperty("processes", "short").equals("full");
    private static final int TASKS = FULL ? 2_000 : 200;
    private static final int KILLS = FULL ? 12 : 2;
    private static final TaskType<Integer, Integer> CHARGE = TaskType.<Integer, Integer>builder(
                    Tasks.TYPE, Integer.class, Integer.class)
            .queue(Tasks.QUEUE)
            .build();

    private static S3Server server;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        server = S3Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static S3TaskStore open(String endpoint, String prefix, Path directory) {
        S3Settings settings = RealServer.settings(URI.create(endpoint), prefix);
        return S3TaskStore.open(
                settings.objects(), settings.toString(), LogSettings.standard().withDirectory(directory));
    }

    private S3TaskStore open(String prefix) {
        return open(server.endpoint().toString(), prefix, directory);
    }

    private Child child(Class<?> main, String prefix) throws IOException {
        return Child.run(main, server.endpoint(), prefix, directory);
    }

    @Test
    void manySubmittersOfOneKeyInFourProcessesOfWhichOneIsKilledMakeOneTask() throws Exception {
        List<Child> children = new ArrayList<>();
        Map<String, Set<TaskId>> ids = new HashMap<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(child(Submitters.class, "submitters"));
            }
            for (Child child : children) {
                child.expect("ready");
            }
            for (Child child : children) {
                child.send("go");
            }
            // Some of its callers have an answer, and others are on their way.
            Child killed = children.getFirst();
            collect(killed.line(), ids);
            killed.kill();
            for (Child child : children) {
                child.rest().forEach(line -> collect(line, ids));
            }
        } finally {
            for (Child child : children) {
                child.close();
            }
        }
        assertThat(ids).hasSize(KEYS);
        try (S3TaskStore store = open("submitters")) {
            Set<TaskId> all = new HashSet<>();
            ids.forEach((key, answered) -> {
                assertThat(answered).as(key).hasSize(1);
                all.addAll(answered);
                Submitted again = Tasks.submit(store, Tasks.keyed(key, "{}"));
                assertThat(again).as("the key is not blocked").isInstanceOf(Submitted.Returned.class);
                assertThat(((Submitted.Returned) again).existing().taskId()).isIn(answered);
            });
            assertThat(Tasks.stored(store)).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    private static void collect(String line, Map<String, Set<TaskId>> ids) {
        String[] words = line.split(" ", 2);
        ids.computeIfAbsent(words[0], key -> new HashSet<>()).add(TaskId.parse(words[1]));
    }

    /** Submits each key from many threads at the same time, and prints the ids that it gets. */
    static final class Submitters {
        public static void main(String[] arguments) throws Exception {
            try (S3TaskStore store = open(arguments[0], arguments[1], Path.of(arguments[2]))) {
                System.out.println("ready");
                int unused = System.in.read();
                for (int i = 0; i < KEYS; i++) {
                    String key = "key-" + i;
                    List<Thread> callers = new ArrayList<>();
                    for (int caller = 0; caller < SUBMITTERS; caller++) {
                        callers.add(Thread.ofPlatform().start(() -> submit(store, key)));
                    }
                    for (Thread caller : callers) {
                        caller.join();
                    }
                }
            }
        }

        private static void submit(TaskStore store, String key) {
            NewTask task = Tasks.keyed(key, "{}");
            Submitted answer = Tasks.submit(store, task);
            TaskId id = answer instanceof Submitted.Returned returned
                    ? returned.existing().taskId()
                    : task.id();
            System.out.println(key + " " + id);
        }
    }

    @Test
    void tasksOfWorkersThatAreKilledAtRandomAreAllCompletedOnce() throws Exception {
        Random random = new Random(Long.getLong("seed", 1));
        List<Child> workers = new ArrayList<>();
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        try (S3TaskStore store = open("workers")) {
            List<NewTask> tasks = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                tasks.add(Tasks.keyed("key-" + i, Integer.toString(i)));
            }
            store.submit(tasks);
            for (int i = 0; i < PROCESSES; i++) {
                workers.add(worker(lines));
            }
            List<String> completed = new ArrayList<>();
            int kills = 0;
            int killAt = pause(random);
            while (isAnyOpen(store)) {
                String line = lines.poll(200, TimeUnit.MILLISECONDS);
                while (line != null) {
                    completed.add(line);
                    line = kills < KILLS && completed.size() >= killAt ? null : lines.poll();
                }
                if (kills < KILLS && completed.size() >= killAt) {
                    workers.remove(random.nextInt(PROCESSES)).kill();
                    workers.add(worker(lines));
                    kills++;
                    killAt = completed.size() + pause(random);
                }
            }
            LOG.info("Workers killed: tasks={} kills={}", TASKS, kills);
            assertThat(kills).isEqualTo(KILLS);
            for (String line = lines.poll(); line != null; line = lines.poll()) {
                completed.add(line);
            }
            assertThat(completed).as("acknowledged completions").doesNotHaveDuplicates();
            assertCompletedOnce(store, tasks.stream().map(NewTask::id).toList());
        } finally {
            for (Child worker : workers) {
                worker.close();
            }
        }
    }

    private static int pause(Random random) {
        return 1 + random.nextInt(TASKS / (2 * KILLS));
    }

    private static boolean isAnyOpen(TaskStore store) {
        QueueDepth depth = store.depths(null).getOrDefault(Tasks.QUEUE, QueueDepth.EMPTY);
        return depth.due() + depth.delayed() + depth.running() > 0;
    }

    private static void assertCompletedOnce(TaskStore store, List<TaskId> ids) {
        Map<TaskId, Task> found = store.find(ids);
        assertThat(found).hasSize(TASKS);
        Map<TaskId, List<Attempt>> attempts = store.attempts(ids);
        found.forEach((id, task) -> {
            assertThat(task.progress().state()).isEqualTo(TaskState.COMPLETED);
            assertThat(attempts.get(id))
                    .filteredOn(attempt -> attempt.outcome() == Attempt.Outcome.COMPLETED)
                    .hasSize(1);
        });
    }

    /** Starts a worker, and collects what it prints. */
    private Child worker(BlockingQueue<String> lines) throws IOException {
        Child child = child(Worker.class, "workers");
        Thread.ofPlatform().daemon().start(() -> {
            for (String line = child.line(); line != null; line = child.line()) {
                lines.add(line);
            }
        });
        return child;
    }

    /** Completes tasks until it is killed, and prints each completion that the store has acknowledged. */
    static final class Worker {
        public static void main(String[] arguments) throws InterruptedException {
            TaskStore store = new ForwardingTaskStore(open(arguments[0], arguments[1], Path.of(arguments[2]))) {
                @Override
                public List<Settled> settle(List<? extends Settlement> batch) {
                    List<Settled> answers = super.settle(batch);
                    for (int i = 0; i < batch.size(); i++) {
                        if (answers.get(i) == Settled.APPLIED && batch.get(i) instanceof Settlement.Complete complete) {
                            System.out.println(complete.lease().taskId());
                        }
                    }
                    return answers;
                }
            };
            Semel semel = Semel.on(store).build();
            semel.worker(Tasks.QUEUE)
                    // Few at a time, so that tasks are left when a worker is killed.
                    .concurrency(4)
                    .prefetch(0)
                    .lease(Duration.ofSeconds(10))
                    .maxVanished(1_000)
                    .handle(CHARGE, (context, input) -> input)
                    .start();
            new CountDownLatch(1).await();
        }
    }
}
