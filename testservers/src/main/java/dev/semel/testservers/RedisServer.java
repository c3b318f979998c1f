package dev.semel.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A Redis server for a test: a separate process on a free port of this machine, initially empty and without
 * persistence.
 */
public final class RedisServer implements AutoCloseable {

    /** The versions that the build can start. */
    public enum Version {
        /** Redis 6.2, the oldest that Semel supports. */
        V6_2("6.2.6-v5", "6.2.7"),
        /** Redis 7.0. */
        V7_0("7.0.15", "7.0.15");

        private final String name;
        private final String nameOnLinuxArm;

        Version(String name, String nameOnLinuxArm) {
            this.name = name;
            this.nameOnLinuxArm = nameOnLinuxArm;
        }

        private String binary() {
            String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
            String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
            String number = os.equals("linux") && arch.equals("arm64") ? nameOnLinuxArm : name;
            return "redis-server-" + number + "-" + os + "-" + arch;
        }
    }

    private static final String KIND = "semel-redis";
    private static final int PATIENCE_SECONDS = 30;

    private final Version version;
    private final int port;
    private final List<String> options;
    private final Path directory;
    private Process process;

    private RedisServer(Version version, int port, List<String> options, Path directory) throws IOException {
        this.version = version;
        this.port = port;
        this.options = options;
        this.directory = directory;
        this.process = launch();
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @param version the version of Redis
     * @param options further options, for example {@code --maxmemory 2mb}
     * @return the server; close it when done
     */
    public static RedisServer start(Version version, String... options) {
        try {
            Path directory = ServerDirectory.create(KIND, RedisServer::stop);
            RedisServer server = new RedisServer(version, FreePort.next(), List.of(options), directory);
            server.awaitAnswer();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the address of the server.
     *
     * @return for example {@code redis://127.0.0.1:12345}
     */
    public URI uri() {
        return URI.create("redis://127.0.0.1:" + port);
    }

    /**
     * Returns the port of the server.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /** Kills the server (kill -9), and waits until it has ended. */
    public void kill() {
        process.toHandle().destroyForcibly();
        try {
            process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts the server again on the same port, empty, and waits until it answers. */
    public void restart() {
        kill();
        try {
            process = launch();
            awaitAnswer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void close() {
        kill();
        ServerDirectory.remove(directory);
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                unpacked().toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--daemonize",
                "no",
                "--dir",
                directory.toString()));
        options.forEach(option -> command.addAll(List.of(option.split(" ", -1))));
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Files.writeString(directory.resolve("pid"), Long.toString(started.pid()));
        return started;
    }

    /** Ends the server of a directory whose JVM has ended. */
    private static void stop(Path directory) throws IOException {
        Path file = directory.resolve("pid");
        if (Files.exists(file)) {
            ProcessHandle.of(Long.parseLong(Files.readString(file)))
                    // Another process may have the number by now.
                    .filter(found -> found.info()
                            .command()
                            .map(command -> command.contains(directory.toString()))
                            .orElse(false))
                    .ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /** Unpacks the binary from the jar. It is 6 MB and is removed with the directory. */
    private Path unpacked() throws IOException {
        Path binary = directory.resolve("redis-server");
        if (!Files.exists(binary)) {
            try (InputStream in = RedisServer.class.getResourceAsStream("/" + version.binary())) {
                if (in == null) {
                    throw new IllegalStateException(
                            "The test jar contains no \"" + version.binary() + "\" for this" + " system.");
                }
                Files.copy(in, binary, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwx------"));
        }
        return binary;
    }

    private void awaitAnswer() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IllegalStateException("Redis did not start: " + Files.readString(directory.resolve("log")));
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            socket.setSoTimeout(1_000);
            OutputStream out = socket.getOutputStream();
            out.write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            // Any answer shows that the server runs, even a refusal because of a missing password.
            return socket.getInputStream().read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }
}
