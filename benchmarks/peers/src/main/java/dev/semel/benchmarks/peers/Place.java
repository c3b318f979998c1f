package dev.semel.benchmarks.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/** The database of one sample. Closing it closes the pools that were opened on it, and drops it. */
final class Place implements AutoCloseable {

    private static final long FULL_LIMIT = 60_000_000_000L;

    private final PGSimpleDataSource source;
    private final Runnable drop;
    private final List<HikariDataSource> pools = new ArrayList<>();

    Place(PGSimpleDataSource source, Runnable drop) {
        this.source = source;
        this.drop = drop;
    }

    /** Returns the source of connections, for contestants with their own pool. */
    PGSimpleDataSource source() {
        return source;
    }

    /** Opens a pool with all of its connections. It is closed with the place. */
    HikariDataSource pool(int connections) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(connections);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        long deadline = System.nanoTime() + FULL_LIMIT;
        while (pool.getHikariPoolMXBean().getTotalConnections() < connections) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("A pool could not open its " + connections + " connections");
            }
            LockSupport.parkNanos(1_000_000);
        }
        return pool;
    }

    /** Closes the pools, so that the server's statistics are complete. */
    void closePools() {
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }

    /**
     * Returns the number of rows that were updated or deleted since the database was created: each of them left a dead
     * row behind, which may have been removed since. Sessions report their statistics when they end, so the pools are
     * closed first.
     */
    long deadRows() {
        closePools();
        awaitNone("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                + " AND backend_type = 'client backend'");
        return number("SELECT coalesce(sum(n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_user_tables");
    }

    /** Returns the number that a query yields, read without a pool. */
    long number(String query) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs a statement on the whole database, such as collecting statistics. */
    void execute(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the query returns zero. */
    void awaitNone(String query) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            while (true) {
                long left;
                try (ResultSet row = statement.executeQuery(query)) {
                    row.next();
                    left = row.getLong(1);
                }
                if (left == 0) {
                    return;
                }
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("Expected 0 after half a minute, but got " + left + " from: "
                            + query);
                }
                LockSupport.parkNanos(1_000_000);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        closePools();
        drop.run();
    }
}
