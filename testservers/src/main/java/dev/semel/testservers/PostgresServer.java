package dev.semel.testservers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The PostgreSQL server of the tests: one for each JVM, started when the first database is asked for, durable as in
 * production ({@code fsync} and {@code synchronous_commit} on), and killed by its process id when the JVM ends.
 */
public final class PostgresServer {

    private static final int STOP_SECONDS = 10;

    // Java's own way to make one thing once, lazily, for all threads.
    private static final class Shared {
        private static final PostgresServer INSTANCE = new PostgresServer();
    }

    private final EmbeddedPostgres postgres;
    private final Path directory;
    private final long pid;
    private final AtomicInteger databases = new AtomicInteger();

    private PostgresServer() {
        try {
            directory = Files.createTempDirectory("semel-postgres");
            postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(directory)
                    .setCleanDataDirectory(true)
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    .setServerConfig("max_connections", "300")
                    .setServerConfig("shared_buffers", "64MB")
                    .start();
            pid = Long.parseLong(Files.readAllLines(directory.resolve("postmaster.pid"))
                    .get(0)
                    .strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
    }

    /**
     * Makes a fresh, empty database on the server of this JVM.
     *
     * @return where it is
     */
    public static PGSimpleDataSource freshDatabase() {
        return Shared.INSTANCE.create();
    }

    /**
     * The process id of the server of this JVM, for tests that kill it.
     *
     * @return the process id
     */
    public static long processId() {
        return Shared.INSTANCE.pid;
    }

    private PGSimpleDataSource create() {
        String name = "test_" + databases.incrementAndGet();
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("The test server makes no database", e);
        }
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {postgres.getPort()});
        source.setUser("postgres");
        source.setDatabaseName(name);
        return source;
    }

    /** Asks it to end, and kills it if it does not. */
    private void stop() {
        try {
            CompletableFuture.runAsync(() -> {
                        try {
                            postgres.close();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            // It is killed below.
        }
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
