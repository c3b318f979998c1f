package dev.semel.redis;

import dev.semel.guard.GuardStore;
import dev.semel.storetests.GuardStoreContract;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.RedisServer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** The contract of every guard store, on real servers of two versions. Each test has its own prefix. */
@Timeout(120)
class RedisGuardStoreContractTest {

    private static RedisServer oldest;
    private static RedisServer newer;

    @BeforeAll
    static void start() {
        oldest = RedisServer.start(RedisServer.Version.V6_2);
        newer = RedisServer.start(RedisServer.Version.V7_0);
    }

    @AfterAll
    static void stop() {
        oldest.close();
        newer.close();
    }

    abstract static class OnAServer extends GuardStoreContract {

        private String prefix = "";

        abstract RedisServer server();

        @Override
        protected GuardStore open(InstantSource clock) {
            prefix = "test-" + UUID.randomUUID() + ":";
            return openAnother();
        }

        @Override
        protected GuardStore openAnother() {
            return RedisGuardStore.open(
                    server().uri(), RedisGuardSettings.standard().withPrefix(prefix));
        }

        /** Waits until the server's clock, which is that of this machine, has moved on. */
        @Override
        protected void pass(ManualClock clock, Duration time) {
            long until = System.currentTimeMillis() + time.toMillis() + 1;
            while (System.currentTimeMillis() < until) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Nested
    class OnRedis62 extends OnAServer {
        @Override
        RedisServer server() {
            return oldest;
        }
    }

    @Nested
    class OnRedis70 extends OnAServer {
        @Override
        RedisServer server() {
            return newer;
        }
    }
}
