package dev.semel.redis;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisURIHelper;

/**
 * A guard store on Redis 6.2 or later, or Valkey; one server or a cluster.
 *
 * <p>An entry is one string with an expiry; every operation is one script on that one key. Leases and expiry go by the
 * server's clock. Redis keeps what it is told to keep: without persistence a restart forgets what has happened, and a
 * server that evicts forgets it sooner.
 */
public final class RedisGuardStore implements GuardStore {

    private static final RedisScript BEGIN = RedisScript.of("begin.lua");
    private static final RedisScript SETTLE = RedisScript.of("settle.lua");

    private final UnifiedJedis redis;
    private final boolean ownsClient;
    private final String prefix;

    private RedisGuardStore(UnifiedJedis redis, boolean ownsClient, RedisGuardSettings settings) {
        this.redis = redis;
        this.ownsClient = ownsClient;
        this.prefix = settings.prefix();
    }

    /**
     * Makes a store with a client of its own. It does not connect before it is used.
     *
     * @param uri where Redis is, for example {@code redis://user:password@host:6379/0}, or {@code rediss:} for TLS
     * @return the store; closing it closes the client
     */
    public static RedisGuardStore open(URI uri) {
        return open(uri, RedisGuardSettings.standard());
    }

    /**
     * Makes a store with a client of its own. It does not connect before it is used.
     *
     * @param uri where Redis is
     * @param settings how the store behaves
     * @return the store; closing it closes the client
     */
    public static RedisGuardStore open(URI uri, RedisGuardSettings settings) {
        int millis = Math.toIntExact(given("settings", settings).timeout().toMillis());
        if (!JedisURIHelper.isValid(given("URI", uri)) || !isRedis(uri)) {
            // The URI is not repeated: it may hold a password.
            throw new InvalidInput("A Redis URI looks like \"redis://host:6379\" or \"rediss://host:6379\", but got"
                    + " something else.");
        }
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(settings.connections());
        pool.setMaxIdle(settings.connections());
        pool.setMaxWait(settings.timeout());
        UnifiedJedis client = RedisClient.builder()
                .hostAndPort(JedisURIHelper.getHostAndPort(uri))
                .clientConfig(DefaultJedisClientConfig.builder(uri)
                        .connectionTimeoutMillis(millis)
                        .socketTimeoutMillis(millis)
                        .build())
                .poolConfig(pool)
                .build();
        return new RedisGuardStore(client, true, settings);
    }

    /**
     * Makes a store on a client of the caller's own, for example one for a cluster.
     *
     * @param client the client; it is not closed with the store
     * @return the store
     */
    public static RedisGuardStore on(UnifiedJedis client) {
        return on(client, RedisGuardSettings.standard());
    }

    /**
     * Makes a store on a client of the caller's own.
     *
     * @param client the client; it is not closed with the store
     * @param settings how the store behaves
     * @return the store
     */
    public static RedisGuardStore on(UnifiedJedis client, RedisGuardSettings settings) {
        return new RedisGuardStore(given("client", client), false, given("settings", settings));
    }

    @Override
    public Begun begin(Hold hold) {
        String name = name(hold.key());
        Object answer = asked(() -> BEGIN.run(
                redis,
                name,
                hold.owner().hex(),
                RedisValue.argument(hold.payload()),
                millis(hold.lease()),
                millis(hold.ttl())));
        if (answer instanceof List<?> found) {
            Instant now = Instant.ofEpochMilli((Long) found.get(1));
            return told(RedisValue.parse(hold.key(), name, (String) found.get(0)), hold, now);
        }
        return new Begun.Entered(answer.equals(1L));
    }

    private static Begun told(GuardEntry entry, Hold hold, Instant now) {
        InputHash existing = entry.payload();
        if (existing != null && hold.payload() != null && !existing.equals(hold.payload())) {
            return new Begun.Conflicted(existing);
        }
        return entry.state() == GuardState.SUCCESS
                ? new Begun.Done(entry.result(), existing, entry.changedAt(), Duration.between(now, entry.expiresAt()))
                : new Begun.Busy(Duration.between(now, entry.leaseUntil()));
    }

    @Override
    public Settled renew(Hold hold) {
        return settle(hold, GuardState.IN_PROGRESS, null);
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return settle(hold, GuardState.SUCCESS, result);
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return settle(hold, GuardState.FAILURE, error);
    }

    private Settled settle(Hold hold, GuardState state, @Nullable String text) {
        Object answer = asked(() -> SETTLE.run(
                redis,
                name(hold.key()),
                hold.owner().hex(),
                state.word(),
                millis(hold.lease()),
                millis(hold.ttl()),
                RedisValue.argument(text)));
        return answer.equals(1L) ? Settled.APPLIED : Settled.STALE;
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        String name = name(key);
        try {
            return Optional.ofNullable(redis.get(name)).map(value -> RedisValue.parse(key, name, value));
        } catch (JedisException e) {
            throw RedisErrors.translated(e);
        }
    }

    /** Removes nothing: Redis drops what has expired by itself. */
    @Override
    public int sweep(int limit) {
        GuardStore.checkSweep(limit);
        return 0;
    }

    /** Closes the client, if it is the store's own. */
    @Override
    public void close() {
        if (ownsClient) {
            redis.close();
        }
    }

    /**
     * The Redis key of an entry: the prefix, the length of the tenant, the tenant and the key, with colons between them.
     * The length makes it unambiguous, although tenants and keys may have colons themselves.
     *
     * @param key the tenant and the key
     * @return for example {@code idempotency:7:default:order-123}
     */
    public String name(GuardKey key) {
        return prefix + key.tenant().length() + ":" + key.tenant() + ":" + key.key();
    }

    private static boolean isRedis(URI uri) {
        return JedisURIHelper.isRedisScheme(uri) || JedisURIHelper.isRedisSSLScheme(uri);
    }

    private static Object asked(Supplier<Object> script) {
        try {
            return script.get();
        } catch (JedisException e) {
            throw RedisErrors.translated(e);
        }
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }

    private static <T> T given(String what, @Nullable T value) {
        if (value == null) {
            throw new InvalidInput("A Redis guard store needs a " + what + ", but got null.");
        }
        return value;
    }
}
