package dev.semel.redis;

import dev.semel.guard.GuardStore;
import dev.semel.storetests.GuardProcessContract;
import dev.semel.testservers.RedisServer;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Several processes on one Redis. */
class RedisGuardProcessTest extends GuardProcessContract {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisServer.Version.V7_0);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Takes a URI and a prefix, with a space between them. */
    public static final class ByUri implements Opener {
        @Override
        public GuardStore open(String address) {
            String[] parts = address.split(" ", 2);
            return RedisGuardStore.open(
                    URI.create(parts[0]), RedisGuardSettings.standard().withPrefix(parts[1]));
        }
    }

    @Override
    protected Class<? extends Opener> opener() {
        return ByUri.class;
    }

    @Override
    protected String freshAddress() {
        return server.uri() + " test-" + UUID.randomUUID() + ":";
    }
}
