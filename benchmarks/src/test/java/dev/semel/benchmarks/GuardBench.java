package dev.semel.benchmarks;

import dev.semel.guard.Begun;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * Calls per second of a guard, new ones and duplicates, next to the bare commands that it sends and next to
 * hand-written commands, in the same run. Prints a table in Markdown.
 *
 * <p>Runs as {@code main} on the class path of the tests, or by {@code ./mvnw -pl benchmarks -am test
 * -Dtest=GuardBenchTest -Dsurefire.failIfNoSpecifiedTests=false -Dguard.bench=full}.
 */
final class GuardBench {

    private static final String RESULT = "a result of some forty characters of text";

    /** One row of the table. */
    record Row(String storage, boolean fresh, int threads, Series ours, Series bare, Series raw) {

        /** Returns the share of the speed of the store's bare commands. */
        double toBare() {
            return ours.ratioTo(bare);
        }

        /** Returns the share of the speed of hand-written commands. */
        double toRaw() {
            return ours.ratioTo(raw);
        }
    }

    private final double scale;
    private final int repeats;
    private final int known;
    private int round;

    /**
     * Prepares a run.
     *
     * @param scale the share of a full sample to take
     * @param repeats the number of samples of each
     */
    GuardBench(double scale, int repeats) {
        this.scale = scale;
        this.repeats = repeats;
        this.known = Math.max(1, (int) (1_000 * scale));
    }

    public static void main(String[] arguments) {
        System.out.println(table(new GuardBench(1, 3).run(".*", List.of(1, 8, 64))));
    }

    /**
     * Measures.
     *
     * @param only the names of the stores to measure, as a pattern
     */
    List<Row> run(String only, List<Integer> threads) {
        List<Row> rows = new ArrayList<>();
        List<Supplier<GuardStorage>> all = List.of(
                GuardStorage.Redis::new,
                GuardStorage.Postgres::new,
                GuardStorage.Sqlite::new,
                GuardStorage.Memory::new);
        for (Supplier<GuardStorage> each : all) {
            try (GuardStorage storage = each.get();
                    GuardStore store = storage.open();
                    Guard guard = Guard.on(store).remember(0).build()) {
                if (!storage.name().matches(only)) {
                    continue;
                }
                known(storage, guard);
                // A warm-up for the JIT compiler.
                for (int i = 0; i < 2; i++) {
                    sampled(storage, store, guard, true, 8);
                    sampled(storage, store, guard, false, 8);
                }
                for (boolean fresh : new boolean[] {true, false}) {
                    threads.forEach(number -> rows.add(row(storage, store, guard, fresh, number)));
                }
            }
        }
        return rows;
    }

    private Row row(GuardStorage storage, GuardStore store, Guard guard, boolean fresh, int threads) {
        List<Double> ours = new ArrayList<>();
        List<Double> bare = new ArrayList<>();
        List<Double> raw = new ArrayList<>();
        for (int i = 0; i < repeats; i++) {
            double[] triple = sampled(storage, store, guard, fresh, threads);
            ours.add(triple[0]);
            bare.add(triple[1]);
            raw.add(triple[2]);
        }
        return new Row(storage.name(), fresh, threads, new Series(ours), new Series(bare), new Series(raw));
    }

    private void known(GuardStorage storage, Guard guard) {
        for (int i = 0; i < known; i++) {
            guard.once("known-" + i, String.class, token -> RESULT);
            storage.rawNew("known-" + i, RESULT);
        }
    }

    /**
     * Measures calls per second of the guard, of the store alone and of hand-written commands, one right after the
     * other.
     */
    private double[] sampled(GuardStorage storage, GuardStore store, Guard guard, boolean fresh, int threads) {
        int number = Math.max(threads, (int) (storage.sample(fresh, threads) * scale));
        String keys = fresh ? "new-" + round++ + "-" : "known-";
        Lap ours = Callers.run(threads, number, i -> {
            String key = keys + (fresh ? i : i % known);
            String result = guard.once(key, String.class, token -> RESULT);
            GuardStorage.found(result);
        });
        String bareKeys = fresh ? "bare-" + keys : keys;
        Lap bare = Callers.run(threads, number, i -> bare(store, bareKeys + (fresh ? i : i % known), fresh));
        Lap raw = Callers.run(threads, number, i -> {
            if (fresh) {
                storage.rawNew(keys + i, RESULT);
            } else {
                storage.rawDuplicate(keys + i % known);
            }
        });
        return new double[] {ours.perSecond(number), bare.perSecond(number), raw.perSecond(number)};
    }

    /** Runs the same commands that a guard sends, without the guard. */
    private static void bare(GuardStore store, String key, boolean fresh) {
        Hold hold = new Hold(
                new GuardKey("default", key),
                OwnerToken.next(ThreadLocalRandom.current()),
                null,
                Duration.ofSeconds(30),
                Duration.ofHours(24));
        Begun begun = store.begin(hold);
        if (begun instanceof Begun.Entered != fresh) {
            throw new IllegalStateException("Expected something else than " + begun);
        }
        if (fresh) {
            store.finish(hold, '"' + RESULT + '"');
        }
    }

    static String table(List<Row> rows) {
        StringBuilder text =
                new StringBuilder("| store | calls | threads | guard, calls/s | its commands bare | plain commands |"
                        + " to bare | to plain |\n");
        text.append("|---|---|--:|--:|--:|--:|--:|--:|\n");
        for (Row row : rows) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | %s | %s | %s | %.2f | %.2f |%n",
                    row.storage(),
                    row.fresh() ? "new" : "duplicate",
                    row.threads(),
                    series(row.ours()),
                    series(row.bare()),
                    series(row.raw()),
                    row.toBare(),
                    row.toRaw()));
        }
        return text.toString();
    }

    private static String series(Series series) {
        return Markdown.number(series.median()) + String.format(Locale.ROOT, " (%.0f %%)", 100 * series.spread());
    }
}
