package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testservers.PostgresCluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** A server that is killed and started again while submitters and workers are busy. */
@Timeout(180)
class PostgresRestartTest {

    private static final int KEYS = 1_500;
    private static final int SENDS = 3;
    private static final int SUBMITTERS = 4;
    private static final int WORKERS = 3;

    private final Map<String, TaskId> answered = new ConcurrentHashMap<>();
    private final Set<TaskId> completed = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger sent = new AtomicInteger();
    private final CountDownLatch half = new CountDownLatch(KEYS * SENDS / 2);

    @Test
    void eachKeyIsOneTaskEachCompletedOnceAndNothingIsLost() throws Exception {
        try (PostgresCluster server = PostgresCluster.newest();
                HikariDataSource pool = pool(server);
                PostgresTaskStore store =
                        PostgresTaskStore.open(pool, PostgresSettings.standard().withHints(false));
                ExecutorService threads = Executors.newFixedThreadPool(SUBMITTERS + WORKERS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < SUBMITTERS; i++) {
                all.add(threads.submit(() -> submit(store)));
            }
            for (int i = 0; i < WORKERS; i++) {
                all.add(threads.submit(() -> work(store)));
            }
            half.await();
            try {
                server.kill();
                server.restart();
                for (Future<?> each : all) {
                    each.get();
                }
            } finally {
                over.set(true);
            }
            check(store);
        }
    }

    private void submit(PostgresTaskStore store) {
        for (int next = sent.getAndIncrement(); next < KEYS * SENDS / 3; next = sent.getAndIncrement()) {
            List<NewTask> batch = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                // Each key comes again and again, by different submitters, in different neighbourhoods.
                batch.add(Tasks.keyed("key " + (next * 3 + i * 7) % KEYS, "{}"));
            }
            List<Submitted> answers = patiently(() -> store.submit(batch));
            for (int i = 0; i < 3; i++) {
                String key =
                        Objects.requireNonNull(batch.get(i).key()).identity().key();
                TaskId id = answers.get(i) instanceof Submitted.Created created
                        ? created.taskId()
                        : ((Submitted.Returned) answers.get(i)).existing().taskId();
                TaskId before = answered.putIfAbsent(key, id);
                assertThat(before == null || before.equals(id)).isTrue();
                half.countDown();
            }
        }
    }

    private void work(PostgresTaskStore store) {
        while (completed.size() < KEYS && !over.get()) {
            ClaimRequest request = Tasks.request(20);
            ClaimRequest[] sending = {request};
            Claims claims = patiently(() -> {
                ClaimRequest now = sending[0];
                sending[0] = request.again();
                return store.claim(now);
            });
            List<Settlement> moves = new ArrayList<>();
            claims.tasks().forEach(claimed -> moves.add(new Settlement.Complete(claimed.lease(), "1")));
            if (!moves.isEmpty()) {
                assertThat(patiently(() -> store.settle(moves))).containsOnly(Settled.APPLIED);
                claims.tasks()
                        .forEach(claimed ->
                                assertThat(completed.add(claimed.task().id())).isTrue());
            }
        }
    }

    private <T> T patiently(Supplier<T> operation) {
        while (true) {
            try {
                return operation.get();
            } catch (StoreUnavailable e) {
                if (over.get()) {
                    throw e;
                }
            }
        }
    }

    private void check(PostgresTaskStore store) {
        Map<String, Task> byKey = new HashMap<>();
        TaskQuery query = TaskQuery.all(1_000);
        List<Task> page = store.list(query).tasks();
        while (!page.isEmpty()) {
            for (Task task : page) {
                assertThat(byKey.put(Objects.requireNonNull(task.identity()).key(), task))
                        .isNull();
                assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
            }
            page = store.list(query.after(page.get(page.size() - 1).id())).tasks();
        }
        assertThat(byKey).hasSize(KEYS);
        answered.forEach((key, id) ->
                assertThat(Objects.requireNonNull(byKey.get(key)).id()).isEqualTo(id));
        store.attempts(completed)
                .values()
                .forEach(attempts -> assertThat(
                                attempts.stream().filter(attempt -> attempt.outcome() == Attempt.Outcome.COMPLETED))
                        .hasSize(1));
    }

    private static HikariDataSource pool(PostgresCluster server) {
        HikariConfig config = new HikariConfig();
        PGSimpleDataSource database = server.database();
        database.setConnectTimeout(5);
        database.setSocketTimeout(30);
        config.setDataSource(database);
        config.setMaximumPoolSize(8);
        config.setConnectionTimeout(1_000);
        return new HikariDataSource(config);
    }
}
