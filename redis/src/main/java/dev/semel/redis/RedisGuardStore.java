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
import dev.semel.task.StoreUnusable;
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
 * <p>An entry is one string with an expiry; every operation is one script on that key. Leases and expiry use the
 * server's clock. Durability depends on the server: without persistence a restart loses all entries, and a server that
 * evicts keys loses them earlier.
 */
public final class RedisGuardStore implements GuardStore {

    private static final RedisScript BEGIN = RedisScript.of("begin.lua");
    private static final RedisScript SETTLE = RedisScript.of("settle.lua");

    private final UnifiedJedis redis;
    private final boolean ownsClient;
    private final String prefix;
    private volatile boolean closed;

    private RedisGuardStore(UnifiedJedis redis, boolean ownsClient, RedisGuardSettings settings) {
        this.redis = redis;
        this.ownsClient = ownsClient;
        this.prefix = settings.prefix();
    }

    /**
     * Creates a store with its own client, which connects on first use.
     *
     * @param uri the address of Redis, for example {@code redis://user:password@host:6379/0}, or {@code rediss:} for
     *     TLS
     * @return the store; closing it closes the client
     */
    public static RedisGuardStore open(URI uri) {
        return open(uri, RedisGuardSettings.standard());
    }

    /**
     * Creates a store with its own client, which connects on first use.
     *
     * @param uri the address of Redis
     * @param settings how the store behaves
     * @return the store; closing it closes the client
     */
    public static RedisGuardStore open(URI uri, RedisGuardSettings settings) {
        int millis = Math.toIntExact(given("settings", settings).timeout().toMillis());
        if (!JedisURIHelper.isValid(given("URI", uri)) || !isRedis(uri)) {
            // The URI is not shown, because it may contain a password.
            throw new InvalidInput("The Redis URI is not valid (not shown, because it may contain a password). Write,"
                    + " for example, \"redis://host:6379\" or \"rediss://host:6379\".");
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
     * Creates a store on the caller's client, for example a cluster client.
     *
     * @param client the client; it is not closed with the store
     * @return the store
     */
    public static RedisGuardStore on(UnifiedJedis client) {
        return on(client, RedisGuardSettings.standard());
    }

    /**
     * Creates a store on the caller's client.
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
            return notEntered(RedisValue.parse(hold.key(), name, (String) found.get(0)), hold, now);
        }
        return new Begun.Entered(answer.equals(1L));
    }

    private static Begun notEntered(GuardEntry entry, Hold hold, Instant now) {
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
        return asked(() -> Optional.ofNullable(redis.get(name)).map(value -> RedisValue.parse(key, name, value)));
    }

    /** Removes nothing, because Redis removes expired entries itself. */
    @Override
    public int sweep(int limit) {
        GuardStore.checkSweep(limit);
        requireOpen();
        return 0;
    }

    /** Closes the store, and the client if the store created it. */
    @Override
    public void close() {
        closed = true;
        if (ownsClient) {
            redis.close();
        }
    }

    /**
     * Returns the Redis key of an entry: the prefix, the length of the tenant, the tenant and the key, separated by
     * colons. The length makes it unambiguous, although tenants and keys may contain colons.
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

    private <T> T asked(Supplier<T> command) {
        requireOpen();
        try {
            return command.get();
        } catch (JedisException | IllegalStateException e) {
            // A client that was closed meanwhile reports that in several ways.
            requireOpen();
            throw e instanceof JedisException failed ? RedisErrors.translated(failed) : e;
        }
    }

    private void requireOpen() {
        if (closed) {
            throw StoreUnusable.closed("The guard store on Redis");
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
