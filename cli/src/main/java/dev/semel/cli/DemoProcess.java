package dev.semel.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A child process that runs Semel: started, read from, frozen and killed by its process id. */
final class DemoProcess implements AutoCloseable {

    private static final String END = "\0";

    private final String role;
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private DemoProcess(String role, Process process) {
        this.role = role;
        this.process = process;
    }

    /** A step of the demonstration failed; the message is reported as the observation. */
    static final class StepFailure extends RuntimeException {
        StepFailure(String message) {
            super(message, null, false, false);
        }
    }

    /** The processes of one demonstration. Closing the group ends them. */
    static final class Group implements AutoCloseable {

        private final Path directory;
        private final String store;
        private final List<DemoProcess> running = new ArrayList<>();
        private boolean closed;

        /**
         * Creates an empty group.
         *
         * @param directory holds the files that a killed process leaves behind, above all SQLite's library
         * @param store the URL of the store. It may contain a password, so it is passed in the environment, not as an
         *     argument
         */
        Group(Path directory, String store) {
            this.directory = directory;
            this.store = store;
        }

        synchronized DemoProcess start(String role, List<String> arguments) throws IOException {
            if (closed) {
                throw new StepFailure("the demo was ended");
            }
            List<String> command = new ArrayList<>(java(directory));
            command.addAll(arguments);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("children.log").toFile()));
            builder.environment().put("SEMEL_STORE", store);
            // Replicas of a store on object storage, which a killed process leaves behind.
            builder.environment().put("XDG_CACHE_HOME", directory.toString());
            DemoProcess started = new DemoProcess(role, builder.start());
            running.add(started);
            Thread.ofPlatform().daemon().name("demo-reader").start(started::read);
            return started;
        }

        synchronized boolean isClosed() {
            return closed;
        }

        /** Ends all processes, and refuses to start more. */
        @Override
        public synchronized void close() {
            closed = true;
            running.forEach(DemoProcess::close);
            running.forEach(each -> each.process.onExit().join());
        }
    }

    /** Returns the command that started this program, so that the children are the same program on the same JVM. */
    private static List<String> java(Path directory) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.add("-Dorg.sqlite.tmpdir=" + directory);
        command.add("-Duser.home=" + System.getProperty("user.home"));
        // The launcher's class recording makes the children start faster as well.
        for (String option : ProcessHandle.current().info().arguments().orElse(new String[0])) {
            if (option.startsWith("-XX:AOTCache=") || option.startsWith("-XX:SharedArchiveFile=")) {
                command.add(option);
                command.add("-Xlog:disable");
            }
        }
        String classPath = System.getProperty("java.class.path");
        if (classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator)) {
            command.addAll(List.of("-jar", classPath));
        } else {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, Main.class.getName()));
        }
        return command;
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            // The process was killed; its end is reported below.
            lines.add(END);
            return;
        }
        lines.add(END);
    }

    long pid() {
        return process.pid();
    }

    /** Returns the next line that the process prints. */
    String line(Duration patience) throws InterruptedException {
        String line = lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new StepFailure(role + " printed nothing for " + Text.span(patience));
        }
        if (line.equals(END)) {
            throw new StepFailure(role + " ended without the expected output");
        }
        return line;
    }

    void send(String line) throws IOException {
        Writer writer = process.outputWriter(StandardCharsets.UTF_8);
        writer.write(line + "\n");
        writer.flush();
    }

    int exitCode(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new StepFailure(role + " did not end within " + Text.span(patience));
        }
        return process.exitValue();
    }

    void freeze() throws IOException, InterruptedException {
        signal("-STOP");
    }

    void thaw() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int code =
                new ProcessBuilder("kill", name, Long.toString(pid())).start().waitFor();
        if (code != 0) {
            throw new StepFailure("kill " + name + " " + pid() + " failed");
        }
    }

    /** Kills the process (kill -9), and waits until it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends the process, even if it is frozen. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
