package dev.semel.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process that runs a main class of these tests; killed when closed. What it prints is what tests wait for. */
final class Child implements AutoCloseable {

    private final Process process;
    private final BufferedReader out;

    private Child(Process process) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static Child run(Class<?> main, Object... arguments) throws IOException {
        return runIn("256m", main, arguments);
    }

    /** The same with a heap of this size. */
    static Child runIn(String heap, Class<?> main, Object... arguments) throws IOException {
        return new Child(new ProcessBuilder(command(heap, main, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** What starts such a process. */
    static List<String> command(String heap, Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                // Many of them may run at the same time, on few processors, and none for long.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx" + heap,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /** Waits for the next line; null at the end of the process. A line that was cut by its death is no line. */
    String line() {
        try {
            return out.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for a line that must come next. */
    void expect(String expected) {
        String line = line();
        if (!expected.equals(line)) {
            throw new AssertionError(
                    "Expected the other process to say \"" + expected + "\", but it said \"" + line + "\"");
        }
    }

    /** All lines until the process ends. */
    List<String> rest() {
        List<String> lines = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            lines.add(line);
        }
        return lines;
    }

    /** Ends it as kill -9 does. Through its handle, because the process itself would also close what it has printed. */
    void kill() {
        process.toHandle().destroyForcibly();
    }

    /** Asks it to end, as kill and every deployment do: SIGTERM. */
    void terminate() {
        process.toHandle().destroy();
    }

    int exit() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("The other process does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
        process.waitFor();
    }
}
