package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.RestartPreview;
import dev.semel.Semel;
import dev.semel.Workflows;
import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.TaskStore;
import dev.semel.storetests.process.CrashLog.Event;
import dev.semel.storetests.process.CrashLog.Line;
import dev.semel.storetests.process.WorkflowCrashWorker.Plan;
import dev.semel.storetests.process.WorkflowCrashWorker.Round;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workflows whose workers are killed, as {@code kill -9} does. A provider outside counts the effects of each token, and a log outside
 * the store tells whether anything ran again after its outcome was acknowledged.
 *
 * <p>The build kills few workers of short workflows. {@code -Dworkflows=full} has workflows of 20 steps, and kills workers of 200 such
 * workflows at random for a minute. {@code -Dseed=N} chooses the moments.
 */
@Timeout(900)
public abstract class WorkflowCrashContract {

    private static final Logger LOG = LoggerFactory.getLogger(WorkflowCrashContract.class);

    /**
     * How much of it there is.
     *
     * @param plan what each workflow does
     * @param workflows how many there are of which workers are killed at random
     * @param workers how many processes run them
     * @param kills how many of these are killed at least
     * @param atLeast how long they are killed at least, unless all workflows have ended
     * @param lines the most lines that are printed between two kills
     */
    private record Size(Plan plan, int workflows, int workers, int kills, Duration atLeast, int lines) {

        static Size chosen() {
            String name = System.getProperty("workflows", "short");
            return switch (name) {
                case "short" -> new Size(new Plan(6, 20), 20, 2, 4, Duration.ZERO, 60);
                // Pauses, so that 200 workflows last for a minute.
                case "full" -> new Size(new Plan(20, 2_500), 200, 3, 40, Duration.ofMinutes(1), 120);
                default ->
                    throw new IllegalArgumentException(
                            "Expected -Dworkflows=short or -Dworkflows=full, but got \"" + name + "\"");
            };
        }
    }

    private final Size size = Size.chosen();

    /** The log and the provider. */
    @TempDir
    Path outside;

    /** For subclasses. */
    protected WorkflowCrashContract() {}

    /**
     * The class that opens the store, here and in other processes.
     *
     * @return a public class with a public constructor that takes nothing
     */
    protected abstract Class<? extends StoreOpener> opener();

    /**
     * Creates a store without tasks.
     *
     * @return where it is
     * @throws Exception if it cannot be created
     */
    protected abstract String freshAddress() throws Exception;

    /** Kills the server of the store and starts it again, where there is one. */
    protected void restartServer() {}

    @Test
    @DisplayName("A workflow whose worker is killed after each of its steps ends as if it had not been")
    void killedAfterEachStep() throws Exception {
        String address = freshAddress();
        Plan plan = new Plan(size.plan().steps(), 0);
        start(address, plan, List.of("one"));
        int kills = 0;
        for (int i = 0; i < plan.steps(); i++) {
            String step = WorkflowCrashWorker.name("one", i);
            Event event = killedAt(i);
            // The last worker may have come this far before it died.
            if (!log().has(event, step)) {
                try (Child worker = worker(address)) {
                    Line line = next(worker);
                    while (line.event() != event || !line.step().equals(step)) {
                        line = next(worker);
                    }
                    worker.kill();
                    kills++;
                }
            }
        }
        finish(address, plan, List.of("one"));
        LOG.info("Workers killed: kills={} steps={}", kills, plan.steps());
    }

    /** Another point for each step: the effect ran, its outcome was recorded, the step's task was completed. */
    private static Event killedAt(int step) {
        return switch (step % 3) {
            case 0 -> Event.RAN;
            case 1 -> Event.RECORDED;
            default -> WorkflowCrashWorker.isLocal(step) ? Event.RECORDED : Event.COMPLETED;
        };
    }

    @Test
    @DisplayName(
            "Many workflows whose workers are killed at any moment, and the server too, end as if they had not been")
    void killedAtAnyMoment() throws Exception {
        String address = freshAddress();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < size.workflows(); i++) {
            ids.add("w" + i);
        }
        start(address, size.plan(), ids);
        long seed = Long.getLong("seed", 1);
        try {
            killAtRandom(address, new Random(seed));
            finish(address, size.plan(), ids);
        } catch (AssertionError e) {
            throw new AssertionError("with -Dseed=" + seed + ": " + e.getMessage(), e);
        }
    }

    @Test
    @DisplayName(
            "Workflows whose workers are killed while they continue as new lose no step, no signal and nobody who waits")
    void killedWhileTheyContinueAsNew() throws Exception {
        String address = freshAddress();
        int rounds = size.plan().steps();
        List<String> ids = List.of("r0", "r1", "r2", "r3", "r4");
        Set<String> steps = new HashSet<>();
        long seed = Long.getLong("seed", 1);
        try (Semel semel =
                Semel.on(StoreOpener.open(opener().getName(), address)).build()) {
            List<CompletableFuture<String>> waiting = new ArrayList<>();
            for (String id : ids) {
                semel.start(WorkflowCrashWorker.ROUNDS, id, new Round(0, rounds, ""));
                // Half of them before the workflow begins, in the order in which they are to be received.
                signal(semel, id, 0, rounds / 2);
                waiting.add(CompletableFuture.supplyAsync(() ->
                        semel.workflows().handle(WorkflowCrashWorker.ROUNDS, id).result(Duration.ofMinutes(5))));
            }
            CompletableFuture<Void> late =
                    CompletableFuture.runAsync(() -> ids.forEach(id -> signal(semel, id, rounds / 2, rounds)));
            killAtRandom(address, new Random(seed));
            late.join();
            try (Child worker = worker(address)) {
                follow(worker, new LinkedBlockingQueue<>());
                for (int i = 0; i < ids.size(); i++) {
                    StringBuilder expected = new StringBuilder();
                    for (int round = 0; round < rounds; round++) {
                        String step = WorkflowCrashWorker.name(ids.get(i), round);
                        steps.add(step);
                        expected.append('<').append(step).append('>').append(round);
                    }
                    assertThat(waiting.get(i).get(5, TimeUnit.MINUTES))
                            .as("with -Dseed=" + seed)
                            .isEqualTo(expected.toString());
                    // Sent again, because the answer was lost: all are known, whichever generation received them.
                    signal(semel, ids.get(i), 0, rounds);
                }
            }
        }
        assertThat(log().problems(steps)).as("with -Dseed=" + seed).isEmpty();
    }

    @Test
    @DisplayName(
            "Workflows that are restarted from any line while their workers are killed run no step again that has an outcome, and lose nobody who waits")
    void killedWhileTheyAreRestarted() throws Exception {
        String address = freshAddress();
        List<String> ids = List.of("s0", "s1", "s2", "s3", "s4");
        start(address, size.plan(), ids);
        Map<String, Integer> restarts = new ConcurrentHashMap<>();
        Set<String> steps = new HashSet<>();
        long seed = Long.getLong("seed", 1);
        try (Semel semel =
                Semel.on(StoreOpener.open(opener().getName(), address)).build()) {
            List<CompletableFuture<String>> waiting = new ArrayList<>();
            for (String id : ids) {
                waiting.add(CompletableFuture.supplyAsync(() ->
                        semel.workflows().handle(WorkflowCrashWorker.FLOW, id).result(Duration.ofMinutes(5))));
            }
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Void> operator =
                    CompletableFuture.runAsync(() -> restartAtRandom(semel, ids, new Random(seed), restarts, over));
            try {
                killAtRandom(address, new Random(seed));
            } finally {
                over.set(true);
            }
            operator.join();
            try (Child worker = worker(address)) {
                follow(worker, new LinkedBlockingQueue<>());
                for (int i = 0; i < ids.size(); i++) {
                    String expected = WorkflowCrashWorker.result(ids.get(i), size.plan());
                    assertThat(waiting.get(i).get(5, TimeUnit.MINUTES))
                            .as("with -Dseed=" + seed)
                            .isEqualTo(expected);
                    assertThat(semel.workflows()
                                    .handle(WorkflowCrashWorker.FLOW, ids.get(i))
                                    .result(Duration.ofMinutes(5)))
                            .as("with -Dseed=" + seed)
                            .isEqualTo(expected);
                    for (int step = 0; step < size.plan().steps(); step++) {
                        steps.add(WorkflowCrashWorker.name(ids.get(i), step));
                    }
                }
            }
        }
        assertThat(restarts.values().stream().mapToInt(Integer::intValue).sum())
                .as("restarts")
                .isGreaterThanOrEqualTo(size.kills());
        LOG.info("Workflows restarted: restarts={}", restarts);
        assertThat(log().problems(steps, step -> 1 + restarts.getOrDefault(step.substring(0, step.indexOf('-')), 0)))
                .as("with -Dseed=" + seed)
                .isEmpty();
    }

    /** Restarts workflows from any line, each again if the answer was lost, and counts those that may have begun a generation. */
    private static void restartAtRandom(
            Semel semel, List<String> ids, Random random, Map<String, Integer> restarts, AtomicBoolean over) {
        while (!over.get()) {
            String id = ids.get(random.nextInt(ids.size()));
            Workflows.Restarting answer = null;
            RestartPreview preview = null;
            while (answer == null) {
                try {
                    if (preview == null) {
                        int lines = semel.workflows()
                                .history(WorkflowCrashWorker.FLOW, id)
                                .lines()
                                .size();
                        preview = semel.workflows()
                                .previewRestart(WorkflowCrashWorker.FLOW, id, random.nextInt(lines + 1));
                    }
                    answer = semel.workflows().restart(preview);
                } catch (StoreUnavailable e) {
                    LockSupport.parkNanos(50_000_000);
                } catch (InvalidInput e) {
                    break; // the history has fewer lines by now
                }
            }
            if (answer == Workflows.Restarting.RESTARTED) {
                restarts.merge(id, 1, Integer::sum);
            }
            LockSupport.parkNanos(100_000_000);
        }
    }

    private static void signal(Semel semel, String id, int from, int to) {
        for (int round = from; round < to; round++) {
            semel.workflows()
                    .signal(WorkflowCrashWorker.ROUNDS, id, WorkflowCrashWorker.MORE, "" + round, id + "-" + round);
        }
    }

    private void killAtRandom(String address, Random random) throws Exception {
        long start = System.nanoTime();
        BlockingQueue<Line> printed = new LinkedBlockingQueue<>();
        List<Child> workers = new ArrayList<>();
        int kills = 0;
        try {
            for (int i = 0; i < size.workers(); i++) {
                workers.add(follow(worker(address), printed));
            }
            while (kills < size.kills()
                    || System.nanoTime() - start < size.atLeast().toNanos()) {
                if (!taken(printed, 1 + random.nextInt(size.lines()))) {
                    break;
                }
                int victim = random.nextInt(workers.size());
                workers.get(victim).close();
                kills++;
                if (kills % (size.kills() / 2) == 0) {
                    restartServer();
                }
                workers.set(victim, follow(worker(address), printed));
            }
        } finally {
            for (Child worker : workers) {
                worker.close();
            }
        }
        assertThat(kills).as("killed workers").isGreaterThanOrEqualTo(size.kills());
        LOG.info(
                "Workers killed: kills={} workflows={} after={}s",
                kills,
                size.workflows(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
    }

    /** Takes lines as they are printed; false if nothing is printed any more, because all workflows have ended. */
    private static boolean taken(BlockingQueue<Line> printed, int lines) throws InterruptedException {
        for (int i = 0; i < lines; i++) {
            if (printed.poll(20, TimeUnit.SECONDS) == null) {
                return false;
            }
        }
        return true;
    }

    private static Child follow(Child worker, BlockingQueue<Line> printed) {
        Thread.ofVirtual().start(() -> {
            for (String text = worker.line(); text != null; text = worker.line()) {
                printed.add(Line.parse(text));
            }
        });
        return worker;
    }

    private static Line next(Child worker) {
        return Line.parse(Objects.requireNonNull(worker.line(), "the worker ended by itself"));
    }

    private CrashLog log() {
        return new CrashLog(outside);
    }

    private Child worker(String address) throws IOException {
        Child worker = Child.run(WorkflowCrashWorker.class, opener().getName(), address, outside);
        worker.expect("started");
        return worker;
    }

    private void start(String address, Plan plan, List<String> ids) {
        try (Semel semel =
                Semel.on(StoreOpener.open(opener().getName(), address)).build()) {
            ids.forEach(id -> semel.start(WorkflowCrashWorker.FLOW, id, plan));
        }
    }

    private void finish(String address, Plan plan, List<String> ids) throws Exception {
        Set<String> steps = new HashSet<>();
        try (TaskStore store = StoreOpener.open(opener().getName(), address);
                Semel semel = Semel.on(store).build()) {
            try (Child worker = worker(address)) {
                follow(worker, new LinkedBlockingQueue<>());
                for (String id : ids) {
                    assertThat(semel.workflows()
                                    .handle(WorkflowCrashWorker.FLOW, id)
                                    .result(Duration.ofMinutes(5)))
                            .isEqualTo(WorkflowCrashWorker.result(id, plan));
                }
            }
            for (String id : ids) {
                check(store, semel.workflows().taskId(WorkflowCrashWorker.FLOW, id), plan);
                for (int i = 0; i < plan.steps(); i++) {
                    steps.add(WorkflowCrashWorker.name(id, i));
                }
            }
        }
        assertThat(log().problems(steps)).isEmpty();
    }

    /** Checks what the store has kept of a workflow. */
    private static void check(TaskStore store, TaskId id, Plan plan) {
        int local = plan.steps() / 2;
        History history = Objects.requireNonNull(
                store.histories(List.of(History.Query.whole(id))).get(id));
        List<TaskId> steps = history.lines().stream()
                .filter(line -> line.kind() == Kind.STEP)
                .map(line -> Objects.requireNonNull(line.task()))
                .toList();
        assertThat(steps).hasSize(plan.steps() - local).doesNotHaveDuplicates();
        assertThat(history.inbox()).hasSize(steps.size());
        assertThat(history.lines())
                .extracting(HistoryLine::kind)
                .filteredOn(kind -> kind != Kind.STEP)
                .hasSize(plan.pauseMillis() == 0 ? 0 : plan.steps())
                .allMatch(kind -> kind == Kind.TIMER);
        assertThat(store.effects(List.of(id)).getOrDefault(id, List.of()))
                .hasSize(local)
                .extracting(EffectRecord::state)
                .containsOnly(EffectState.DONE);
        Collection<List<Attempt>> attempts = store.attempts(steps).values();
        assertThat(attempts)
                .hasSize(steps.size())
                .allSatisfy(each -> assertThat(each)
                        .filteredOn(attempt -> attempt.outcome() == Attempt.Outcome.COMPLETED)
                        .hasSize(1));
    }
}
