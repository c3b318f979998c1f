package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import dev.semel.engine.Cleaner;
import dev.semel.engine.Cleaning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The drain while finished tasks are cleaned away, in turns with the drain of the same store while nobody cleans. The
 * cleaner is the one that every instance has; between the samples it is held up after a step.
 */
record Cleaned(StoreUnderTest storage, Scale scale, int size) implements Measure {

    static final String SECTION = "Cleaning";

    // Of a smaller history less is drained: the cleaning must outlast the samples.
    private static final int SHARE = 20;

    // A drain ends with its last task, and meanwhile the worker may have gone on with those of the next.
    private static final int SPARE = 5_000;

    @Override
    public String id() {
        return "cleaning-" + size;
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "drain while %,d finished are cleaned", size);
    }

    @Override
    public Result take() throws InterruptedException {
        int drained = Math.min(scale.tasks(), size / SHARE);
        int rounds = scale.repeats() + 1;
        int pending = 2 * rounds * (drained + SPARE);
        List<Double> cleaning = new ArrayList<>();
        List<Double> calm = new ArrayList<>();
        Map<String, Double> details = new LinkedHashMap<>();
        try (StoreUnderTest.Place place = storage.fresh();
                Ours ours = new Ours(place, size + pending, Work.USUAL_SIZE);
                ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor()) {
            Growth.finish(ours, size);
            long finished = System.nanoTime();
            ours.submitInBatches(Item.fresh(size, pending, Keys.RISING));
            details.put("MB stored before", place.bytes() / 1e6);
            // All that was finished by then, and nothing that is drained from now on.
            Duration retention = Duration.ofNanos(System.nanoTime() - finished);
            Semaphore turn = new Semaphore(0);
            AtomicLong gone = new AtomicLong();
            Cleaner cleaner = new Cleaner(
                    ours.store(),
                    new Cleaning(Duration.ZERO, retention, Duration.ofDays(30), Duration.ofDays(30)),
                    new SplittableRandom(1),
                    timers);
            Thread cleans = Thread.ofPlatform()
                    .daemon()
                    .start(() -> cleaner.clean(swept -> {
                        turn.acquireUninterruptibly();
                        turn.release();
                        gone.set(swept.tasks());
                    }));
            for (int i = 0; i < rounds; i++) {
                calm.add(Growth.drain(ours, drained));
                turn.release();
                cleaning.add(Growth.drain(ours, drained));
                turn.acquire();
                if (!cleans.isAlive()) {
                    throw new IllegalStateException(
                            "The cleaning ended before the samples did; the figure does not count");
                }
            }
            details.put("cleaned during the samples", (double) gone.get());
            turn.release();
            cleans.join();
            if (gone.get() < size) {
                throw new IllegalStateException("Of " + size + " finished tasks only " + gone.get() + " went");
            }
            details.put("MB stored after", place.bytes() / 1e6);
        }
        // The first round warms up.
        return new Result(
                id(),
                SECTION,
                title(),
                "tasks/s",
                new Series(cleaning.subList(1, rounds)),
                null,
                new Series(calm.subList(1, rounds)),
                details);
    }
}
