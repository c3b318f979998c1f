package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The drain with many finished tasks, or with many more pending tasks than are drained, in turns with a store that has
 * only the drained tasks. The figure is the remaining share of the speed.
 */
record Growth(StoreUnderTest storage, Scale scale, boolean history, int size) implements Measure {

    // The raw history is limited to this size: beyond it, it would only confirm that the index does not grow with it.
    static final int MOST_DRAINED = 50_000;

    @Override
    public String id() {
        return (history ? "history-" : "backlog-") + size;
    }

    @Override
    public String title() {
        return String.format(java.util.Locale.ROOT, "drain with %,d %s", size, history ? "finished" : "pending");
    }

    @Override
    public Result take() {
        int drained =
                history ? Math.min(scale.tasks(), MOST_DRAINED) : Math.min(size, Math.min(scale.tasks(), MOST_DRAINED));
        int most = size + (scale.repeats() + 1) * drained;
        List<Double> grown = new ArrayList<>();
        List<Double> empty = new ArrayList<>();
        double heapBefore = heapMegabytes();
        double heapAfter;
        try (StoreUnderTest.Place place = storage.fresh();
                SemelRunner large = new SemelRunner(place, most, Work.USUAL_SIZE)) {
            int next = grow(large);
            drainEmpty(storage, drained);
            for (int i = 0; i < scale.repeats(); i++) {
                empty.add(drainEmpty(storage, drained));
                large.submitInBatches(Item.fresh(next, drained, Keys.RISING));
                next += drained;
                grown.add(drain(large, drained));
            }
            heapAfter = heapMegabytes();
        }
        return new Result(
                id(),
                history ? "History" : "Backlog",
                title(),
                "tasks/s",
                new Series(grown),
                null,
                new Series(empty),
                Map.of("heap before, MB", heapBefore, "heap with it, MB", heapAfter));
    }

    private int grow(SemelRunner ours) {
        fill(ours, size, history);
        return size;
    }

    /** Creates finished tasks. */
    static void finish(SemelRunner ours, int size) {
        fill(ours, size, true);
    }

    private static void fill(SemelRunner ours, int size, boolean finish) {
        // In parts, so that neither all requests nor the whole backlog are on the heap at the same time.
        int part = 20_000;
        for (int from = 0; from < size; from += part) {
            int count = Math.min(part, size - from);
            ours.submitInBatches(Item.fresh(from, count, Keys.RISING));
            if (finish) {
                ours.finishQuickly(count);
            }
        }
    }

    /** Drains a store that has only the drained tasks. */
    static double drainEmpty(StoreUnderTest storage, int drained) {
        try (StoreUnderTest.Place place = storage.fresh();
                SemelRunner ours = new SemelRunner(place, drained, Work.USUAL_SIZE)) {
            ours.submitInBatches(Item.fresh(0, drained, Keys.RISING));
            return drain(ours, drained);
        }
    }

    /** Drains at least a number of tasks, and returns the tasks per second. */
    static double drain(SemelRunner ours, int drained) {
        long executedBefore = ours.executed();
        long completedBefore = ours.store().completed();
        Lap took = Measures.drainAll(ours, drained);
        long executed = ours.executed() - executedBefore;
        long completed = ours.store().completed() - completedBefore;
        if (executed != completed || completed < drained) {
            throw new IllegalStateException("Expected as many executions as completions, and at least " + drained + ","
                    + " but got " + executed + " executions and " + completed + " completions, so the figure is not"
                    + " valid");
        }
        return took.perSecond(drained);
    }

    /** Returns the used heap after a collection. */
    static double heapMegabytes() {
        // Twice, because memory that a cleaner releases is collected only the next time.
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6;
    }
}
