package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.store.KeyRecord;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Handlers that use up the whole heap of their process, several at a time, again and again. Once they let go of it, every task
 * that was accepted completes, in the same process or in another one: none of its threads has died unnoticed, and no task runs for
 * ever.
 */
@Timeout(900)
public abstract class HeapExhaustedContract {

    private static final int ROUNDS = Integer.getInteger("heap.rounds", 1);
    private static final int PLAIN_IN_A_ROUND = 40;
    private static final int GREEDY_IN_A_ROUND = 4;

    // So often a greedy task fills the heap before it completes.
    private static final int GREEDY_ATTEMPTS = 2;
    private static final long HELD_NANOS = 50_000_000;
    private static final long PAUSE_NANOS = 20_000_000;

    private static final TaskType<Boolean, Integer> WORK = TaskType.builder(Tasks.TYPE, Boolean.class, Integer.class)
            .queue(Tasks.QUEUE)
            .retry(RetryPolicy.delays(
                    Collections.nCopies(99, Duration.ofMillis(200)).toArray(Duration[]::new)))
            .build();

    /** For subclasses. */
    protected HeapExhaustedContract() {}

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

    @Test
    @DisplayName("Everything completes once the heap is free again")
    void everythingCompletesOnceTheHeapIsFreeAgain() throws Exception {
        completes(freshAddress());
    }

    private void completes(String address) throws Exception {
        long seed = Long.getLong("seed", 1);
        int tasks = ROUNDS * (PLAIN_IN_A_ROUND + GREEDY_IN_A_ROUND);
        String opener = opener().getName();
        try (TaskStore store = StoreOpener.open(opener, address);
                Child child = Child.runIn("64m", HeapExhaustedContract.class, opener, address, seed, ROUNDS)) {
            awaitLine(child, "started");
            awaitLine(child, "accepted");
            if (!completedWithin(Duration.ofSeconds(20), store, tasks)) {
                // Code that Java linked for the first time while there was no memory fails for ever in that process.
                // Its worker
                // fails and starts again, and returns what it claims: so another process completes everything.
                try (Child helper = Child.run(HeapExhaustedContract.class, opener, address, seed, 0)) {
                    awaitLine(helper, "accepted");
                    assertThat(completedWithin(Duration.ofMinutes(5), store, tasks))
                            .as("seed %s", seed)
                            .isTrue();
                }
            }
        }
    }

    private static boolean completedWithin(Duration limit, TaskStore store, int tasks) {
        try {
            await().atMost(limit).pollInterval(Duration.ofMillis(200)).until(() -> completed(store, tasks) == tasks);
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    /** Java itself may print that its heap is full. */
    private static void awaitLine(Child child, String expected) {
        for (String line = child.line(); !expected.equals(line); line = child.line()) {
            assertThat(line)
                    .as("the process ended before it printed \"%s\"", expected)
                    .isNotNull();
        }
    }

    private static long completed(TaskStore store, int tasks) {
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            KeyRecord record = store.record(Tasks.identity("key-" + i)).orElseThrow();
            ids.add(record.taskId());
        }
        return store.find(ids).values().stream()
                .filter(task -> {
                    TaskState state = task.state();
                    assertThat(state.isOpen() || state == TaskState.COMPLETED)
                            .as("%s", task)
                            .isTrue();
                    return state == TaskState.COMPLETED;
                })
                .count();
    }

    // ---- the other process

    /**
     * Works and submits on a small heap.
     *
     * @param arguments the opener, the address, a seed and how many rounds
     * @throws Exception if it fails
     */
    public static void main(String[] arguments) throws Exception {
        Semel semel = Semel.on(StoreOpener.open(arguments[0], arguments[1])).build();
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[2]));
        int rounds = Integer.parseInt(arguments[3]);
        semel.worker(Tasks.QUEUE)
                .concurrency(8)
                .lease(Duration.ofSeconds(5))
                .maxVanished(1_000)
                .handle(WORK, (context, greedy) -> {
                    if (greedy && context.attempt() <= GREEDY_ATTEMPTS) {
                        fill();
                    }
                    return context.attempt();
                })
                .start();
        say("started");
        int next = 0;
        for (int round = 0; round < rounds; round++) {
            int greedyLeft = GREEDY_IN_A_ROUND;
            for (int i = PLAIN_IN_A_ROUND + GREEDY_IN_A_ROUND; i > 0; i--) {
                boolean greedy = random.nextInt(i) < greedyLeft;
                greedyLeft -= greedy ? 1 : 0;
                send(semel, next++, greedy);
            }
            // So that rounds overlap, but not all of them are one.
            for (int i = random.nextInt(25); i > 0; i--) {
                pause();
            }
        }
        say("accepted");
        new CountDownLatch(1).await(); // until it is killed: the threads of a worker keep no process alive
    }

    private static void say(String word) {
        while (true) {
            try {
                System.out.println(word);
                return;
            } catch (OutOfMemoryError e) {
                pause();
            }
        }
    }

    /** Waits a little; this needs no memory. */
    private static void pause() {
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    /** Sends until it is answered. */
    private static void send(Semel semel, int number, boolean greedy) {
        SubmissionRequest<Boolean, Integer> request = null;
        while (true) {
            try {
                request = request == null ? semel.submit(WORK, greedy).idempotencyKey("key-" + number) : request;
                TaskId unused = request.send().taskId();
                return;
            } catch (Throwable e) {
                pause();
            }
        }
    }

    /** Takes all the memory there is, for a while, down to the last bytes. */
    private static void fill() {
        // A chain of arrays, each with the one before it in its first place.
        Object[] held = null;
        OutOfMemoryError last = null;
        for (int times = 0; times < 30; times++) {
            int size = times % 3 == 0 ? 1 << 18 : times % 3 == 1 ? 1 << 12 : 16;
            try {
                while (true) {
                    held = new Object[] {held, new byte[size]};
                }
            } catch (OutOfMemoryError e) {
                last = e;
            }
        }
        // Not asleep: Java needs memory to wake a virtual thread, and one that is never woken would keep the heap full
        // for ever.
        long until = System.nanoTime() + HELD_NANOS;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
        throw Objects.requireNonNull(held == null ? null : last);
    }
}
