package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.storetests.Tasks;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;

/** What a claim costs and whose turn it is, where there is much in the store. */
@Timeout(120)
class SqliteClaimsTest {

    private static final Duration SHORT = Duration.ofMillis(1);

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private SqliteTaskStore store;

    @BeforeEach
    void open() {
        store = SqliteTaskStore.open(
                directory.resolve("semel.db"),
                SqliteSettings.standard().withClock(clock).withElapsed(clock));
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Counted in steps of SQLite's machine, because time is not the same twice. */
    @Test
    void aClaimCostsTheSameWhateverElseIsStored() {
        submit(100, "default", Tasks.TYPE);
        long alone = stepsOf(Tasks.request(10, 0));

        // A thousand tasks of the same lane whose worker has died, and which this claim may not take.
        submit(1_000, "default", Tasks.TYPE);
        store.claim(Tasks.request(2_000));
        clock.advance(Tasks.LEASE.plusSeconds(1));
        submit(100, "default", Tasks.TYPE);
        assertThat(stepsOf(Tasks.request(10, 0))).isLessThan(3 * alone);

        // Three thousand lanes of the same queue that have been worked off, and as many that wait for their time.
        for (int i = 0; i < 3_000; i++) {
            submit(1, "tenant-" + i, "type");
        }
        Claims claims = store.claim(Tasks.request(10_000, 0));
        while (!claims.tasks().isEmpty()) {
            List<Settlement> ends = new ArrayList<>();
            claims.tasks().forEach(claimed -> {
                boolean retried = ends.size() % 2 == 0;
                ends.add(
                        retried
                                ? new Settlement.Retry(claimed.lease(), Duration.ofDays(1), "later")
                                : new Settlement.Complete(claimed.lease(), null));
            });
            store.settle(ends);
            claims = store.claim(Tasks.request(10_000, 0));
        }
        submit(100, "default", Tasks.TYPE);
        assertThat(stepsOf(Tasks.request(10, 0))).isLessThan(3 * alone);
    }

    @Test
    void moreTenantsThanAClaimLooksAtAreAllServedInTurn() {
        int tenants = 1_200;
        for (int round = 0; round < 2; round++) {
            List<NewTask> batch = new ArrayList<>();
            for (int i = 0; i < tenants; i++) {
                batch.add(Tasks.of("tenant-" + i, Tasks.QUEUE, Tasks.TYPE));
            }
            store.submit(batch);
        }
        Set<String> served = new HashSet<>();
        for (int i = 0; i < 12; i++) {
            clock.advance(Duration.ofMillis(1));
            Claims claims = store.claim(Tasks.request(100));
            assertThat(claims.tasks()).hasSize(100);
            assertThat(claims.nextDue()).isEqualTo(Duration.ZERO);
            claims.tasks().forEach(claimed -> served.add(claimed.task().tenant()));
        }
        assertThat(served).hasSize(tenants);
    }

    @Test
    void manyQueuesAreAllServedInTurnAndFoundEmptyInTheEnd() {
        // One by one, a claim from so many queues took a quarter of a second, and six times that once all were empty.
        Set<String> queues = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            queues.add("queue-" + i);
        }
        for (int round = 0; round < 2; round++) {
            List<NewTask> batch = new ArrayList<>();
            for (String queue : queues) {
                batch.add(Tasks.of("default", queue, Tasks.TYPE));
                if (batch.size() == 1_000) {
                    store.submit(batch);
                    batch.clear();
                }
            }
        }
        Set<String> served = new HashSet<>();
        for (int claim = 1; claim <= 10; claim++) {
            clock.advance(Duration.ofMillis(1));
            served.addAll(claimAndComplete(claim, queues));
        }
        assertThat(served).hasSizeGreaterThan(9_000);
        int left = 20_000 - 10 * 1_000;
        for (int claim = 11; left > 0; claim++) {
            clock.advance(Duration.ofMillis(1));
            left -= claimAndComplete(claim, queues).size();
        }
        Claims none = store.claim(manyQueues(1_000, queues));
        assertThat(none.tasks()).isEmpty();
        // A claim corrects some wake times only, so the next task may be announced too early, and never as due now.
        assertThat(none.nextDue()).isNotEqualTo(Duration.ZERO);
        NewTask later = Tasks.of("default", "queue-77", Tasks.TYPE);
        store.submit(List.of(later));
        assertThat(Tasks.idsOf(store.claim(manyQueues(1_001, queues)))).containsExactly(later.id());
    }

    private static ClaimRequest manyQueues(long claim, Set<String> queues) {
        return new ClaimRequest(claim, false, queues, null, 1_000, 10, Duration.ofSeconds(30), "worker");
    }

    private List<String> claimAndComplete(long claim, Set<String> queues) {
        Claims claims = store.claim(manyQueues(claim, queues));
        assertThat(claims.tasks()).hasSize(1_000);
        List<Settlement> ends = new ArrayList<>();
        claims.tasks().forEach(claimed -> ends.add(new Settlement.Complete(claimed.lease(), null)));
        store.settle(ends);
        return claims.tasks().stream().map(claimed -> claimed.task().queue()).toList();
    }

    @Test
    void aQueueThatIsHeldBackTakesNoPlaceOfOthersAmongMany() {
        Set<String> queues = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            queues.add("queue-" + i);
            store.submit(List.of(Tasks.of("default", "queue-" + i, Tasks.TYPE)));
        }
        for (int i = 0; i < 99; i++) {
            store.operate(List.of(new Operation.SetQueue(
                    "queue-" + i, QueueSettings.builder().paused(true).build())));
        }
        Claims claims = store.claim(new ClaimRequest(1, false, queues, null, 1, 1, Duration.ofSeconds(30), "worker"));
        assertThat(claims.tasks()).hasSize(1);
        assertThat(claims.tasks().getFirst().task().queue()).isEqualTo("queue-99");
    }

    @Test
    void thousandsOfQueuesAreDeclaredInTimeThatGrowsWithTheirNumber() {
        // Read again after each change, 4,000 took 24 s; 20,000 would take ten minutes.
        QueueSettings settings = QueueSettings.builder().concurrency(3).build();
        for (int from = 0; from < 20_000; from += 1_000) {
            List<Operation> batch = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                batch.add(new Operation.DeclareQueue("queue-" + (from + i), settings));
            }
            assertThat(store.operate(batch)).containsOnly(Operated.APPLIED);
        }
        assertThat(store.queues()).hasSize(20_000);
    }

    @Test
    void lanesThatAnotherProcessMadeAreSeen() {
        try (SqliteTaskStore other = SqliteTaskStore.open(
                store.file(), SqliteSettings.standard().withClock(clock).withElapsed(clock))) {
            store.submit(List.of(Tasks.of("a", Tasks.QUEUE, "known")));
            store.claim(Tasks.request(10));
            NewTask foreign = Tasks.of("b", Tasks.QUEUE, "new");
            other.submit(List.of(foreign));
            assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(foreign.id());
        }
    }

    @Test
    void aClaimDoesNotReadTheTimeLimitsOfOtherLanes() {
        submit(100, "default", Tasks.TYPE);
        long alone = stepsOf(Tasks.request(10));
        submitLimited(3_000, "other", "elsewhere");
        clock.advance(SHORT);
        assertThat(stepsOf(Tasks.request(10))).isLessThan(2 * alone);
    }

    @Test
    void aClaimEndsABoundedNumberOfOverdueTasksAndGivesOutTheTasksOfOtherTenants() {
        for (int i = 0; i < 20; i++) {
            submitLimited(50, "tenant-" + i, Tasks.QUEUE);
        }
        clock.advance(SHORT);
        submit(1, "default", Tasks.TYPE);
        assertThat(store.claim(Tasks.request(10)).tasks())
                .extracting(claimed -> claimed.task().tenant())
                .containsExactly("default");
        assertThat(dead()).isEqualTo(500);
        store.sweep(SweepRequest.ofVanished());
        assertThat(dead()).isEqualTo(1_000);
    }

    private long dead() {
        return store.depths().values().stream().mapToLong(QueueDepth::dead).sum();
    }

    private void submitLimited(int number, String tenant, String queue) {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            batch.add(new NewTask(
                    Tasks.id(),
                    tenant,
                    queue,
                    Tasks.TYPE,
                    "{}",
                    NewTask.Start.now(),
                    TaskOptions.NONE.withLimits(TimeLimits.of(null, SHORT)),
                    null));
        }
        store.submit(batch);
    }

    private void submit(int number, String tenant, String type) {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            batch.add(Tasks.of(tenant, Tasks.QUEUE, type));
        }
        store.submit(batch);
    }

    private long stepsOf(ClaimRequest request) {
        AtomicLong steps = new AtomicLong();
        store.writer().ask(1, tx -> {
            ProgressHandler.setHandler(tx.session().connection(), 10, new ProgressHandler() {
                @Override
                protected int progress() {
                    steps.addAndGet(10);
                    return 0;
                }
            });
            return true;
        });
        assertThat(store.claim(request).tasks()).hasSize(request.limit());
        long counted = steps.get();
        store.writer().ask(1, tx -> {
            ProgressHandler.clearHandler(tx.session().connection());
            return true;
        });
        return counted;
    }
}
