package dev.semel.cli;

import dev.semel.task.Durations;
import dev.semel.task.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** A list that is printed once or, with {@code --watch}, repeatedly until Ctrl-C. */
final class Watch {

    private static final String OPTION = "--watch";
    private static final String USUAL = "2s";
    private static final String CLEAR = "\u001b[H\u001b[2J\u001b[3J";
    private static final int PATIENCE_SECONDS = 5;

    private Watch() {}

    static CommandSpec option(CommandSpec spec) {
        return spec.addOption(Options.optional(
                OPTION,
                "INTERVAL",
                USUAL,
                "Print the list again at this interval until Ctrl-C. Default:" + " " + USUAL + "."));
    }

    /** Returns the checked interval, or null to print the list once. Called before anything is opened. */
    static @Nullable Duration interval(Invocation invocation) {
        Duration given = invocation.duration(OPTION);
        return given == null ? null : Limits.positive("watch interval", given);
    }

    /** Prints frames. Ctrl-C is the normal end of a watch, so the exit code is 0. */
    static int show(Invocation invocation, @Nullable Duration interval, Runnable frame) {
        if (interval == null) {
            frame.run();
            return ExitCode.DONE;
        }
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        try (ShutdownHook hook = new ShutdownHook(() -> end(stopped, ended))) {
            Console console = invocation.console();
            boolean first = true;
            do {
                before(invocation, interval, first);
                first = false;
                frame.run();
                // The reader of the output has closed it: that ends the watch as well.
            } while (!console.out().checkError() && !stopped.await(interval.toMillis(), TimeUnit.MILLISECONDS));
            return ExitCode.DONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        } finally {
            ended.countDown();
        }
    }

    private static void before(Invocation invocation, Duration interval, boolean first) {
        Console console = invocation.console();
        if (invocation.json()) {
            return;
        }
        if (console.isTerminal()) {
            console.out().print(CLEAR);
        } else if (!first) {
            console.out().println();
        }
        console.out().println(Text.time(Instant.now()) + ", every " + Durations.text(interval) + ", Ctrl-C to stop");
    }

    /**
     * Halts the JVM with exit code 0 after the current frame is printed. By itself the JVM would exit with 130 after an
     * interrupt.
     */
    private static void end(CountDownLatch stopped, CountDownLatch ended) {
        stopped.countDown();
        try {
            ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(ExitCode.DONE);
    }
}
