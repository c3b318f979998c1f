package dev.semel.s3;

import dev.semel.guard.GuardStore;
import dev.semel.s3.objects.FaultPlan;
import dev.semel.s3.objects.FaultyNetwork;
import dev.semel.s3.objects.InMemoryObjects;
import dev.semel.s3.objects.RetrySettings;
import dev.semel.s3.objects.RetryingObjectStore;
import dev.semel.storetests.GuardStoreContract;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.S3Server;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** The contract of every guard store: in memory, with faults of several seeds, and on a real server. */
@Timeout(180)
class S3GuardStoreContractTest {

    private static final AtomicLong SEED = new AtomicLong();

    abstract static class InMemory extends GuardStoreContract {

        private InstantSource clock = InstantSource.system();
        private FaultyNetwork network = new FaultyNetwork(new InMemoryObjects(clock), 0);

        abstract FaultPlan plan();

        @Override
        protected GuardStore open(InstantSource given) {
            clock = given;
            network = new FaultyNetwork(new InMemoryObjects(given), SEED.getAndIncrement());
            return openAnother();
        }

        @Override
        protected GuardStore openAnother() {
            return S3GuardStore.on(
                    RetryingObjectStore.on(network.connect(plan()), RetrySettings.withoutPauses()), clock);
        }
    }

    @Nested
    class WithoutFaults extends InMemory {
        @Override
        FaultPlan plan() {
            return FaultPlan.calm();
        }
    }

    @Nested
    class WithSomeFaults extends InMemory {
        @Override
        FaultPlan plan() {
            return FaultPlan.seeded(SEED.getAndIncrement(), 0.2);
        }
    }

    @Nested
    class WithManyFaults extends InMemory {
        @Override
        FaultPlan plan() {
            return FaultPlan.seeded(SEED.getAndIncrement(), 0.6);
        }
    }

    @Nested
    class OnAServer extends GuardStoreContract {

        private static S3Server server;
        private String prefix = "";

        @BeforeAll
        static void start() {
            server = S3Server.start();
        }

        @AfterAll
        static void stop() {
            server.close();
        }

        @Override
        protected GuardStore open(InstantSource clock) {
            prefix = "test-" + UUID.randomUUID();
            return openAnother();
        }

        @Override
        protected GuardStore openAnother() {
            S3Settings settings = RealServer.settings(server, prefix);
            return S3GuardStore.on(settings.objects(), settings.clock());
        }

        /** Waits until the clock of this machine, on which the server runs, has moved on. */
        @Override
        protected void pass(ManualClock clock, Duration time) {
            long until = System.currentTimeMillis() + time.toMillis() + 1;
            while (System.currentTimeMillis() < until) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }
}
