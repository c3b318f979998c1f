package dev.semel.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Where a command reads and writes, and what it knows of its surroundings. */
final class Console {

    /** The width where the output is no terminal: nothing is cut. */
    static final int UNLIMITED = Integer.MAX_VALUE;

    private static final int USUAL_WIDTH = 80;

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> environment;
    private final boolean system;
    private @Nullable Boolean terminal;
    private boolean plain;

    private Console(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment, boolean system) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.environment = environment;
        this.system = system;
    }

    /** The program's own. Always UTF-8, because that is what JSON is, whatever the locale says. */
    static Console ofSystem() {
        return new Console(System.in, utf8(FileDescriptor.out), utf8(FileDescriptor.err), System.getenv(), true);
    }

    /**
     * Whether the program was started with its standard input closed. The JVM then opens files of its own under that number,
     * and reading would give their bytes.
     */
    boolean isInputClosed() {
        if (!system) {
            return false;
        }
        try {
            Path device = Path.of("/proc/self/fd/0").toRealPath();
            String name = device.toString();
            return name.endsWith(".jar")
                    || name.endsWith(".aot")
                    || name.endsWith(".jsa")
                    || device.startsWith(
                            Path.of(System.getProperty("java.home")).toRealPath());
        } catch (NoSuchFileException e) {
            return !Files.isSymbolicLink(Path.of("/proc/self/fd/0")) && Files.isDirectory(Path.of("/proc/self/fd"));
        } catch (IOException e) {
            return false;
        }
    }

    /** Another one, for callers inside the same program; it is no terminal. */
    static Console of(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {
        return new Console(in, out, err, environment, false);
    }

    /** Another one that passes for a terminal. */
    static Console ofTerminal(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {
        Console console = of(in, out, err, environment);
        console.terminal = true;
        return console;
    }

    private static PrintStream utf8(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    InputStream in() {
        return in;
    }

    PrintStream out() {
        return out;
    }

    PrintStream err() {
        return err;
    }

    Map<String, String> environment() {
        return environment;
    }

    /** Whether standard output is a terminal. Looked up only when asked: most commands never need to know. */
    boolean isTerminal() {
        Boolean known = terminal;
        if (known == null) {
            known = system && looksLikeTerminal();
            terminal = known;
        }
        return known;
    }

    // System.console() does not say it: up to JDK 21 it is about input and output together, and later it is always
    // there.
    private static boolean looksLikeTerminal() {
        try {
            String device = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty") || device.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return !shell("test -t 1 && echo yes >&2").isEmpty();
        }
    }

    /** Asks whoever sits at the terminal; whatever is not a clear yes is a no. */
    boolean confirms(String question) {
        err.print(question + " [y/N] ");
        err.flush();
        try {
            StringBuilder answer = new StringBuilder();
            for (int c = in.read(); c >= 0 && c != '\n' && answer.length() < 100; c = in.read()) {
                answer.append((char) c);
            }
            String word = answer.toString().strip().toLowerCase(Locale.ROOT);
            return word.equals("y") || word.equals("yes");
        } catch (IOException e) {
            return false;
        }
    }

    /** How many characters fit into a line. */
    int width() {
        String columns = environment.get("COLUMNS");
        if (columns != null && columns.matches("[1-9]\\d{0,4}")) {
            return Integer.parseInt(columns);
        }
        if (!isTerminal()) {
            return UNLIMITED;
        }
        String[] size = shell("stty size </dev/tty >&2").split(" ", -1);
        return size.length == 2 && size[1].matches("[1-9]\\d{0,4}") ? Integer.parseInt(size[1]) : USUAL_WIDTH;
    }

    /** From now on there are no colours. */
    void refuseColors() {
        plain = true;
    }

    boolean hasColors() {
        String none = environment.get("NO_COLOR");
        return !plain && (none == null || none.isEmpty()) && isTerminal() && !"dumb".equals(environment.get("TERM"));
    }

    /** What a small script writes to standard error while standard output is ours; empty if it cannot be run. */
    private static String shell(String script) {
        try {
            Process process = new ProcessBuilder(List.of("sh", "-c", script))
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String answer = new String(process.getErrorStream().readNBytes(100), StandardCharsets.UTF_8).strip();
            return process.waitFor(1, TimeUnit.SECONDS) && process.exitValue() == 0 ? answer : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
