package dev.semel.cli;

import dev.semel.task.Durations;
import dev.semel.task.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** A list that is shown once or, with {@code --watch}, again and again until Ctrl-C. */
final class Watch {

    private static final String OPTION = "--watch";
    private static final String USUAL = "2s";
    private static final String CLEAR = "\u001b[H\u001b[2J\u001b[3J";
    private static final int PATIENCE_SECONDS = 5;

    private Watch() {}

    static CommandSpec option(CommandSpec spec) {
        return spec.addOption(Options.optional(
                OPTION, "INTERVAL", USUAL, "Show it again every so often, until Ctrl-C; " + USUAL + "."));
    }

    /** Checks the interval before anything is opened; null to show the list once. */
    static @Nullable Duration interval(Invocation invocation) {
        Duration given = invocation.duration(OPTION);
        return given == null ? null : Limits.positive("watch interval", given);
    }

    /** Prints frames. Ctrl-C is how a watch is meant to end, so its exit code is 0. */
    static int show(Invocation invocation, @Nullable Duration interval, Runnable frame) {
        if (interval == null) {
            frame.run();
            return ExitCode.DONE;
        }
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        try (AtSignal atSignal = new AtSignal(() -> end(told, ended))) {
            Console console = invocation.console();
            boolean first = true;
            do {
                before(invocation, interval, first);
                first = false;
                frame.run();
                // Nobody reads any more: that is an end as well.
            } while (!console.out().checkError() && !told.await(interval.toMillis(), TimeUnit.MILLISECONDS));
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
        console.out().println(Text.time(Instant.now()) + ", every " + Durations.text(interval) + ", Ctrl-C ends it");
    }

    /** The JVM would give 130 after an interrupt: it is ended here as soon as the frame that is being printed is done. */
    private static void end(CountDownLatch told, CountDownLatch ended) {
        told.countDown();
        try {
            ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(ExitCode.DONE);
    }
}
