package dev.semel.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.guard.GuardStore;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.postgresql.PostgresGuardStore;
import dev.semel.redis.RedisGuardStore;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.testservers.PostgresServer;
import dev.semel.testservers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * A storage on which guards are measured: the store, and hand-written code with its plain commands. The hand-written
 * code takes a lock if it is free, and then overwrites it with the result. It has no owner, no renewal and no
 * comparison, so it shows the cost of the storage, but is not a correct guard.
 */
abstract class GuardStorage implements AutoCloseable {

    static final int CONNECTIONS = 64;
    private static final long LEASE_MILLIS = 30_000;
    private static final long TTL_MILLIS = 86_400_000;

    abstract String name();

    abstract GuardStore open();

    /** Takes a key with plain commands, and stores a result there. */
    abstract void rawNew(String key, String result);

    /** Reads the result of a key with plain commands. */
    abstract void rawDuplicate(String key);

    @Override
    public abstract void close();

    /** Returns the number of calls of a sample: fewer if each call waits for a disk. */
    abstract int sample(boolean fresh, int threads);

    static void found(Object result) {
        if (result == null) {
            throw new IllegalStateException("A duplicate was not found");
        }
    }

    static final class Memory extends GuardStorage {

        private final ConcurrentMap<String, String> map = new ConcurrentHashMap<>();

        @Override
        String name() {
            return "memory";
        }

        @Override
        GuardStore open() {
            return new InMemoryGuardStore();
        }

        @Override
        void rawNew(String key, String result) {
            map.putIfAbsent(key, "");
            map.put(key, result);
        }

        @Override
        void rawDuplicate(String key) {
            found(map.get(key));
        }

        @Override
        int sample(boolean fresh, int threads) {
            return 100_000;
        }

        @Override
        public void close() {}
    }

    static final class Redis extends GuardStorage {

        private final RedisServer server = RedisServer.start(RedisServer.Version.V7_0);
        private final RedisClient client;

        Redis() {
            ConnectionPoolConfig pool = new ConnectionPoolConfig();
            pool.setMaxTotal(CONNECTIONS);
            pool.setMaxIdle(CONNECTIONS);
            client = RedisClient.builder()
                    .hostAndPort("127.0.0.1", server.port())
                    .poolConfig(pool)
                    .build();
        }

        @Override
        String name() {
            return "Redis";
        }

        @Override
        GuardStore open() {
            return RedisGuardStore.open(server.uri());
        }

        @Override
        void rawNew(String key, String result) {
            found(client.set(key, "busy", SetParams.setParams().nx().px(LEASE_MILLIS)));
            found(client.set(key, result, SetParams.setParams().xx().px(TTL_MILLIS)));
        }

        @Override
        void rawDuplicate(String key) {
            found(client.get(key));
        }

        @Override
        int sample(boolean fresh, int threads) {
            return fresh ? 20_000 : 40_000;
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }

    static final class Postgres extends GuardStorage {

        private final HikariDataSource pool;

        Postgres() {
            HikariConfig config = new HikariConfig();
            config.setDataSource(PostgresServer.freshDatabase());
            config.setMaximumPoolSize(32);
            pool = new HikariDataSource(config);
            run("CREATE TABLE raw (key text PRIMARY KEY, result text) WITH (fillfactor = 70)");
        }

        private void run(String sql) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        String name() {
            return "PostgreSQL";
        }

        @Override
        GuardStore open() {
            return PostgresGuardStore.on(pool);
        }

        @Override
        void rawNew(String key, String result) {
            changed("INSERT INTO raw (key, result) VALUES (?, NULL) ON CONFLICT DO NOTHING", key, null);
            changed("UPDATE raw SET result = ? WHERE key = ?", result, key);
        }

        private void changed(String sql, String first, String second) {
            try (Connection connection = pool.getConnection();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, first);
                if (second != null) {
                    statement.setString(2, second);
                }
                if (statement.executeUpdate() != 1) {
                    throw new IllegalStateException("Nothing changed");
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        void rawDuplicate(String key) {
            try (Connection connection = pool.getConnection();
                    PreparedStatement statement = connection.prepareStatement("SELECT result FROM raw WHERE key = ?")) {
                statement.setString(1, key);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    found(row.getString(1));
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        int sample(boolean fresh, int threads) {
            return fresh ? (threads == 1 ? 1_500 : 6_000) : 10_000;
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    static final class Sqlite extends GuardStorage {

        private final Path directory;
        private final Connection raw;
        private final PreparedStatement insert;
        private final PreparedStatement update;
        private final PreparedStatement select;

        Sqlite() {
            try {
                directory = Files.createTempDirectory("semel-guard-bench");
                raw = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("raw.db"));
                try (Statement statement = raw.createStatement()) {
                    statement.execute("PRAGMA journal_mode = WAL");
                    statement.execute("PRAGMA synchronous = FULL");
                    statement.execute("CREATE TABLE raw (key TEXT PRIMARY KEY, result TEXT) WITHOUT ROWID");
                }
                insert = raw.prepareStatement("INSERT OR IGNORE INTO raw (key) VALUES (?)");
                update = raw.prepareStatement("UPDATE raw SET result = ? WHERE key = ?");
                select = raw.prepareStatement("SELECT result FROM raw WHERE key = ?");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        String name() {
            return "SQLite";
        }

        @Override
        GuardStore open() {
            return SqliteGuardStore.open(directory.resolve("guard.db"));
        }

        /** Commits each write separately, one after the other, because SQLite has one writer. */
        @Override
        synchronized void rawNew(String key, String result) {
            try {
                insert.setString(1, key);
                insert.executeUpdate();
                update.setString(1, result);
                update.setString(2, key);
                update.executeUpdate();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        synchronized void rawDuplicate(String key) {
            try {
                select.setString(1, key);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    found(row.getString(1));
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        int sample(boolean fresh, int threads) {
            return fresh ? (threads == 1 ? 2_000 : 8_000) : 10_000;
        }

        @Override
        public void close() {
            try {
                raw.close();
                try (var files = Files.walk(directory)) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(file);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
