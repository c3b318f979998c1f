package dev.semel.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.FailMode;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Outcome;
import dev.semel.guard.OutcomeNotRecorded;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.testservers.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;

/** A Redis server that crashes, loses data, evicts keys, belongs to a cluster, or is also used by other programs. */
@Timeout(60)
class RedisGuardFaultsTest {

    private final AtomicInteger effects = new AtomicInteger();
    private final RedisServer server = RedisServer.start(RedisServer.Version.V7_0);
    private final RedisGuardStore store =
            RedisGuardStore.open(server.uri(), RedisGuardSettings.standard().withTimeout(Duration.ofMillis(500)));

    @AfterEach
    void stop() {
        store.close();
        server.close();
    }

    private Guard guard(FailMode mode) {
        return Guard.on(store).failMode(mode).remember(0).build();
    }

    private int effect(String token) {
        return effects.incrementAndGet();
    }

    @Test
    void aDeadRedisStopsAClosedGuardAndNotAnOpenOne() {
        try (Guard closed = guard(FailMode.CLOSED);
                Guard open = guard(FailMode.OPEN)) {
            closed.once("before", Integer.class, this::effect);
            server.kill();
            assertThatThrownBy(() -> closed.once("k", Integer.class, this::effect))
                    .isInstanceOf(StoreUnavailable.class);
            assertThat(effects).hasValue(1);
            assertThat(open.call("k").outcome(Integer.class, this::effect)).isEqualTo(new Outcome.Unguarded<>(2));
            server.restart();
            assertThat(closed.once("k", Integer.class, this::effect)).isEqualTo(3);
            assertThat(open.once("k", Integer.class, this::effect)).isEqualTo(3);
        }
    }

    @Test
    void aRedisThatDiesDuringTheEffectLeavesTheResultWithAClosedGuardAndReturnsItFromAnOpenOne() {
        try (Guard closed = guard(FailMode.CLOSED);
                Guard open = guard(FailMode.OPEN)) {
            assertThatThrownBy(() -> closed.once("k", Integer.class, token -> {
                        server.kill();
                        return effect(token);
                    }))
                    .isInstanceOfSatisfying(OutcomeNotRecorded.class, e -> {
                        assertThat(e.result()).isEqualTo(1);
                        assertThat(e).hasCauseInstanceOf(StoreUnavailable.class);
                    });
            server.restart();
            assertThat(open.once("k", Integer.class, token -> {
                        server.kill();
                        return effect(token);
                    }))
                    .isEqualTo(2);
        }
    }

    @Test
    void aRedisThatWasRestartedEmptyRefusesTheLateOwner() {
        for (FailMode mode : FailMode.values()) {
            String key = "k-" + mode;
            try (Guard guard = guard(mode)) {
                assertThatThrownBy(() -> guard.once(key, String.class, token -> {
                            server.restart();
                            return "late";
                        }))
                        .isInstanceOfSatisfying(
                                OutcomeNotRecorded.class,
                                e -> assertThat(e.result()).isEqualTo("late"));
                assertThat(guard.find(key)).isEmpty();
                assertThatThrownBy(() -> guard.once(key, String.class, token -> {
                            server.restart();
                            assertThat(guard.once(key, String.class, same -> "successor"))
                                    .isEqualTo("successor");
                            return "late again";
                        }))
                        .isInstanceOf(OutcomeNotRecorded.class);
                assertThat(guard.lookup(key, String.class).orElseThrow().result())
                        .isEqualTo("successor");
            }
        }
    }

    @Test
    void aRedisThatEvictsForgetsAndALateOwnerIsStillRefused() {
        try (RedisServer small = RedisServer.start(
                        RedisServer.Version.V7_0, "--maxmemory 3mb", "--maxmemory-policy allkeys-random");
                RedisGuardStore evicting = RedisGuardStore.open(small.uri());
                Guard guard = Guard.on(evicting).remember(0).build();
                RedisClient client = RedisClient.create(small.uri())) {
            String filler = "x".repeat(50_000);
            assertThatThrownBy(() -> guard.once("k", String.class, token -> {
                        for (int i = 0; client.exists(evicting.name(new GuardKey("default", "k"))); i++) {
                            client.set("filler-" + i, filler);
                        }
                        return "late";
                    }))
                    .isInstanceOf(OutcomeNotRecorded.class);
            assertThat(guard.find("k")).isEmpty();
        }
    }

    @Test
    void aRedisThatIsFullAndDoesNotEvictIsUnavailable() {
        try (RedisServer full = RedisServer.start(RedisServer.Version.V7_0, "--maxmemory 1mb");
                RedisGuardStore there = RedisGuardStore.open(full.uri());
                Guard guard = Guard.on(there).remember(0).build()) {
            assertThatThrownBy(() -> guard.once("k", Integer.class, this::effect))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("OOM");
            assertThat(effects).hasValue(0);
        }
    }

    @Test
    void aServerThatHasLostTheScriptsGetsThemAgain() {
        try (Guard guard = guard(FailMode.CLOSED);
                RedisClient client = RedisClient.create(server.uri())) {
            assertThat(guard.once("k", Integer.class, token -> {
                        client.scriptFlush();
                        return effect(token);
                    }))
                    .isEqualTo(1);
            client.scriptFlush();
            assertThat(guard.once("k", Integer.class, this::effect)).isEqualTo(1);
        }
    }

    @Test
    void aClusterRunsEveryScriptWhereItsKeyIs() {
        try (RedisServer node = RedisServer.start(RedisServer.Version.V7_0, "--cluster-enabled yes")) {
            try (Jedis admin = new Jedis("127.0.0.1", node.port())) {
                admin.clusterAddSlotsRange(0, 16_383);
                while (!admin.clusterInfo().contains("cluster_state:ok")) {
                    Thread.onSpinWait();
                }
            }
            try (RedisClusterClient client =
                            RedisClusterClient.create(Set.of(new HostAndPort("127.0.0.1", node.port())));
                    GuardStore clustered = RedisGuardStore.on(client);
                    Guard guard = Guard.on(clustered).remember(0).build()) {
                for (String key : new String[] {"plain", "{tag}a", "{tag}b", "{", "}{", "{}x", "a{b}c{d}"}) {
                    int ran = guard.once(key, Integer.class, this::effect);
                    assertThat(guard.once(key, Integer.class, this::effect)).isEqualTo(ran);
                    assertThat(guard.lookup(key, Integer.class)).isPresent();
                }
                assertThat(effects).hasValue(7);
            }
        }
    }

    @Test
    void foreignValuesUnderThePrefixAreNeitherReadNorOverwritten() {
        try (Guard guard = guard(FailMode.CLOSED);
                RedisClient client = RedisClient.create(server.uri())) {
            String text = store.name(new GuardKey("default", "text"));
            client.set(text, "not ours");
            String list = store.name(new GuardKey("default", "list"));
            client.lpush(list, "not ours");
            for (String key : new String[] {"text", "list"}) {
                assertThatThrownBy(() -> guard.once(key, Integer.class, this::effect))
                        .isInstanceOf(StoreUnusable.class);
                assertThatThrownBy(() -> guard.find(key)).isInstanceOf(StoreUnusable.class);
            }
            assertThat(client.get(text)).isEqualTo("not ours");
            assertThat(effects).hasValue(0);
        }
    }

    @Test
    void anEntryIsOneKeyWithAnExpiryAndAReadableValue() {
        try (Guard guard = guard(FailMode.CLOSED);
                RedisClient client = RedisClient.create(server.uri())) {
            guard.call("order:create:abc-123").ttl(Duration.ofMinutes(10)).once(String.class, token -> "paid");
            assertThat(client.keys("*")).containsExactly("idempotency:7:default:order:create:abc-123");
            assertThat(client.get("idempotency:7:default:order:create:abc-123"))
                    .matches("1 success [0-9a-f]{32} - \\d+ \\d+ 0 \\d+ =\"paid\"");
            assertThat(client.pttl("idempotency:7:default:order:create:abc-123"))
                    .isBetween(1L, 600_000L);
        }
    }

    @Test
    void wrongArgumentsAreAnsweredAtConstruction() {
        RedisGuardSettings standard = RedisGuardSettings.standard();
        for (String prefix :
                new String[] {null, "", "a", ":", "1:", "a:1:", "a b:", "{a}:", "a::", "é:", "x".repeat(100) + ":"}) {
            assertThatThrownBy(() -> standard.withPrefix(prefix))
                    .as("%s", prefix)
                    .isInstanceOf(InvalidInput.class);
        }
        assertThat(standard.withPrefix("shop:orders/v2:").prefix()).isEqualTo("shop:orders/v2:");
        assertThatThrownBy(() -> standard.withConnections(0)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> standard.withTimeout(null)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> standard.withTimeout(Duration.ZERO)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> standard.withTimeout(Duration.ofDays(30))).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> RedisGuardStore.open(null)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> RedisGuardStore.open(URI.create("redis://x"), null))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> RedisGuardStore.open(URI.create("http:secret")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> RedisGuardStore.on(null)).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aWrongPasswordIsUnusable() {
        try (RedisServer locked = RedisServer.start(RedisServer.Version.V7_0, "--requirepass right");
                RedisGuardStore there =
                        RedisGuardStore.open(URI.create("redis://default:wrong@127.0.0.1:" + locked.port()));
                Guard guard = Guard.on(there).build()) {
            assertThatThrownBy(() -> guard.run("k", token -> effects.incrementAndGet()))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageNotContaining("wrong");
        }
    }
}
