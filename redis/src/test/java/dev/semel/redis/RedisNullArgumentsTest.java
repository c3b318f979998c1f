package dev.semel.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.architecture.NullArguments;
import dev.semel.task.InvalidInput;
import java.net.URI;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/** A null is reported where it is passed. */
class RedisNullArgumentsTest {

    @Test
    void aNullIsReportedWhereItIsPassed() {
        try (RedisClient client = RedisClient.create("redis://127.0.0.1:1")) {
            NullArguments checked = new NullArguments(InvalidInput.class)
                    .sample(URI.class, URI.create("redis://127.0.0.1:1"))
                    .sample(UnifiedJedis.class, client)
                    .sample(String.class, "idempotency:")
                    .sample(RedisGuardSettings.class, RedisGuardSettings.standard())
                    .statics(RedisGuardStore.class, RedisGuardSettings.class)
                    .instances(RedisGuardSettings.standard());
            assertThat(checked.wrong()).isEmpty();
            assertThat(checked.passed()).isGreaterThan(8);
        }
    }
}
