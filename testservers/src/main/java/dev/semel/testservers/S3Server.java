package dev.semel.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An S3 server for a test: S3Proxy in a separate process on a free port of this machine, with objects in memory. Its
 * create-if-absent is atomic; its replace-if-match is not, and Semel does not use it.
 */
public final class S3Server implements AutoCloseable {

    /** The access key that the server accepts. */
    public static final String ACCESS_KEY = "test-access-key";

    /** The secret key that belongs to it. */
    public static final String SECRET_KEY = "test/secret+key";

    /** The bucket that exists from the start. */
    public static final String BUCKET = "semel-test";

    private static final String KIND = "semel-s3";
    private static final int PATIENCE_SECONDS = 60;

    private final int port;
    private final Path directory;
    private final Process process;

    private S3Server(int port, Path directory) throws IOException {
        this.port = port;
        this.directory = directory;
        this.process = launch();
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @return the server; close it when done
     */
    public static S3Server start() {
        try {
            S3Server server = new S3Server(FreePort.next(), ServerDirectory.create(KIND, S3Server::stop));
            server.awaitAnswer();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the address of the server.
     *
     * @return for example {@code http://127.0.0.1:12345}
     */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    @Override
    public synchronized void close() {
        process.toHandle().destroyForcibly();
        try {
            process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ServerDirectory.remove(directory);
    }

    private Process launch() throws IOException {
        Path data = Files.createDirectories(directory.resolve("data").resolve(BUCKET))
                .getParent();
        Path properties = directory.resolve("s3proxy.properties");
        Files.write(
                properties,
                List.of(
                        "s3proxy.endpoint=http://127.0.0.1:" + port,
                        "s3proxy.authorization=aws-v2-or-v4",
                        "s3proxy.identity=" + ACCESS_KEY,
                        "s3proxy.credential=" + SECRET_KEY,
                        "s3proxy.v4-max-non-chunked-request-size=134217728",
                        "jclouds.provider=filesystem-nio2",
                        "jclouds.filesystem.basedir=" + data));
        // The compiler that is quick to start: the server lives for seconds.
        Process started = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx512m",
                        "-DLOG_LEVEL=warn",
                        "-jar",
                        jar().toString(),
                        "--properties",
                        properties.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Files.writeString(directory.resolve("pid"), Long.toString(started.pid()));
        return started;
    }

    /**
     * Finds the jar that the build has copied beside the classes. It is not on the class path, because it contains copies of
     * libraries that the tests have in other versions.
     */
    private static Path jar() {
        try {
            Path classes = Path.of(S3Server.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path each = classes; each != null; each = each.getParent()) {
                Path jar = each.resolve("servers").resolve("s3proxy.jar");
                if (each.endsWith("target") && Files.exists(jar)) {
                    return jar;
                }
            }
            throw new IllegalStateException("There is no target/servers/s3proxy.jar above " + classes
                    + ". Run ./mvnw -pl testservers generate-resources.");
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the server of a directory whose JVM has ended. */
    private static void stop(Path directory) throws IOException {
        Path file = directory.resolve("pid");
        if (Files.exists(file)) {
            ProcessHandle.of(Long.parseLong(Files.readString(file)))
                    // Another process may have the number by now.
                    .filter(found -> found.info()
                            .commandLine()
                            .map(command -> command.contains(directory.toString()))
                            .orElse(false))
                    .ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private void awaitAnswer() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IllegalStateException("S3Proxy did not start: " + Files.readString(directory.resolve("log")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
