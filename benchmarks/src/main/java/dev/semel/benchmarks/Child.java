package dev.semel.benchmarks;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child JVM that takes part in a measure. Both sides exchange lines. */
final class Child implements AutoCloseable {

    private final Process process;
    private final BufferedReader in;
    private final BufferedWriter out;

    private Child(Process process) {
        this.process = process;
        this.in = process.inputReader();
        this.out = process.outputWriter();
    }

    /** Starts a child in a role and waits until it is ready. */
    static Child start(String role, String url, int number) throws IOException {
        return start(List.of(), role, url, number);
    }

    /** Starts a child under another program, such as a tracer. */
    static Child start(List<String> under, String role, String url, int number) throws IOException {
        return start(under, ChildMain.class, url, role, Integer.toString(number));
    }

    /** Starts another main class, which prints {@link ChildMain#READY} when it is ready. */
    static Child start(Class<?> main, String url, String... arguments) throws IOException {
        return start(List.of(), main, url, arguments);
    }

    private static Child start(List<String> under, Class<?> main, String url, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(under);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx512m",
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
        builder.environment().put(ChildMain.STORE, url);
        Child child = new Child(builder.start());
        String first = child.receive();
        if (!first.equals(ChildMain.READY)) {
            child.close();
            throw new IOException("A child process with the arguments " + List.of(arguments) + " should print \""
                    + ChildMain.READY + "\", but printed \"" + first + "\".");
        }
        return child;
    }

    void send(String line) throws IOException {
        out.write(line);
        out.newLine();
        out.flush();
    }

    String receive() throws IOException {
        String line = in.readLine();
        return line == null ? "(the process has ended)" : line;
    }

    /** Ends the child, which exits when its input ends. */
    @Override
    public void close() throws IOException {
        try {
            out.close();
        } catch (IOException e) {
            // The child has already ended, so its pipe is broken. That is fine.
            process.destroy();
        }
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
