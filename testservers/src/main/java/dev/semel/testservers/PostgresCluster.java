package dev.semel.testservers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.embedded.PgBinaryResolver;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server of a test's own: one that can be killed and started again, or one of another version. Durable as in
 * production. It ends, and its directory goes, when it is closed or the JVM ends.
 */
public final class PostgresCluster implements AutoCloseable {

    private static final String KIND = "semel-postgres";
    private static final int PATIENCE_SECONDS = 60;

    // Durability is not turned down for speed: that the answer comes after the disk is part of what is tested.
    private static final List<String> SETTINGS =
            List.of("fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=300");

    private final Path directory;
    private final List<String> settings;
    private final EmbeddedPostgres postgres;
    private final Thread hook = new Thread(this::end);
    private String program = "postgres";

    private PostgresCluster(@Nullable Path binaries, List<String> more) {
        settings = new ArrayList<>(SETTINGS);
        settings.addAll(more);
        try {
            directory = ServerDirectory.create(KIND, PostgresCluster::stop);
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                    .setDataDirectory(directory)
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false)
                    .setPort(FreePort.next());
            for (String setting : settings) {
                int equals = setting.indexOf('=');
                builder.setServerConfig(setting.substring(0, equals), setting.substring(equals + 1));
            }
            if (binaries != null) {
                builder.setPgBinaryResolver(in(binaries));
            }
            Runtime.getRuntime().addShutdownHook(hook);
            postgres = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Starts a server of the newest version.
     *
     * @param settings further settings, for example {@code shared_buffers=64MB}
     * @return the server; close it when done
     */
    public static PostgresCluster newest(String... settings) {
        return new PostgresCluster(null, List.of(settings));
    }

    /**
     * Starts a server of another version.
     *
     * @param binaries the jar with its binaries for Linux on x86-64
     * @return the server; close it when done
     */
    public static PostgresCluster of(Path binaries) {
        return new PostgresCluster(binaries, List.of());
    }

    private static PgBinaryResolver in(Path binaries) {
        return (system, hardware) -> {
            JarFile jar = new JarFile(binaries.toFile());
            InputStream in = jar.getInputStream(jar.getEntry("postgres-linux-x86_64.txz"));
            return new FilterInputStream(in) {
                @Override
                public void close() throws IOException {
                    super.close();
                    jar.close();
                }
            };
        };
    }

    /**
     * Where its first database is, for a user who may do everything.
     *
     * @return a source of connections; not a pool
     */
    public PGSimpleDataSource database() {
        return database("postgres");
    }

    PGSimpleDataSource database(String name) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {port()});
        source.setUser("postgres");
        source.setDatabaseName(name);
        return source;
    }

    /**
     * Its port.
     *
     * @return the port, on the loopback address
     */
    public int port() {
        return postgres.getPort();
    }

    /** Ends it as a crash of the machine would, as far as one process can. */
    public void kill() {
        postmaster(directory).ifPresent(postmaster -> {
            program = postmaster.info().command().orElse(program);
            kill(postmaster);
        });
    }

    private static void kill(ProcessHandle postmaster) {
        // Its children end by themselves when they see that it has gone; only then can another one start.
        List<ProcessHandle> children = postmaster.children().toList();
        postmaster.destroyForcibly();
        for (ProcessHandle child : children) {
            child.destroyForcibly();
            child.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        }
        postmaster.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    private static Optional<ProcessHandle> postmaster(Path directory) {
        Path file = directory.resolve("postmaster.pid");
        try {
            return Files.exists(file)
                    ? ProcessHandle.of(Long.parseLong(
                                    Files.readAllLines(file).get(0).strip()))
                            // A number that was left behind may be somebody else's by now.
                            .filter(found -> found.info()
                                    .commandLine()
                                    .map(line -> line.contains(directory.toString()))
                                    .orElse(true))
                    : Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.empty(); // it is just being written or removed
        }
    }

    /** Starts it again where it was, and waits until it answers. Not by the library, which thinks that it is still there. */
    public void restart() {
        List<String> command = new ArrayList<>(asUser());
        command.addAll(List.of(program, "-D", directory.toString(), "-p", String.valueOf(port())));
        for (String setting : settings) {
            command.addAll(List.of("-c", setting));
        }
        try {
            new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!answers()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("PostgreSQL did not start again in " + directory);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean answers() {
        PGSimpleDataSource source = database();
        source.setConnectTimeout(5);
        source.setSocketTimeout(5);
        try (Connection connection = source.getConnection()) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook finds nothing to do.
        }
    }

    private synchronized void end() {
        stop(directory);
        ServerDirectory.remove(directory);
    }

    /**
     * Ends a server at once, without writing down what it has in memory. Not by killing it, as long as it listens: a killed one
     * leaves its shared memory behind.
     */
    private static void stop(Path directory) {
        Optional<ProcessHandle> postmaster = postmaster(directory);
        if (postmaster.isEmpty()) {
            return;
        }
        Optional<Path> control = postmaster
                .get()
                .info()
                .command()
                .map(postgres -> Path.of(postgres).resolveSibling("pg_ctl"));
        if (control.isPresent()) {
            List<String> command = new ArrayList<>(asUser());
            command.addAll(List.of(
                    control.get().toString(), "stop", "-D", directory.toString(), "-m", "immediate", "-w", "-t", "10"));
            try {
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (IOException e) {
                // It is killed below.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        postmaster.filter(ProcessHandle::isAlive).ifPresent(PostgresCluster::kill);
    }

    /** A server refuses to run as root; in a name space of its own it does not know that it is. */
    private static List<String> asUser() {
        return System.getProperty("user.name").equals("root") ? List.of("unshare", "-U") : List.of();
    }
}
