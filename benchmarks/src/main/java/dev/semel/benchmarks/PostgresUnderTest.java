package dev.semel.benchmarks;

import dev.semel.postgresql.PostgresSchema;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.postgresql.PostgresUrl;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** PostgreSQL: each sample uses a separate schema in the given database. */
final class PostgresUnderTest implements StoreUnderTest {

    static final String PREFIX = "postgresql:";

    /** The prefix of the names of all schemas that are created here. */
    static final String SCHEMAS = "semel_bench_";

    private static final List<String> SETTINGS = List.of(
            "server_version",
            "fsync",
            "synchronous_commit",
            "full_page_writes",
            "wal_level",
            "wal_sync_method",
            "wal_compression",
            "shared_buffers",
            "max_wal_size",
            "checkpoint_timeout",
            "autovacuum");

    private final String url;
    private final AtomicBoolean reached = new AtomicBoolean();
    private final Set<PostgresPlace> open = ConcurrentHashMap.newKeySet();

    PostgresUnderTest(String url) {
        this.url = url;
        PostgresUrl unused = PostgresUrl.parse(url);
    }

    @Override
    public Place fresh() {
        if (!reached.getAndSet(true)) {
            // Reports an unreachable server with Semel's own message.
            int unused = PostgresSchema.version(url);
            Runtime.getRuntime().addShutdownHook(new Thread(this::removeAll));
        }
        byte[] random = new byte[6];
        new SecureRandom().nextBytes(random);
        PostgresPlace place = new PostgresPlace(url, SCHEMAS + HexFormat.of().formatHex(random), open::remove);
        open.add(place);
        return place;
    }

    /** Removes all schemas, also when a run is interrupted. */
    private void removeAll() {
        for (PostgresPlace place : List.copyOf(open)) {
            place.close();
        }
    }

    @Override
    public TaskStore open(String store) {
        return PostgresTaskStore.open(store);
    }

    @Override
    public boolean isServer() {
        return true;
    }

    @Override
    public List<String> warnings(Map<String, String> facts) {
        List<String> warnings = new ArrayList<>();
        for (String setting : List.of("fsync", "full_page_writes")) {
            if ("off".equals(facts.get(setting))) {
                warnings.add(
                        setting + " is off on this server: committed data may be lost if the machine crashes, so these"
                                + " are not the figures of durable writes.");
            }
        }
        if ("off".equals(facts.get("synchronous_commit"))) {
            warnings.add(
                    "synchronous_commit is off in this database. Semel and the raw limit switch it on for their own"
                            + " transactions. Your transactions that a submission joins are not durable immediately.");
        }
        return warnings;
    }

    /** Returns the server's settings as seen by this connection. */
    static Map<String, String> settings(Connection connection, List<String> names) throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement()) {
            for (String name : names) {
                try (ResultSet row = statement.executeQuery("SELECT current_setting('" + name + "')")) {
                    row.next();
                    settings.put(name, row.getString(1));
                }
            }
        }
        return settings;
    }

    static Map<String, String> settings(Connection connection) throws SQLException {
        return settings(connection, SETTINGS);
    }

    /** Returns the number of bytes that the server has written to its log, for all of its databases. */
    static long logged(Connection connection) throws SQLException {
        return number(connection, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn");
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Returns the exception for a failed statement of the measurement. */
    static StoreUnavailable failed(SQLException e) {
        return new StoreUnavailable(
                "PostgreSQL failed a statement of the measurement (SQLSTATE "
                        + (e.getSQLState() == null ? "none" : e.getSQLState()) + ": " + e.getMessage()
                        + "). Check the server, and measure again.",
                e);
    }

    static void closeQuietly(@Nullable Connection connection) {
        if (connection == null) {
            return;
        }
        try {
            connection.close();
        } catch (SQLException e) {
            // The connection is closed already, which is fine.
            return;
        }
    }
}
