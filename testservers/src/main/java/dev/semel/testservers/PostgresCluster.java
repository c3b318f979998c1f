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
 * A PostgreSQL server for one test, which can be killed and started again, or which has another version. Durable as in
 * production. It ends, and its directory is removed, when it is closed or the JVM ends.
 */
public final class PostgresCluster implements AutoCloseable {

    private static final String KIND = "semel-postgres";
    private static final int PATIENCE_SECONDS = 60;

    // Durability is not reduced for speed: the tests also check that an answer is sent only after the write to disk.
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
     * @param binaries the jar with the binaries for Linux on x86-64
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
     * Returns the first database, for a superuser.
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
     * Returns the port of the server.
     *
     * @return the port, on the loopback address
     */
    public int port() {
        return postgres.getPort();
    }

    /** Kills the server, which is as close to a crash of the machine as a test can get. */
    public void kill() {
        postmaster(directory).ifPresent(postmaster -> {
            program = postmaster.info().command().orElse(program);
            kill(postmaster);
        });
    }

    private static void kill(ProcessHandle postmaster) {
        // Its children end when they notice that it has ended; only then can another server start.
        List<ProcessHandle> children = postmaster.children().toList();
        postmaster.destroyForcibly();
        for (ProcessHandle child : children) {
            child.destroyForcibly();
            awaitEnd(child);
        }
        awaitEnd(postmaster);
    }

    // Not by onExit: that is completed by the common pool, whose one thread on a small machine a test may use.
    private static void awaitEnd(ProcessHandle process) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Process " + process.pid() + " of PostgreSQL did not end");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private static Optional<ProcessHandle> postmaster(Path directory) {
        Path file = directory.resolve("postmaster.pid");
        try {
            return Files.exists(file)
                    ? ProcessHandle.of(Long.parseLong(
                                    Files.readAllLines(file).get(0).strip()))
                            // Another process may have the left-over number by now.
                            .filter(found -> found.info()
                                    .commandLine()
                                    .map(line -> line.contains(directory.toString()))
                                    .orElse(true))
                    : Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.empty(); // the file is being written or removed
        }
    }

    /**
     * Starts the server again in the same place, and waits until it answers. Does not use the library, for which the
     * server still runs.
     */
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
                throw new IllegalStateException("PostgreSQL did not start again in \"" + directory + "\"");
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
            // The JVM is ending, and the hook will find nothing to do.
        }
    }

    private synchronized void end() {
        stop(directory);
        ServerDirectory.remove(directory);
    }

    /**
     * Ends a server immediately, without a checkpoint. Kills it only if it does not react, because a killed server
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
                // The server is killed below.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        postmaster.filter(ProcessHandle::isAlive).ifPresent(PostgresCluster::kill);
    }

    /**
     * Returns the prefix of a command that runs the server. A server refuses to run as root, but in its own user name
     * space it does not see that it is root.
     */
    private static List<String> asUser() {
        return System.getProperty("user.name").equals("root") ? List.of("unshare", "-U") : List.of();
    }
}
