package dev.semel.postgresql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.store.TaskStore;
import dev.semel.storetests.process.Child;
import dev.semel.storetests.storm.StoreProcess;
import dev.semel.storetests.storm.StormContract;
import dev.semel.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.postgresql.ds.PGSimpleDataSource;

/** A storm on PostgreSQL, in a schema of its own for each round, with connections that are cut. */
abstract class PostgresStorm extends StormContract {

    // One backend of this database, other than the one that asks and than those of no statement.
    private static final String CUT = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            ORDER BY hashint4extended(pid, ?) LIMIT 1
            """;

    private static final int CONNECTIONS = 30;

    private @Nullable HikariDataSource pool;
    private ManualClock clock = new ManualClock();
    private String schema = "";
    private int rounds;

    /** The database to use; always the same. */
    abstract PGSimpleDataSource database();

    @Override
    public TaskStore open(ManualClock newClock) {
        clock = newClock;
        drop();
        schema = "storm" + ++rounds;
        return openAnother();
    }

    /** A pool, as programs have one: connections that keep their plans make many times as many calls. */
    private HikariDataSource pool() {
        if (pool == null) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(database());
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(1);
            pool = new HikariDataSource(config);
        }
        return pool;
    }

    @AfterEach
    void closePool() {
        drop();
        if (pool != null) {
            pool.close();
            pool = null;
        }
    }

    @Override
    public TaskStore openAnother() {
        return PostgresTaskStore.open(
                pool(),
                PostgresSettings.standard().withSchema(schema).withHints(false).withClock(clock));
    }

    @Override
    public StoreProcess openElsewhere() {
        return new StoreProcess(
                Child.command(
                        "256m",
                        PostgresStormProcess.class,
                        database().getURL(),
                        database().getUser(),
                        schema),
                clock);
    }

    @Override
    public Connection connect() throws SQLException {
        return pool().getConnection();
    }

    @Override
    public void disturb(RandomGenerator random) {
        try (Connection connection = database().getConnection();
                PreparedStatement statement = connection.prepareStatement(CUT)) {
            statement.setLong(1, random.nextLong());
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException("The test server does not cut connections", e);
        }
    }

    private void drop() {
        if (schema.isEmpty()) {
            return;
        }
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA " + schema + " CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException("The schema of the last round stays", e);
        }
        schema = "";
    }
}
