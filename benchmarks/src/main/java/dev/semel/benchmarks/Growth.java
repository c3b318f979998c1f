package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The drain with many finished tasks, or with many more pending ones than are drained, in turns with a store that has
 * nothing but the tasks that are drained. What is left of the speed is the figure.
 */
record Growth(StoreUnderTest storage, Scale scale, boolean history, int size) implements Measure {

    // Raw history is not made beyond this: it would only show once more that the index does not grow with it.
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
                Ours large = new Ours(place, most, Work.USUAL_SIZE)) {
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

    private int grow(Ours ours) {
        fill(ours, size, history);
        return size;
    }

    /** Makes finished tasks. */
    static void finish(Ours ours, int size) {
        fill(ours, size, true);
    }

    private static void fill(Ours ours, int size, boolean finish) {
        // In parts, so that neither the requests nor the backlog of a history live on the heap at once.
        int part = 20_000;
        for (int from = 0; from < size; from += part) {
            int count = Math.min(part, size - from);
            ours.submitInBatches(Item.fresh(from, count, Keys.RISING));
            if (finish) {
                ours.finishQuickly(count);
            }
        }
    }

    /** The drain of a store with nothing but the tasks that are drained. */
    static double drainEmpty(StoreUnderTest storage, int drained) {
        try (StoreUnderTest.Place place = storage.fresh();
                Ours ours = new Ours(place, drained, Work.USUAL_SIZE)) {
            ours.submitInBatches(Item.fresh(0, drained, Keys.RISING));
            return drain(ours, drained);
        }
    }

    /** Drains at least so many tasks; how many in a second. */
    static double drain(Ours ours, int drained) {
        long executedBefore = ours.executed();
        long completedBefore = ours.store().completed();
        Lap took = Measures.drainAll(ours, drained);
        long executed = ours.executed() - executedBefore;
        long completed = ours.store().completed() - completedBefore;
        if (executed != completed || completed < drained) {
            throw new IllegalStateException(executed + " executions, but " + completed + " completions of at least "
                    + drained + "; the figure does not count");
        }
        return took.perSecond(drained);
    }

    private static double heapMegabytes() {
        // Twice, because what a cleaner releases is only collected the next time.
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6;
    }
}
