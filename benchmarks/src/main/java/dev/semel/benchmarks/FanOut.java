package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import dev.semel.engine.Worker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * One workflow that starts many steps and gathers their results, in turns with a plain batch of as many tasks that is submitted and drained. The
 * figure is the share of the speed that is left.
 */
record FanOut(StoreUnderTest storage, Scale scale, int steps) implements Measure {

    static final String SECTION = "Fan-out";

    static final List<Integer> SIZES = List.of(100, 1_000, 10_000);

    @Override
    public String id() {
        return "fan-out-" + steps;
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "%,d steps", steps);
    }

    @Override
    public Result take() {
        int rounds = Math.max(1, Math.min(20, 2_000 / steps));
        List<Double> gathered = new ArrayList<>();
        List<Double> plain = new ArrayList<>();
        Map<String, Double> details = new LinkedHashMap<>();
        double unused = plain(rounds);
        Sample warm = gather(rounds);
        for (int i = 0; i < scale.repeats(); i++) {
            plain.add(plain(rounds));
            warm = gather(rounds);
            gathered.add(warm.perSecond());
        }
        details.put("calls of the store per 1,000 steps", warm.calls());
        details.put("heap before, MB", warm.heapBefore());
        details.put("heap with it, MB", warm.heapAfter());
        return new Result(id(), SECTION, title(), "steps/s", new Series(gathered), null, new Series(plain), details);
    }

    /** Submits batches one after the other, and returns the tasks per second. */
    private double plain(int rounds) {
        try (StoreUnderTest.Place place = storage.fresh();
                SemelRunner ours = new SemelRunner(place, steps * rounds, Work.USUAL_SIZE);
                Worker worker = ours.work()) {
            Lap.Begun began = ours.begin();
            for (int i = 0; i < rounds; i++) {
                Lap unused = ours.submitInBatches(Item.fresh(i * steps, steps, Keys.NONE));
                ours.store().awaitCompleted((i + 1L) * steps);
            }
            Lap took = began.end();
            worker.close();
            ours.checkExecutedOnce(0, steps * rounds);
            return took.perSecond(steps * rounds);
        }
    }

    private record Sample(double perSecond, double calls, double heapBefore, double heapAfter) {}

    /** Runs workflows one after the other, and returns the steps per second. */
    private Sample gather(int rounds) {
        AtomicIntegerArray runs = new AtomicIntegerArray(steps * rounds);
        double heapBefore = Growth.heapMegabytes();
        try (StoreUnderTest.Place place = storage.fresh();
                WorkflowRunner ours = new WorkflowRunner(place);
                Worker worker = ours.work(runs::incrementAndGet)) {
            long calls = ours.store().calls().total();
            Lap.Begun began = Lap.begin(place::logged);
            for (int i = 0; i < rounds; i++) {
                WorkflowRunner.startAll(
                        ours.semel(),
                        WorkflowRunner.FAN_OUT,
                        List.of(new WorkflowRunner.Plan(i * steps, steps)),
                        "fan-" + i + "-");
                ours.store().awaitCompleted((i + 1L) * (steps + 1));
            }
            Lap took = began.end();
            double perThousand = (ours.store().calls().total() - calls) * 1_000.0 / (steps * rounds);
            double heapAfter = Growth.heapMegabytes();
            worker.close();
            for (int step = 0; step < runs.length(); step++) {
                if (runs.get(step) != 1) {
                    throw new IllegalStateException("Expected step " + step + " to run once, but it ran "
                            + runs.get(step) + " times, so the figure is not valid");
                }
            }
            return new Sample(took.perSecond(steps * rounds), perThousand, heapBefore, heapAfter);
        }
    }
}
