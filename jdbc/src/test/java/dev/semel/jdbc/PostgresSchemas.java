package dev.semel.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.TaskStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Empty schemas in one database: cheaper than a database for each test. A schema whose stores are all closed is emptied and
 * used again, so that the connections of the pool, which all stores share, know its statements already.
 */
final class PostgresSchemas implements AutoCloseable {

    // On a busy machine others may be slow, and a submission that gives up is not what these tests ask for.
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final String TABLES = "task, ready, running, waiting, done, attempt, record, former, queue, mark";

    private final HikariDataSource pool;
    private final Deque<String> free = new ArrayDeque<>();
    private final Map<String, Integer> handles = new HashMap<>();
    private int made;

    PostgresSchemas(DataSource database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(24);
        config.setMinimumIdle(1);
        pool = new HikariDataSource(config);
    }

    /** An empty schema, or the name of one that is to be made. */
    synchronized String next() {
        String known = free.poll();
        return known == null ? "s" + ++made : known;
    }

    HikariDataSource pool() {
        return pool;
    }

    TaskStore open(String schema, InstantSource clock) {
        PostgresTaskStore store = PostgresTaskStore.open(pool, settings(schema).withClock(clock));
        synchronized (this) {
            handles.merge(schema, 1, Integer::sum);
        }
        return new ForwardingTaskStore(store) {
            @Override
            public void close() {
                super.close();
                closed(schema);
            }
        };
    }

    private synchronized void closed(String schema) {
        if (handles.merge(schema, -1, Integer::sum) == 0) {
            handles.remove(schema);
            empty(schema);
            free.push(schema);
        }
    }

    private void empty(String schema) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : TABLES.split(", ", -1)) {
                statement.addBatch("DELETE FROM " + schema + "." + table);
            }
            statement.addBatch("UPDATE " + schema + ".change SET stamp = stamp + 1");
            statement.executeBatch();
        } catch (SQLException e) {
            throw new IllegalStateException("Schema " + schema + " cannot be emptied", e);
        }
    }

    static PostgresSettings settings(String schema) {
        return PostgresSettings.standard().withSchema(schema).withHints(false).withLockLimit(PATIENCE);
    }

    @Override
    public void close() {
        pool.close();
    }
}
