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

/** The streams and the environment of a command. */
final class Console {

    /** The width if the output is not a terminal: nothing is cut. */
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
        this.out = new Safe(out);
        this.err = new Safe(err);
        this.environment = environment;
        this.system = system;
    }

    /** Returns the console of this process. Always UTF-8, because JSON is UTF-8 whatever the locale. */
    static Console ofSystem() {
        return new Console(System.in, utf8(FileDescriptor.out), utf8(FileDescriptor.err), System.getenv(), true);
    }

    /**
     * Returns whether the program was started with its standard input closed. The JVM then opens its own files under
     * descriptor 0, and reading would return their bytes.
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

    /** Returns a console for callers inside the same process; it is not a terminal. */
    static Console of(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {
        return new Console(in, out, err, environment, false);
    }

    /** Returns a console that counts as a terminal. */
    static Console ofTerminal(InputStream in, PrintStream out, PrintStream err, Map<String, String> environment) {
        Console console = of(in, out, err, environment);
        console.terminal = true;
        return console;
    }

    /**
     * A stream that escapes characters which change how others are shown, whichever command prints them. In text of its
     * own this program uses none.
     */
    private static final class Safe extends PrintStream {

        Safe(PrintStream to) {
            super(to, true, StandardCharsets.UTF_8);
        }

        @Override
        public void print(@Nullable String text) {
            super.print(Text.withoutFormatting(String.valueOf(text)));
        }
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

    /**
     * Returns whether standard output is a terminal. Looked up on the first call, because most commands never need it.
     */
    boolean isTerminal() {
        Boolean known = terminal;
        if (known == null) {
            known = system && looksLikeTerminal();
            terminal = known;
        }
        return known;
    }

    // System.console() cannot be used: up to JDK 21 it needs both input and output to be a terminal, and later it is
    // never null.
    private static boolean looksLikeTerminal() {
        try {
            String device = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty") || device.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return !shell("test -t 1 && echo yes >&2").isEmpty();
        }
    }

    /** Asks a question at the terminal. Any answer other than y or yes means no. */
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

    /** Returns the number of characters that fit into a line. */
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

    /** Turns colours off. */
    void refuseColors() {
        plain = true;
    }

    boolean hasColors() {
        String none = environment.get("NO_COLOR");
        return !plain && (none == null || none.isEmpty()) && isTerminal() && !"dumb".equals(environment.get("TERM"));
    }

    /**
     * Runs a small script that inherits standard output, and returns what it writes to standard error; empty if it
     * fails.
     */
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
