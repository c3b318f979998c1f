package dev.semel.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** Another one, for callers inside the same program; it is no terminal. */
    static Console of(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {
        return new Console(in, out, err, environment, false);
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

    boolean hasColors(boolean refused) {
        String none = environment.get("NO_COLOR");
        return !refused && (none == null || none.isEmpty()) && isTerminal() && !"dumb".equals(environment.get("TERM"));
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
