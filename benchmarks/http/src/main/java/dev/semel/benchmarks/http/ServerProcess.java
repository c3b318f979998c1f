package dev.semel.benchmarks.http;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link ServerMain}. */
final class ServerProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader in;
    private final BufferedWriter out;
    private final int port;
    private final long startMillis;

    /**
     * What a server says about itself.
     *
     * @param waiting requests that are being answered
     * @param heap used bytes of its heap
     * @param threads its platform threads
     * @param processorNanos its processor time since it started
     */
    record Figures(int waiting, long heap, int threads, long processorNanos) {}

    private ServerProcess(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "--enable-native-access=ALL-UNNAMED",
                // The JDK's server writes headers and body apart: without it, each answer waits 40 ms for an
                // acknowledgement.
                "-Dsun.net.httpserver.nodelay=true",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(options());
        command.add(ServerMain.class.getName());
        command.addAll(arguments);
        this.process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.in = process.inputReader();
        this.out = process.outputWriter();
        long[] first = numbers();
        this.port = (int) first[0];
        this.startMillis = first[1];
    }

    private static List<String> options() {
        String options = System.getenv("SEMEL_SERVER_OPTS");
        return options == null || options.isBlank()
                ? List.of()
                : List.of(options.strip().split(" +"));
    }

    static ServerProcess of(Library library) throws IOException {
        return new ServerProcess(List.of(library.name()));
    }

    static ServerProcess ofSemel(Path file) throws IOException {
        return new ServerProcess(List.of("semel", file.toString()));
    }

    int port() {
        return port;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    long startMillis() {
        return startMillis;
    }

    Figures figures(boolean collected) throws IOException {
        out.write(collected ? "collect\n" : "show\n");
        out.flush();
        long[] figures = numbers();
        return new Figures((int) figures[0], figures[1], (int) figures[2], figures[3]);
    }

    private long[] numbers() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("A server has ended");
        }
        return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    /** Ends the server, which exits when its input ends. */
    @Override
    public void close() throws IOException {
        out.close();
        try {
            if (!process.waitFor(40, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
