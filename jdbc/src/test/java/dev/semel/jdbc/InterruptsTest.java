package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresCluster;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Callers that share the calls of a store are interrupted at random: only they may notice. */
@Timeout(180)
class InterruptsTest {

    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);
    private static final int CALLERS = 12;
    private static final int SENDS = 60;

    private static PostgresCluster server;
    private static PostgresSchemas schemas;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresCluster.newest();
        schemas = new PostgresSchemas(server.database());
    }

    @AfterAll
    static void stop() {
        schemas.close();
        server.close();
    }

    @Test
    void inMemoryNobodysInterruptReachesAStranger() throws Exception {
        storm(new InMemoryTaskStore());
    }

    @Test
    void onSqliteNobodysInterruptReachesAStranger() throws Exception {
        storm(SqliteTaskStore.open(directory.resolve("semel.db")));
    }

    @Test
    void onPostgresqlNobodysInterruptReachesAStranger() throws Exception {
        storm(postgres());
    }

    private static TaskStore postgres() throws SQLException {
        return PostgresTaskStore.open(schemas.pool(), PostgresSchemas.settings(schemas.next()));
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
                    .as("failures of callers that nobody interrupted")
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

    /** The outcome is an answer, or the one documented exception; sent again, the same request says what is the case. */
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
