package dev.semel.postgresql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.TaskStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Empty schemas in one database: cheaper than a database for each test. A schema whose stores are all closed is emptied and
 * used again, so that the connections of the pool, which all stores share, know its statements already.
 */
final class PostgresSchemas implements AutoCloseable {

    // On a busy machine others may be slow, and a submission that gives up is not what these tests ask for.
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    static final int CONNECTIONS = 24;

    // All but names, which mean the same for ever, and what there is one row of.
    private static final String TABLES = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = ?"
            + " AND tablename NOT IN ('lane', 'scope', 'change', 'schema_version') ORDER BY tablename";

    private final HikariDataSource pool;
    private final Deque<String> free = new ArrayDeque<>();
    private final Map<String, Integer> handles = new HashMap<>();
    private int made;

    PostgresSchemas(DataSource database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        pool = new HikariDataSource(config);
    }

    /** An empty schema, or the name of one that is to be made. */
    synchronized String next() {
        String known = free.poll();
        return known == null ? "s" + ++made : known;
    }

    /** Makes the database refuse rows with this value in a column. */
    static void refuse(DataSource database, String table, String column, String value) throws SQLException {
        String function = table + "_refuse";
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE FUNCTION " + function + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW."
                    + column + " = '" + value + "' THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$");
            statement.execute("CREATE TRIGGER refuse BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION "
                    + function + "()");
        }
    }

    HikariDataSource pool() {
        return pool;
    }

    TaskStore open(String schema, InstantSource clock) {
        return open(schema, settings(schema).withClock(clock));
    }

    /** A store in which every task that may share a lease does, even if it is alone in it. */
    TaskStore openSharing(String schema, InstantSource clock) {
        return open(schema, settings(schema).withClock(clock).withSharedLeasesFrom(1));
    }

    private TaskStore open(String schema, PostgresSettings settings) {
        PostgresTaskStore store = PostgresTaskStore.open(pool, settings);
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
        try (Connection connection = pool.getConnection()) {
            empty(connection, schema);
        } catch (SQLException e) {
            throw new IllegalStateException("Schema " + schema + " cannot be emptied", e);
        }
    }

    /** Removes all tasks, keys and settings of queues. */
    static void empty(Connection connection, String schema) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // Without triggers: they refuse to remove the key of an open task.
            statement.addBatch("SET session_replication_role = replica");
            for (String table : tables(connection, schema)) {
                statement.addBatch("DELETE FROM " + schema + "." + table);
            }
            statement.addBatch("UPDATE " + schema + ".change SET stamp = stamp + 1");
            statement.addBatch("RESET session_replication_role");
            statement.executeBatch();
        }
    }

    /** The tables whose rows are about tasks, keys and queues. */
    static List<String> tables(Connection connection, String schema) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(TABLES)) {
            statement.setString(1, schema);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    tables.add(row.getString(1));
                }
            }
        }
        return tables;
    }

    static PostgresSettings settings(String schema) {
        return PostgresSettings.standard().withSchema(schema).withHints(false).withLockLimit(PATIENCE);
    }

    @Override
    public void close() {
        pool.close();
    }
}
