package dev.semel.cli;

import dev.semel.benchmarks.Bench;
import dev.semel.benchmarks.BenchOptions;
import dev.semel.benchmarks.BenchProgress;
import dev.semel.benchmarks.BenchReport;
import dev.semel.task.SemelException;
import java.nio.file.Path;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel bench}: measures how fast Semel is here, beside the raw limit of the same storage. */
final class BenchCommand implements Command {

    private static final String SHORT = "--short";
    private static final String OUTPUT = "--output";
    private static final String ONLY = "--only";

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Measures how fast Semel is here, beside the raw limit of the same storage.",
                        "Works in a directory of its own beside the store, or in schemas of its own in the database, and"
                                + " removes them; the store itself is not touched.",
                        "semel bench --short",
                        "semel bench --store sqlite:/var/lib/semel/semel.db --output report",
                        "semel bench --store postgresql://user@localhost/app --short",
                        "semel bench --only life --only drain")
                .addOption(Options.flag(SHORT, "Small samples: a first impression in under two minutes."))
                .addOption(Options.value(OUTPUT, "DIR", "Write report.md with charts, and report.json, there."))
                .addOption(Options.repeated(ONLY, "NAME", "Only measures whose name begins so; may be repeated."));
    }

    @Override
    public int run(Invocation invocation) {
        String output = invocation.text(OUTPUT);
        StoreUrl url = invocation.store();
        String database = url.database();
        BenchOptions options = new BenchOptions(
                database == null ? url.toString() : database,
                invocation.has(SHORT),
                invocation.texts(ONLY),
                output == null ? null : Path.of(output));
        BenchReport report = measured(options, invocation.console());
        invocation.console().out().println(invocation.json() ? report.json() : report.markdown());
        return ExitCode.DONE;
    }

    private static BenchReport measured(BenchOptions options, Console console) {
        try (ProgressBar bar = new ProgressBarBuilder()
                .setTaskName("bench")
                .setInitialMax(100)
                .setUpdateIntervalMillis(500)
                .setConsumer(new ConsoleProgressBarConsumer(console.err(), 100))
                .build()) {
            BenchProgress progress = (done, total, what) -> {
                bar.maxHint(total);
                bar.stepTo(done);
                bar.setExtraMessage(what);
            };
            return new Bench(options, progress).run();
        } catch (SemelException | IllegalStateException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The benchmarks failed: " + e.getMessage(), e);
        }
    }
}
