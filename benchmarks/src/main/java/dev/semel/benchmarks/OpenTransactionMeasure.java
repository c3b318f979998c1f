package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The drain while a foreign transaction stays open. Rows that were deleted since it began cannot be removed. In turns
 * with the drain of a new store without such a transaction.
 */
record OpenTransactionMeasure(StoreUnderTest storage, Scale scale) implements Measure {

    static final String SECTION = "Open transaction";

    @Override
    public String id() {
        return "pinned-" + scale.dead();
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "drain past %,d dead rows of its queue", scale.dead());
    }

    @Override
    public Result take() throws Exception {
        int drained = Math.min(scale.tasks(), Growth.MOST_DRAINED);
        List<Double> pinned = new ArrayList<>();
        List<Double> clean = new ArrayList<>();
        List<Double> died = new ArrayList<>();
        Growth.drainEmpty(storage, drained);
        for (int i = 0; i < scale.repeats(); i++) {
            clean.add(Growth.drainEmpty(storage, drained));
            try (StoreUnderTest.Place place = storage.fresh()) {
                pinned.add(drainPinned(place, drained));
                died.add((double) place.died());
            }
        }
        return new Result(
                id(),
                SECTION,
                title(),
                "tasks/s",
                new Series(pinned),
                null,
                new Series(clean),
                Map.of("rows that died, the drain included", Series.median(died)));
    }

    private double drainPinned(StoreUnderTest.Place place, int drained) throws Exception {
        // Each task leaves one dead row in the table that claims read, and others elsewhere.
        int finished = scale.dead();
        try (SemelRunner ours = new SemelRunner(place, finished + drained, Work.USUAL_SIZE);
                AutoCloseable pin = place.pin()) {
            Growth.finish(ours, finished);
            ours.submitInBatches(Item.fresh(finished, drained, Keys.RISING));
            double perSecond = Growth.drain(ours, drained);
            pin.close();
            return perSecond;
        }
    }
}
