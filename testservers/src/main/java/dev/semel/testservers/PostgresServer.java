package dev.semel.testservers;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The PostgreSQL server of the tests: one for each JVM, started with the first database, durable as in production
 * ({@code fsync} and {@code synchronous_commit} on), and removed when the JVM ends.
 */
public final class PostgresServer {

    // Class initialisation creates the server once, lazily, for all threads.
    private static final class Shared {
        private static final PostgresCluster CLUSTER = PostgresCluster.newest("shared_buffers=64MB");
        private static final AtomicInteger DATABASES = new AtomicInteger();
    }

    private PostgresServer() {}

    /**
     * Creates an empty database on the server of this JVM.
     *
     * @return a source of connections
     */
    public static PGSimpleDataSource freshDatabase() {
        String name = "test_" + Shared.DATABASES.incrementAndGet();
        try (Connection connection = Shared.CLUSTER.database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("The test server could not create a database", e);
        }
        return Shared.CLUSTER.database(name);
    }
}
