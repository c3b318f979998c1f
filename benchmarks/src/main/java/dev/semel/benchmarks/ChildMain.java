package dev.semel.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.benchmarks.Item.Keys;
import dev.semel.engine.Worker;
import dev.semel.store.TaskStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The main class of a child process: opens the store of its parent and plays a role. */
final class ChildMain {

    static final String READY = "ready";

    /** Submits one at a time. */
    static final String SUBMIT_SINGLY = "submit-singly";

    /** Submits in batches of a thousand. */
    static final String SUBMIT_BATCHES = "submit-batches";

    /** Submits in batches while a worker runs, until all are completed. */
    static final String LIFE = "life";

    /**
     * The environment variable with the store's URL. The URL may contain a password, which a process list must not
     * show.
     */
    static final String STORE = "SEMEL_BENCH_STORE";

    private static final int SETTLE_SECONDS = 3;

    private final CountingStore store;
    private final Semel semel;
    private final int number;

    private ChildMain(TaskStore store, int number) {
        this.store = new CountingStore(store);
        this.semel = Semel.on(this.store).build();
        this.number = number;
    }

    /**
     * Plays a role.
     *
     * @param arguments the role, and a number whose meaning depends on the role
     * @throws IOException if the parent has ended
     */
    public static void main(String[] arguments) throws IOException {
        String url = Objects.requireNonNull(System.getenv(STORE), STORE);
        TaskStore store = StoreUnderTest.of(url).open(url);
        ChildMain child = new ChildMain(store, Integer.parseInt(arguments[1]));
        try (Semel semel = child.semel) {
            switch (arguments[0]) {
                case "ping" -> child.ping();
                case "idle" -> child.idle();
                case SleepingWorkflows.ROLE -> child.sleepers();
                default -> {
                    child.play(arguments[0]);
                    say(READY);
                }
            }
        }
    }

    private void play(String role) {
        switch (role) {
            case SUBMIT_SINGLY -> submitSingly();
            case SUBMIT_BATCHES -> submitBatches(number);
            case LIFE -> life(number);
            default -> throw new IllegalArgumentException("Unknown role: " + role);
        }
    }

    /** Plays a role in this process, and returns how much was counted meanwhile, without opening and closing. */
    static long count(TaskStore store, String role, int number, AtomicLong count) {
        ChildMain child = new ChildMain(store, number);
        try (Semel semel = child.semel) {
            long before = count.get();
            child.play(role);
            return count.get() - before;
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Submits a task for each line of its input. */
    private void ping() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        say(READY);
        String line = in.readLine();
        while (line != null) {
            IdleLatency.send(semel, Integer.parseInt(line), number != 0);
            line = in.readLine();
        }
    }

    /** Runs some tasks, becomes idle, and repeatedly prints the share of a core that it uses. */
    private void idle() {
        try (Worker worker = worker()) {
            submitBatches(2_000);
            store.awaitCompleted(2_000);
            say(READY);
            sayShares();
            worker.close();
        }
    }

    /** Runs some tasks, becomes idle, prints the share of a core that it uses and its heap, and then how late workflows wake. */
    private void sleepers() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Worker worker = SleepingWorkflows.work(semel, late -> say(Long.toString(late)))) {
            submitBatches(2_000);
            store.awaitCompleted(2_000);
            say(READY);
            sayShares();
            say(Double.toString(Growth.heapMegabytes()));
            String unused = in.readLine(); // until the parent closes it
            worker.close();
        }
    }

    private void sayShares() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        pause(Math.min(number, SETTLE_SECONDS));
        for (int i = 0; i < Scale.FULL.repeats(); i++) {
            long began = System.nanoTime();
            long cpu = system.getProcessCpuTime();
            pause(number);
            say(Double.toString(100.0 * (system.getProcessCpuTime() - cpu) / (System.nanoTime() - began)));
        }
    }

    private static void pause(int seconds) {
        long until = System.nanoTime() + seconds * 1_000_000_000L;
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private Worker worker() {
        return semel.worker(Work.QUEUE)
                .handle(Work.TYPE, (context, work) -> null)
                .start();
    }

    private void submitSingly() {
        for (Item item : Item.fresh(0, number, Keys.RISING)) {
            request(item).send();
        }
    }

    private void submitBatches(int tasks) {
        for (int from = 0; from < tasks; from += SemelRunner.BATCH) {
            List<SubmissionRequest<Work, @Nullable Void>> batch = new ArrayList<>();
            for (Item item : Item.fresh(from, Math.min(SemelRunner.BATCH, tasks - from), Keys.RISING)) {
                batch.add(request(item));
            }
            semel.submitAll(batch);
        }
    }

    private void life(int tasks) {
        try (Worker worker = worker()) {
            submitBatches(tasks);
            store.awaitCompleted(tasks);
            worker.close();
        }
    }

    private SubmissionRequest<Work, @Nullable Void> request(Item item) {
        SubmissionRequest<Work, @Nullable Void> request =
                semel.submit(Work.TYPE, Work.of(item.number(), Work.USUAL_SIZE));
        return item.key() == null ? request : request.idempotencyKey(item.key());
    }
}
