package dev.semel.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.postgresql.PostgresSettings;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.postgresql.PostgresUrl;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.TaskStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The schema of one sample. All connections carry its name, so that the server can report when they have ended. Only
 * then are its statistics complete, and only then can the schema be removed.
 */
final class PostgresPlace implements StoreUnderTest.Place {

    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final int POOL = 10;
    private static final int MOST_TRIES = 5;
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final String url;
    private final String schema;
    private final PostgresUrl parsed;
    private final Consumer<PostgresPlace> closed;
    private @Nullable Connection control;

    PostgresPlace(String database, String schema, Consumer<PostgresPlace> closed) {
        this.schema = schema;
        this.url = PostgresUrl.withSchema(database, schema) + "&ApplicationName=" + schema;
        this.parsed = PostgresUrl.parse(url);
        this.closed = closed;
    }

    private interface Look<T> {
        T look(Connection connection) throws SQLException;
    }

    /** Queries the server on a separate connection that stays open until the place is closed. */
    private synchronized <T> T ask(Look<T> look) {
        try {
            if (control == null) {
                control = parsed.single().getConnection();
            }
            return look.look(control);
        } catch (SQLException e) {
            throw PostgresUnderTest.failed(e);
        }
    }

    @Override
    public String url() {
        return url;
    }

    @Override
    public TaskStore open() {
        return PostgresTaskStore.open(url);
    }

    @Override
    public TaskStore openCounting(AtomicLong roundTrips) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(parsed.single());
        config.setMaximumPoolSize(POOL);
        HikariDataSource pool = new HikariDataSource(config);
        PostgresTaskStore store = PostgresTaskStore.open(
                RoundTrips.counting(pool, roundTrips),
                PostgresSettings.standard().withSchema(schema));
        return new ForwardingTaskStore(store) {
            @Override
            public void close() {
                super.close();
                pool.close();
            }
        };
    }

    @Override
    public RawStore openRaw() {
        return new RawPostgres(parsed.single(), schema);
    }

    @Override
    public AutoCloseable pin() {
        try {
            Connection connection = parsed.single().getConnection();
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            // The first statement takes the snapshot, which is kept: rows that are deleted from now on cannot be
            // removed.
            PostgresUnderTest.number(connection, "SELECT count(*) FROM pg_catalog.pg_namespace");
            return connection;
        } catch (SQLException e) {
            throw PostgresUnderTest.failed(e);
        }
    }

    @Override
    public Map<String, String> facts() {
        return ask(PostgresUnderTest::settings);
    }

    @Override
    public long bytes() {
        return ask(connection -> PostgresUnderTest.number(
                connection,
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_catalog.pg_class c"
                        + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE c.relkind = 'r' AND n.nspname = '" + schema + "'"));
    }

    @Override
    public long logged() {
        return ask(PostgresUnderTest::logged);
    }

    @Override
    public long died() {
        awaitAlone();
        return ask(connection -> PostgresUnderTest.number(
                connection,
                "SELECT coalesce(sum(n_tup_upd + n_tup_del), 0) FROM pg_stat_user_tables WHERE schemaname = '" + schema
                        + "'"));
    }

    /**
     * Returns the number of forced writes. PostgreSQL 14 introduced the counter and 18 moved it. Writes that are
     * synchronous by themselves are not counted.
     */
    @Override
    public long forced() {
        awaitAlone();
        return ask(connection -> {
            if (PostgresUnderTest.settings(connection, List.of("wal_sync_method"))
                    .containsValue("open_datasync")) {
                return -1L;
            }
            int version = connection.getMetaData().getDatabaseMajorVersion();
            return version >= 18
                    ? PostgresUnderTest.number(
                            connection, "SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal'")
                    : version >= 14 ? PostgresUnderTest.number(connection, "SELECT wal_sync FROM pg_stat_wal") : -1L;
        });
    }

    /** Waits until all other connections to this schema have ended. */
    private void awaitAlone() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (others("count(*)") > 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private long others(String what) {
        return ask(connection -> PostgresUnderTest.number(
                connection,
                "SELECT " + what + " FROM pg_stat_activity WHERE application_name = '" + schema
                        + "' AND pid <> pg_backend_pid()"));
    }

    /**
     * Tries to remove the schema, and returns whether it succeeded. A terminated pool may connect again and continue.
     */
    private boolean removed(boolean last) {
        return ask(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET client_min_messages = warning; SET lock_timeout = '1s'");
                statement.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
                return true;
            } catch (SQLException e) {
                if (last || !LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                    throw e;
                }
                return false;
            }
        });
    }

    /** Removes the schema, and terminates connections that still use it. */
    @Override
    public synchronized void close() {
        closed.accept(this);
        try {
            boolean removed = false;
            for (int tries = 1; !removed; tries++) {
                others("count(pg_terminate_backend(pid))");
                removed = removed(tries == MOST_TRIES);
            }
        } finally {
            PostgresUnderTest.closeQuietly(control);
            control = null;
        }
    }
}
