package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.simulation.Simulation;
import dev.semel.storetests.simulation.SimulationReport;
import dev.semel.task.Lease;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulation on a SQLite file that three stores share, two of which have clocks that jump both ways by up to days. */
@Timeout(300)
class SqliteClockSimulationTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void clocksThatDisagreeBreakNoPromise(long seed) {
        SimulationReport report = Simulation.run(seed, clock -> new ManyClocks(seed, clock));
        assertThat(report.violations()).as("seed " + seed).isEmpty();
        assertThat(report.events()).isPositive();
    }

    /** Sends each call through one of the stores, drawn at random. */
    private final class ManyClocks extends ForwardingTaskStore {

        private final SplittableRandom random;
        private final TaskStore right;
        private final List<Wrong> wrong;

        ManyClocks(long seed, ManualClock clock) {
            this(seed, clock, open(seed, clock));
        }

        private ManyClocks(long seed, ManualClock clock, SqliteTaskStore opened) {
            super(opened);
            this.random = new SplittableRandom(seed);
            this.right = opened;
            this.wrong = List.of(new Wrong(seed, clock), new Wrong(seed, clock));
        }

        private TaskStore one() {
            int which = random.nextInt(3);
            if (which == 0) {
                return right;
            }
            // The right one shows that it is at work: otherwise a wrong clock is the only one, and is followed.
            right.settle(List.of(new Settlement.Extend(new Lease(Tasks.id(), 1, 1), Tasks.LEASE)));
            Wrong drawn = wrong.get(which - 1);
            if (random.nextInt(10) == 0) {
                drawn.ahead.set(random.nextLong(-200_000, 200_000));
            }
            return drawn.store;
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            return one().submit(batch);
        }

        @Override
        public Claims claim(ClaimRequest request) {
            return one().claim(request);
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            return one().settle(batch);
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            return one().operate(batch);
        }

        @Override
        public Swept sweep(SweepRequest request) {
            return one().sweep(request);
        }

        /** Hints come on threads of the store's own, which the simulation has none of; workers look by themselves. */
        @Override
        public Registration listen(StoreListener listener) {
            return () -> {};
        }

        @Override
        public void close() {
            wrong.forEach(one -> one.store.close());
            super.close();
        }
    }

    private final class Wrong {

        private final AtomicLong ahead = new AtomicLong();
        private final TaskStore store;

        Wrong(long seed, ManualClock clock) {
            store = SqliteTaskStore.open(
                    file(seed),
                    SqliteSettings.standard()
                            .withClock(() -> clock.instant().plus(Duration.ofSeconds(ahead.get())))
                            .withElapsed(clock));
        }
    }

    private SqliteTaskStore open(long seed, ManualClock clock) {
        return SqliteTaskStore.open(
                file(seed), SqliteSettings.standard().withClock(clock).withElapsed(clock));
    }

    private Path file(long seed) {
        return directory.resolve("seed-" + seed + ".db");
    }
}
