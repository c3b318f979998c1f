package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that share the calls of a store are interrupted at random: only they may notice. */
@Timeout(180)
public abstract class InterruptsContract {

    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);
    private static final int CALLERS = 12;
    private static final int SENDS = 60;

    /** For subclasses. */
    protected InterruptsContract() {}

    /**
     * Opens a store without tasks, with the clock of the system.
     *
     * @return the store
     * @throws Exception if it cannot be opened
     */
    protected abstract TaskStore open() throws Exception;

    @Test
    @DisplayName("An interrupt of one caller reaches no other caller")
    void anInterruptOfOneCallerReachesNoOtherCaller() throws Exception {
        storm(open());
    }

    /** Half of the callers are interrupted again and again; half of each kind are virtual threads. */
    private static void storm(TaskStore store) throws Exception {
        SplittableRandom random = new SplittableRandom(Long.getLong("seed", 13));
        Queue<Throwable> strangersFailures = new ConcurrentLinkedQueue<>();
        Queue<String> wrongOutcomes = new ConcurrentLinkedQueue<>();
        Queue<TaskId> accepted = new ConcurrentLinkedQueue<>();
        CountDownLatch undisturbedLeft = new CountDownLatch(CALLERS);
        try (Semel semel = Semel.on(store).build()) {
            List<Thread> undisturbed = new ArrayList<>();
            List<Thread> disturbed = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                undisturbed.add(started(i, () -> {
                    for (int n = 0; n < SENDS; n++) {
                        try {
                            accepted.add(semel.submit(WORK, "calm").send().taskId());
                        } catch (Throwable e) {
                            strangersFailures.add(e);
                        }
                    }
                    undisturbedLeft.countDown();
                }));
                disturbed.add(started(i, () -> {
                    while (undisturbedLeft.getCount() > 0) {
                        disturbedSend(semel, accepted, wrongOutcomes);
                    }
                }));
            }
            while (!undisturbedLeft.await(0, TimeUnit.SECONDS)) {
                disturbed.get(random.nextInt(CALLERS)).interrupt();
                LockSupport.parkNanos(100_000);
            }
            for (Thread thread : disturbed) {
                thread.join();
            }
            for (Thread thread : undisturbed) {
                thread.join();
            }
            assertThat(strangersFailures)
                    .as("failures of callers that were not interrupted")
                    .isEmpty();
            assertThat(wrongOutcomes).isEmpty();
            List<TaskId> ids = List.copyOf(accepted);
            assertThat(ids).hasSizeGreaterThanOrEqualTo(CALLERS * SENDS);
            for (int from = 0; from < ids.size(); from += 500) {
                List<TaskId> some = ids.subList(from, Math.min(ids.size(), from + 500));
                assertThat(store.find(some).keySet()).as("accepted and kept").containsAll(some);
            }
        }
    }

    private static Thread started(int number, Runnable caller) {
        return number % 2 == 0
                ? Thread.ofVirtual().start(caller)
                : Thread.ofPlatform().daemon().start(caller);
    }

    /** The outcome is an answer, or the one documented exception; sent again, the same request returns the truth. */
    private static void disturbedSend(Semel semel, Queue<TaskId> accepted, Queue<String> wrongOutcomes) {
        var request = semel.submit(WORK, "disturbed");
        while (true) {
            try {
                accepted.add(request.send().taskId());
                return;
            } catch (StoreUnavailable e) {
                if (!(e.getCause() instanceof InterruptedException) || !Thread.interrupted()) {
                    wrongOutcomes.add(e + ", caused by " + e.getCause());
                    return;
                }
            } catch (Throwable e) {
                wrongOutcomes.add(String.valueOf(e));
                return;
            }
        }
    }
}
