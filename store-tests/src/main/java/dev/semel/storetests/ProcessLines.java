package dev.semel.storetests;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What another Java process prints, line by line. A process that is silent for too long prints what its threads do to the standard
 * error of this one and is killed: reading from it cannot be interrupted, and a test that waits for ever reports nothing.
 */
public final class ProcessLines {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int DUMP_SECONDS = 20;

    private final Process process;
    private final BufferedReader out;
    private final Executor afterPatience;
    private volatile boolean gaveUp;

    /**
     * Reads what a process prints.
     *
     * @param process a Java process whose output no other reader consumes
     */
    public ProcessLines(Process process) {
        this(process, PATIENCE);
    }

    ProcessLines(Process process, Duration patience) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.afterPatience = CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for the next line.
     *
     * @return the line; null at the end of the process
     * @throws AssertionError if the process was silent for too long
     */
    public @Nullable String next() {
        CompletableFuture<Void> patience = CompletableFuture.runAsync(this::giveUp, afterPatience);
        try {
            String line = out.readLine();
            if (gaveUp) {
                throw new AssertionError("The other process was silent for too long and was killed; what its threads"
                        + " did is in the standard error of this one");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            patience.cancel(false);
        }
    }

    private void giveUp() {
        gaveUp = true;
        try {
            System.err.println(threads());
        } catch (IOException e) {
            System.err.println("The threads of the silent process cannot be shown: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // Through its handle: the process itself would also close what it has printed.
            process.toHandle().destroyForcibly();
        }
    }

    private String threads() throws IOException, InterruptedException {
        Path file = Files.createTempFile("semel-threads", ".txt");
        try {
            Process dump = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(process.pid()),
                            "Thread.print")
                    .redirectErrorStream(true)
                    .redirectOutput(file.toFile())
                    .start();
            if (!dump.waitFor(DUMP_SECONDS, TimeUnit.SECONDS)) {
                dump.destroyForcibly();
            }
            return Files.readString(file);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
