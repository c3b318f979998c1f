package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.store.ClaimRequest;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.FaultyWire;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.Tasks;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** A network that says nothing any more, and one that is slow. */
@Timeout(180)
class PostgresSilenceTest {

    private static final Duration LIMIT = Duration.ofSeconds(1);
    // A claim may wait for locks, for ten seconds; and the machine may be busy.
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final TaskType<Integer, Integer> WORK = TaskType.builder(Tasks.TYPE, Integer.class, Integer.class)
            .queue(Tasks.QUEUE)
            .build();

    private PGSimpleDataSource database;
    private FaultyWire wire;

    @BeforeEach
    void connect() {
        database = PostgresServer.freshDatabase();
        wire = FaultyWire.to(database.getPortNumbers()[0]);
    }

    @AfterEach
    void disconnect() {
        wire.close();
    }

    private PostgresTaskStore wired(int connections) {
        PGSimpleDataSource source = PostgresWireTest.through(wire, database);
        // How long it takes to connect is the data source's own affair.
        source.setLoginTimeout(2);
        return PostgresTaskStore.open(
                new FewConnections(source, connections),
                PostgresSettings.standard().withHints(false).withAnswerLimit(LIMIT));
    }

    private PostgresTaskStore calm() {
        return PostgresTaskStore.open(
                new FewConnections(database, 2), PostgresSettings.standard().withHints(false));
    }

    private String url() {
        return "postgresql://postgres@127.0.0.1:" + wire.port() + "/" + database.getDatabaseName();
    }

    @Test
    void everyCallOnAForgottenConnectionEndsAndTheNextOneWorks() throws Exception {
        try (PostgresTaskStore store = wired(5);
                ExecutorService threads = Executors.newFixedThreadPool(5)) {
            store.submit(List.of(Tasks.plain(), Tasks.plain()));
            List<Settlement> moves = new ArrayList<>();
            store.claim(Tasks.request(1))
                    .tasks()
                    .forEach(claimed -> moves.add(new Settlement.Complete(claimed.lease(), "1")));
            NewTask task = Tasks.keyed("a", "{}");
            ClaimRequest request = Tasks.request(1);
            Map<String, Runnable> calls = new LinkedHashMap<>();
            calls.put("submit", () -> store.submit(List.of(task)));
            calls.put("settle", () -> store.settle(moves));
            calls.put("find", () -> store.find(List.of(task.id())));
            calls.put("records", () -> store.record(Tasks.identity("a")));
            calls.put("claim", () -> store.claim(request));
            connectAll(store, threads, calls.size());
            wire.forget();
            List<Future<?>> all = new ArrayList<>();
            calls.forEach((name, call) -> all.add(threads.submit(() -> assertEnds(name, call))));
            for (Future<?> each : all) {
                each.get();
            }
            assertThat(store.submit(List.of(task))).allMatch(Submitted.Created.class::isInstance);
            assertThat(store.settle(moves)).hasSize(1);
            assertThat(store.claim(request.again()).tasks()).hasSize(1);
            assertThat(Tasks.stored(store)).hasSize(3);
            StoreInvariants.check(store);
        }
    }

    private static void assertEnds(String name, Runnable call) {
        long begun = System.nanoTime();
        assertThatThrownBy(call::run).as(name).isInstanceOf(StoreUnavailable.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(name).isBetween(LIMIT, BOUND);
    }

    /** Makes so many connections stand: as many calls at the same time, each kept until all have begun. */
    private void connectAll(PostgresTaskStore store, ExecutorService threads, int number) throws Exception {
        wire.silence();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            all.add(threads.submit(() -> store.find(List.of(Tasks.id()))));
        }
        await().until(() -> wire.connections() >= number);
        wire.heal();
        for (Future<?> each : all) {
            each.get();
        }
    }

    @Test
    void aStoreThatIsOpenedByAUrlGetsOverForgottenConnections() {
        try (PostgresTaskStore store =
                PostgresTaskStore.open(url(), PostgresSettings.standard().withAnswerLimit(LIMIT))) {
            NewTask task = Tasks.keyed("a", "{}");
            store.submit(List.of(Tasks.plain()));
            wire.forget();
            await().atMost(BOUND)
                    .pollInSameThread()
                    .ignoreException(StoreUnavailable.class)
                    .until(() -> store.submit(List.of(task)).getFirst() instanceof Submitted.Created);
            assertThat(Tasks.stored(store)).hasSize(2);
        }
    }

    @Test
    void aStoreThatIsOpenedInSilenceSaysSo() {
        calm().close();
        wire.silence();
        PostgresSettings settings = PostgresSettings.standard().withAnswerLimit(LIMIT);
        long begun = System.nanoTime();
        assertThatThrownBy(() -> PostgresTaskStore.open(url(), settings)).isInstanceOf(StoreUnavailable.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(BOUND);
        assertThatThrownBy(() -> PostgresSchema.version(url() + "?socketTimeout=1"))
                .isInstanceOf(StoreUnavailable.class);
    }

    @Test
    void theUrlsOwnLimitGoesBeforeTheSettings() {
        try (PostgresTaskStore store = PostgresTaskStore.open(
                url() + "?socketTimeout=1", PostgresSettings.standard().withHints(false))) {
            store.submit(List.of(Tasks.plain()));
            wire.forget();
            assertEnds("submit", () -> store.submit(List.of(Tasks.plain())));
        }
    }

    @Test
    void whatMayReadWholeTablesGetsMoreTimeAndAConnectionGoesBackAsItCame() throws Exception {
        List<Integer> limits = new ArrayList<>();
        try (PostgresTaskStore store = PostgresTaskStore.open(
                noting(limits), PostgresSettings.standard().withHints(false).withAnswerLimit(Duration.ofSeconds(20)))) {
            int thorough = (int) TimeUnit.MINUTES.toMillis(5);
            assertThat(limits)
                    .as("the check of a new connection, then the tables")
                    .containsExactly(20_000, 0, thorough, 0);
            limits.clear();
            store.find(List.of(Tasks.id()));
            store.depths();
            store.list(TaskQuery.all(1));
            assertThat(limits).containsExactly(20_000, 0, thorough, 0, thorough, 0);
            limits.clear();
            store.submit(List.of());
            store.claim(Tasks.request(1));
            assertThat(limits).containsExactly(30_000, 0);
        }
    }

    @Test
    void aLimitThatCannotBeOneIsRefused() {
        assertThatThrownBy(() -> PostgresSettings.standard().withAnswerLimit(Duration.ofMillis(999)))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("1 second to 1 day");
        assertThatThrownBy(() -> PostgresSettings.standard().withAnswerLimit(Duration.ofDays(2)))
                .isInstanceOf(InvalidInput.class);
    }

    /** Connections that note the limits that are set on them. */
    private FewConnections noting(List<Integer> limits) {
        return new FewConnections(database, 2) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection real = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        PostgresSilenceTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("setNetworkTimeout")) {
                                limits.add((Integer) arguments[1]);
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }

    @Test
    void hintsAreHeardAgainAfterTheListeningConnectionWasForgotten() throws SQLException {
        AtomicInteger heard = new AtomicInteger();
        try (PostgresTaskStore store = PostgresTaskStore.open(
                        url(), PostgresSettings.standard().withAnswerLimit(LIMIT));
                PostgresTaskStore other = PostgresTaskStore.open(new FewConnections(database, 3))) {
            store.listen(new StoreListener() {
                @Override
                public void tasksMayBeDue(Collection<String> queues) {
                    heard.incrementAndGet();
                }

                @Override
                public void tasksMayHaveEnded(Collection<TaskId> ids) {}
            });
            awaitHint(heard, other);
            wire.forget();
            awaitHint(heard, other);
        }
    }

    private static void awaitHint(AtomicInteger heard, TaskStore other) {
        heard.set(0);
        await().atMost(BOUND).until(() -> {
            other.submit(List.of(Tasks.plain()));
            return heard.get() > 0;
        });
    }

    @Test
    void onASlowNetworkAWorkerKeepsItsLeases() {
        Duration lease = Duration.ofSeconds(4);
        CountDownLatch release = new CountDownLatch(1);
        try (PostgresTaskStore calm = calm();
                Semel semel = Semel.on(wired(4)).build()) {
            List<TaskId> ids = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                ids.add(semel.submit(WORK, i).send().taskId());
            }
            // A call has some five round trips: a fifth of a second each.
            wire.delay(Duration.ofMillis(20));
            semel.worker(Tasks.QUEUE)
                    .lease(lease)
                    .handle(WORK, (context, number) -> {
                        release.await();
                        return number;
                    })
                    .start();
            await().atMost(BOUND).until(() -> all(calm, ids, TaskState.RUNNING));
            Instant enough = Instant.now().plus(lease.multipliedBy(3));
            await().atMost(BOUND)
                    .until(() -> calm.find(ids).values().stream()
                            .allMatch(task -> task.progress().dueAt().isAfter(enough)));
            release.countDown();
            await().atMost(BOUND).until(() -> all(calm, ids, TaskState.COMPLETED));
            assertThat(calm.find(ids).values())
                    .allMatch(task -> task.progress().attempt() == 1)
                    .hasSize(8);
        }
    }

    private static boolean all(TaskStore store, List<TaskId> ids, TaskState state) {
        Collection<Task> found = store.find(ids).values();
        return found.size() == ids.size() && found.stream().allMatch(task -> task.state() == state);
    }

    @Test
    void aWorkerGoesOnThroughCutsAndSilence() {
        Set<TaskId> ran = new ConcurrentSkipListSet<>();
        try (PostgresTaskStore calm = calm();
                Semel semel = Semel.on(wired(6)).build()) {
            List<NewTask> batch = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                batch.add(Tasks.withInput(Integer.toString(i)));
            }
            calm.submit(batch);
            List<TaskId> ids = batch.stream().map(NewTask::id).toList();
            semel.worker(Tasks.QUEUE)
                    .concurrency(4)
                    .prefetch(16)
                    .handle(WORK, (context, number) -> {
                        assertThat(ran.add(context.taskId())).isTrue();
                        return number;
                    })
                    .start();
            for (int cut = 1; cut <= 3; cut++) {
                int some = cut * 100;
                await().atMost(BOUND).until(() -> ran.size() >= some);
                wire.cut();
            }
            wire.silence();
            // Connections that were cut before are found out at once, the others after a while.
            await().atMost(BOUND).until(() -> {
                long begun = System.nanoTime();
                assertThatThrownBy(() -> semel.submit(WORK, 600).send()).isInstanceOf(StoreUnavailable.class);
                return System.nanoTime() - begun >= LIMIT.toNanos();
            });
            wire.heal();
            await().atMost(BOUND).until(() -> all(calm, ids, TaskState.COMPLETED));
            assertThat(calm.find(ids).values())
                    .allMatch(task -> task.progress().attempt() == 1)
                    .allMatch(task -> task.input().equals(task.progress().result()));
        }
    }
}
