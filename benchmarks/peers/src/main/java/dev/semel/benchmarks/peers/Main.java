package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.BenchProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Runs the comparison:
 * {@code Main [--short] [--output DIRECTORY] [--json] [--only NAME]… [--list]}; see the script {@code benchmarks/peers/run}.
 */
public final class Main {

    private static final String USAGE =
            "usage: benchmarks/peers/run [--short] [--output DIRECTORY] [--json] [--only NAME]… [--list]";

    private Main() {}

    /**
     * Runs the comparison.
     *
     * @param arguments see above
     * @throws Exception if a sample failed; then there is no report, because its figures would be wrong
     */
    public static void main(String[] arguments) throws Exception {
        Options options = Options.of(arguments);
        if (options.list()) {
            Peers.names().forEach(System.out::println);
            return;
        }
        Scale scale = options.brief() ? Scale.BRIEF : Scale.FULL;
        try (Peers peers = new Peers(scale, options.brief() ? "short" : "full", options.only(), progress())) {
            Report report = peers.run();
            if (options.output() != null) {
                report.writeTo(options.output());
            }
            System.out.println(options.json() ? report.json() : report.markdown());
        }
        // Some libraries leave threads behind that are not daemons.
        System.exit(0);
    }

    private record Options(
            boolean brief,
            boolean json,
            boolean list,
            List<String> only,
            @Nullable Path output) {

        static Options of(String[] arguments) {
            boolean brief = false;
            boolean json = false;
            boolean list = false;
            Path output = null;
            List<String> only = new ArrayList<>();
            Iterator<String> all = List.of(arguments).iterator();
            while (all.hasNext()) {
                String argument = all.next();
                switch (argument) {
                    case "--short" -> brief = true;
                    case "--json" -> json = true;
                    case "--list" -> list = true;
                    case "--output" -> output = Path.of(following(argument, all));
                    case "--only" -> only.add(known(following(argument, all)));
                    default -> throw wrong("Unknown option \"" + argument + "\"");
                }
            }
            return new Options(brief, json, list, only, output);
        }

        private static String following(String argument, Iterator<String> all) {
            if (!all.hasNext()) {
                throw wrong("A value is missing after \"" + argument + "\"");
            }
            return all.next();
        }

        private static String known(String beginning) {
            if (Peers.names().stream().noneMatch(name -> name.startsWith(beginning))) {
                throw wrong("No measure starts with \"" + beginning + "\"; the measures are " + Peers.names());
            }
            return beginning;
        }

        /** Reports wrong usage and ends the program. */
        private static IllegalArgumentException wrong(String what) {
            System.err.println(what + ".\n" + USAGE);
            System.exit(2);
            return new IllegalArgumentException(what);
        }
    }

    private static BenchProgress progress() {
        long began = System.nanoTime();
        return (done, total, what) -> {
            Duration passed = Duration.ofNanos(System.nanoTime() - began);
            System.err.println(String.format(
                    Locale.ROOT,
                    "%3d:%02d  [%d/%d] %s",
                    passed.toMinutes(),
                    passed.toSecondsPart(),
                    done,
                    total,
                    what));
        };
    }
}
