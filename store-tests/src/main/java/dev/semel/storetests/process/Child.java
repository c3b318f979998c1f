package dev.semel.storetests.process;

import dev.semel.storetests.ProcessLines;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Another process that runs a main class of these tests; killed when closed. What it prints is what tests wait for. */
public final class Child implements AutoCloseable {

    private final Process process;
    private final ProcessLines out;

    private Child(Process process) {
        this.process = process;
        this.out = new ProcessLines(process);
    }

    /**
     * Starts a process with a heap of 256 MB.
     *
     * @param main its main class
     * @param arguments what it is given, as text
     * @return the process
     * @throws IOException if it cannot be started
     */
    public static Child run(Class<?> main, Object... arguments) throws IOException {
        return runIn("256m", main, arguments);
    }

    /**
     * Starts a process.
     *
     * @param heap the size of its heap, as Java's option takes it
     * @param main its main class
     * @param arguments what it is given, as text
     * @return the process
     * @throws IOException if it cannot be started
     */
    public static Child runIn(String heap, Class<?> main, Object... arguments) throws IOException {
        return new Child(new ProcessBuilder(command(heap, main, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /**
     * The command that starts such a process.
     *
     * @param heap the size of its heap, as Java's option takes it
     * @param main its main class
     * @param arguments what it is given, as text
     * @return the command
     */
    public static List<String> command(String heap, Class<?> main, Object... arguments) {
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

    /**
     * Waits for the next line.
     *
     * @return null at the end of the process
     */
    public @Nullable String line() {
        return out.next();
    }

    /**
     * Waits for a line that must be the next one.
     *
     * @param expected the line
     */
    public void expect(String expected) {
        String line = line();
        if (!expected.equals(line)) {
            throw new AssertionError(
                    "Expected the other process to print \"" + expected + "\", but it printed \"" + line + "\"");
        }
    }

    /**
     * Waits for all lines until the process ends.
     *
     * @return the lines
     */
    public List<String> rest() {
        List<String> lines = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            lines.add(line);
        }
        return lines;
    }

    /**
     * Sends it a line.
     *
     * @param line the line
     * @throws IOException if it has ended
     */
    public void send(String line) throws IOException {
        OutputStream in = process.getOutputStream();
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    /** Ends it as kill -9 does. Through its handle, because the process itself would also close what it has printed. */
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    /**
     * Stops it where it is, as a machine does that is suspended.
     *
     * @throws Exception if that fails
     */
    public void freeze() throws Exception {
        signal("-STOP");
    }

    /**
     * Lets it go on after {@link #freeze}.
     *
     * @throws Exception if that fails
     */
    public void thaw() throws Exception {
        signal("-CONT");
    }

    private void signal(String signal) throws Exception {
        int code = new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new AssertionError("Expected kill " + signal + " to succeed, but it exited with " + code);
        }
    }

    /** Asks it to end, as kill and every deployment do: SIGTERM. */
    public void terminate() {
        process.toHandle().destroy();
    }

    /**
     * Waits for the end of the process.
     *
     * @return its exit code
     * @throws InterruptedException if the thread is interrupted
     */
    public int exit() throws InterruptedException {
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
