package dev.semel.cli;

import dev.semel.task.InvalidInput;
import dev.semel.task.SemelException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code semel bench}: measures how fast Semel is on this machine, next to the raw limit of the same storage. Hidden if
 * no {@link Benchmarks} are on the class path.
 */
final class BenchCommand implements Command {

    private static final String SHORT = "--short";
    private static final String OUTPUT = "--output";
    private static final String ONLY = "--only";

    private final Optional<Benchmarks> benchmarks =
            ServiceLoader.load(Benchmarks.class).findFirst();

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(
                        this,
                        "Measures how fast Semel is on this machine, next to the raw limit of the same storage.",
                        "Creates a separate directory next to the store, separate schemas in the database, or separate"
                                + " prefixes in the bucket, and removes them afterwards. The store itself is not changed.",
                        "semel bench --short",
                        "semel bench --store sqlite:/var/lib/semel/semel.db --output report",
                        "semel bench --store postgresql://user@localhost/app --short",
                        "semel bench --only life --only drain")
                .addOption(Options.flag(SHORT, "Take small samples, for a first impression in under two minutes."))
                .addOption(Options.value(
                        OUTPUT, "DIR", "Write report.md with charts, and report.json, to this" + " directory."))
                .addOption(Options.repeated(
                        ONLY, "NAME", "Take only the measures whose names start with NAME. May be" + " repeated."));
        spec.usageMessage().hidden(benchmarks.isEmpty());
        return spec;
    }

    @Override
    public int run(Invocation invocation) {
        Benchmarks found = benchmarks.orElseThrow(
                () -> new InvalidInput("The published program has no benchmarks, so \"bench\" is not available. Run"
                        + " \"./semel bench\" in a checkout of Semel's sources."));
        String output = invocation.text(OUTPUT);
        StoreUrl url = invocation.store().withoutServer("bench");
        Benchmarks.Request request = new Benchmarks.Request(
                url.complete(),
                invocation.has(SHORT),
                invocation.texts(ONLY),
                output == null ? null : Path.of(output),
                invocation.json());
        invocation.console().out().println(measured(found, request, invocation.console()));
        return ExitCode.DONE;
    }

    private static String measured(Benchmarks benchmarks, Benchmarks.Request request, Console console) {
        try (ProgressBar bar = new ProgressBarBuilder()
                .setTaskName("bench")
                .setInitialMax(100)
                .setUpdateIntervalMillis(500)
                .setConsumer(new ConsoleProgressBarConsumer(console.err(), 100))
                .build()) {
            Benchmarks.Progress progress = (done, total, what) -> {
                bar.maxHint(total);
                bar.stepTo(done);
                bar.setExtraMessage(what);
            };
            return benchmarks.measure(request, progress);
        } catch (SemelException | IllegalStateException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The benchmarks failed: " + e.getMessage(), e);
        }
    }
}
