package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Transition;
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
            List<Transition> ends = new ArrayList<>();
            claims.tasks().forEach(claimed -> {
                boolean retried = ends.size() % 2 == 0;
                ends.add(
                        retried
                                ? new Transition.Retry(claimed.lease(), Duration.ofDays(1), "later")
                                : new Transition.Complete(claimed.lease(), null));
            });
            store.apply(ends);
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

    private void submit(int number, String tenant, String type) {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            batch.add(Tasks.of(tenant, Tasks.QUEUE, type));
        }
        store.submit(batch);
    }

    private long stepsOf(ClaimRequest request) {
        AtomicLong steps = new AtomicLong();
        store.writer().ask(1, false, (tx, session) -> {
            ProgressHandler.setHandler(session.connection(), 10, new ProgressHandler() {
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
        store.writer().ask(1, false, (tx, session) -> {
            ProgressHandler.clearHandler(session.connection());
            return true;
        });
        return counted;
    }
}
