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

/** A second Semel program beside this one: started, listened to, frozen and killed by its process id. */
final class DemoProcess implements AutoCloseable {

    private static final String END = "\0";

    private final String role;
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private DemoProcess(String role, Process process) {
        this.role = role;
        this.process = process;
    }

    /** The demonstration cannot go on as planned; the message becomes what was seen. */
    static final class Trouble extends RuntimeException {
        Trouble(String message) {
            super(message, null, false, false);
        }
    }

    /** Starts the processes of one demonstration, and ends them all with it. */
    static final class Group implements AutoCloseable {

        private final Path directory;
        private final String store;
        private final List<DemoProcess> running = new ArrayList<>();
        private boolean closed;

        /**
         * Makes a group without processes.
         *
         * @param directory what a killed process cannot clean up, SQLite's library above all, stays there
         * @param store the URL of the store, which may have a password: it goes where no list of processes shows it
         */
        Group(Path directory, String store) {
            this.directory = directory;
            this.store = store;
        }

        synchronized DemoProcess start(String role, List<String> arguments) throws IOException {
            if (closed) {
                throw new Trouble("the demo was ended");
            }
            List<String> command = new ArrayList<>(java(directory));
            command.addAll(arguments);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("children.log").toFile()));
            builder.environment().put("SEMEL_STORE", store);
            DemoProcess started = new DemoProcess(role, builder.start());
            running.add(started);
            Thread.ofPlatform().daemon().name("demo-reader").start(started::read);
            return started;
        }

        synchronized boolean isClosed() {
            return closed;
        }

        /** Ends all of them, and starts no more. */
        @Override
        public synchronized void close() {
            closed = true;
            running.forEach(DemoProcess::close);
            running.forEach(each -> each.process.onExit().join());
        }
    }

    /** How this very program was started, so that its children are the same program on the same JVM. */
    private static List<String> java(Path directory) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.add("-Dorg.sqlite.tmpdir=" + directory);
        // What the launcher recorded for a fast start serves the children as well.
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
            // Killed; its end is told below.
            lines.add(END);
            return;
        }
        lines.add(END);
    }

    long pid() {
        return process.pid();
    }

    /** The next line that it prints. */
    String line(Duration patience) throws InterruptedException {
        String line = lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new Trouble(role + " said nothing for " + Text.span(patience));
        }
        if (line.equals(END)) {
            throw new Trouble(role + " ended without saying what it was asked for");
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
            throw new Trouble(role + " did not end within " + Text.span(patience));
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
            throw new Trouble("kill " + name + " " + pid() + " failed");
        }
    }

    /** kill -9, and waits until it is really gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends it whatever it does; also a frozen one. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
