package dev.semel;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What is logged while it is open, by all threads. */
final class CapturedLog implements AutoCloseable {

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream captured = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    CapturedLog() {
        System.setErr(captured);
    }

    String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Returns the logged lines of one logger and those below it, without stacks. */
    List<String> linesOf(String logger) {
        return text().lines()
                .filter(line -> line.startsWith("["))
                .filter(line -> line.contains(" " + logger + " ") || line.contains(" " + logger + "."))
                .toList();
    }

    @Override
    public void close() {
        System.setErr(before);
        captured.close();
    }
}
