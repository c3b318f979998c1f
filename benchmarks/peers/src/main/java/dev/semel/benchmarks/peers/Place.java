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

/** A database that was made for one sample. Closing it closes the pools that were opened on it, and drops it. */
final class Place implements AutoCloseable {

    private static final long FULL_LIMIT = 60_000_000_000L;

    private final PGSimpleDataSource source;
    private final Runnable drop;
    private final List<HikariDataSource> pools = new ArrayList<>();

    Place(PGSimpleDataSource source, Runnable drop) {
        this.source = source;
        this.drop = drop;
    }

    /** Where it is, for what makes its own connections. */
    PGSimpleDataSource source() {
        return source;
    }

    /** A pool of so many connections, all of them open. It is closed with the place. */
    HikariDataSource pool(int connections) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(connections);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        long deadline = System.nanoTime() + FULL_LIMIT;
        while (pool.getHikariPoolMXBean().getTotalConnections() < connections) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("A pool did not get its " + connections + " connections");
            }
            LockSupport.parkNanos(1_000_000);
        }
        return pool;
    }

    /** Closes the pools, so that the server has heard of everything that was done. */
    void closePools() {
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }

    /**
     * How many rows were updated or deleted since the database was made: each of them left a dead one behind, whether it was
     * removed in the meantime or not. Sessions tell what they did when they end, so the pools are closed first.
     */
    long deadRows() {
        closePools();
        awaitNone("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                + " AND backend_type = 'client backend'");
        return number("SELECT coalesce(sum(n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_user_tables");
    }

    /** The number that a query gives, read past all pools. */
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

    /** Does something with the whole database, such as collecting statistics. */
    void execute(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the query says that there is nothing left. */
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
                    throw new IllegalStateException(left + " were left after half a minute: " + query);
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
