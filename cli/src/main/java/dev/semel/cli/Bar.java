package dev.semel.cli;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar on standard error for work on many tasks. Shows nothing if the output is not a terminal. */
final class Bar implements AutoCloseable {

    private static final int WIDTH = 100;

    private final @Nullable ProgressBar bar;

    /** Creates a bar; a negative total means that the total is unknown. */
    Bar(Invocation invocation, String name, long total) {
        Console console = invocation.console();
        this.bar = invocation.json() || !console.isTerminal()
                ? null
                : new ProgressBarBuilder()
                        .setTaskName(name)
                        .setStyle(
                                console.hasColors()
                                        ? ProgressBarStyle.COLORFUL_UNICODE_BLOCK
                                        : ProgressBarStyle.UNICODE_BLOCK)
                        .setInitialMax(total)
                        .setUpdateIntervalMillis(200)
                        .clearDisplayOnFinish()
                        .setConsumer(new ConsoleProgressBarConsumer(console.err(), Math.min(WIDTH, console.width())))
                        .build();
    }

    void at(long done) {
        if (bar != null) {
            bar.stepTo(done);
        }
    }

    void step() {
        if (bar != null) {
            bar.step();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
