package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A program on this test's class path in a separate process; killed by its id when closed. */
final class Child implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 240;

    // A build in the background of a shell ignores the interrupt, and so would all its children.
    private static final List<String> HEEDING_INTERRUPTS = List.of("env", "--default-signal=INT");
    private static final List<String> PREFIX = runs(HEEDING_INTERRUPTS) ? HEEDING_INTERRUPTS : List.of();

    private final Process process;
    private final List<String> out = Collections.synchronizedList(new ArrayList<>());
    private final Thread reader;

    private Child(Process process, Consumer<String> lines) {
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().start(() -> {
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    out.add(line);
                    lines.accept(line);
                }
            } catch (IOException e) {
                // The process was killed.
                return;
            }
        });
    }

    /** Starts the command line. Files that a killed process leaves behind are in the directory. */
    static Child semel(Path directory, String... arguments) {
        return start(directory, Main.class, line -> {}, arguments);
    }

    /** Starts the command line with the store in its environment. */
    static Child semelOn(String store, Path directory, String... arguments) {
        return start(directory, Map.of("SEMEL_STORE", store), Main.class, line -> {}, arguments);
    }

    static Child start(Path directory, Class<?> program, Consumer<String> lines, String... arguments) {
        return start(directory, Map.of(), program, lines, arguments);
    }

    private static Child start(
            Path directory,
            Map<String, String> environment,
            Class<?> program,
            Consumer<String> lines,
            String... arguments) {
        List<String> command = new ArrayList<>(PREFIX);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Dorg.sqlite.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("children.log").toFile()));
            builder.environment().putAll(environment);
            return new Child(builder.start(), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether this system's program supports the option. */
    private static boolean runs(List<String> prefix) {
        List<String> command = new ArrayList<>(prefix);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    String out() {
        return String.join("\n", List.copyOf(out));
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its end and for the rest of its output. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("the process ends")
                .isTrue();
        reader.join();
        return process.exitValue();
    }

    void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
