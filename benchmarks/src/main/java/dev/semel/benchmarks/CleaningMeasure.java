package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import dev.semel.engine.Cleaner;
import dev.semel.engine.Cleaning;
import dev.semel.engine.OwnThreads;
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
 * The drain while the cleaner removes finished tasks, in turns with the drain of the same store without cleaning. The
 * cleaner is that of every instance; between the samples it is paused after a step.
 */
record CleaningMeasure(StoreUnderTest storage, Scale scale, int size) implements Measure {

    static final String SECTION = "Cleaning";

    // With a smaller history fewer tasks are drained, because the cleaning must outlast the samples.
    private static final int SHARE = 20;

    // A drain ends with its last task; meanwhile the worker may have started tasks of the next one.
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
                SemelRunner ours = new SemelRunner(place, size + pending, Work.USUAL_SIZE);
                ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor()) {
            Growth.finish(ours, size);
            long finished = System.nanoTime();
            ours.submitInBatches(Item.fresh(size, pending, Keys.RISING));
            details.put("MB stored before", place.bytes() / 1e6);
            // Everything that is finished by now, and nothing that is drained later.
            Duration retention = Duration.ofNanos(System.nanoTime() - finished);
            Semaphore turn = new Semaphore(0);
            AtomicLong gone = new AtomicLong();
            Cleaner cleaner = new Cleaner(
                    ours.store(),
                    new Cleaning(Duration.ZERO, retention, Duration.ofDays(30), Duration.ofDays(30)),
                    new SplittableRandom(1),
                    timers,
                    new OwnThreads());
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
                            "The cleaning ended before the samples did, so the figure is not valid");
                }
            }
            details.put("cleaned during the samples", (double) gone.get());
            turn.release();
            cleans.join();
            if (gone.get() < size) {
                throw new IllegalStateException("Of " + size + " finished tasks only " + gone.get() + " were removed");
            }
            details.put("MB stored after", place.bytes() / 1e6);
        }
        // The first round is a warm-up.
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
