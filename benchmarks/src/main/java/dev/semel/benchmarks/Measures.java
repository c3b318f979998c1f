package dev.semel.benchmarks;

import dev.semel.benchmarks.Item.Keys;
import dev.semel.benchmarks.Throughput.OursSample;
import dev.semel.benchmarks.Throughput.RawSample;
import dev.semel.benchmarks.Throughput.Reading;
import dev.semel.engine.Worker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All measures. */
final class Measures {

    private static final String SUBMIT = "Submitting";
    private static final String RUN = "Running";
    private static final String EFFECTS = "Effects";
    private static final String SIZE = "Size of the input";

    // The number of tasks that exist before duplicates of them are submitted.
    private static final int KNOWN = 1_000;

    private static final int SCHEDULES = 10_000;

    private final StoreUnderTest storage;
    private final Scale scale;
    private final List<Measure> all = new ArrayList<>();

    private Measures(StoreUnderTest storage, Scale scale) {
        this.storage = storage;
        this.scale = scale;
    }

    static List<Measure> of(StoreUnderTest storage, Scale scale) {
        Measures measures = new Measures(storage, scale);
        measures.submitting();
        measures.duplicates();
        measures.running();
        measures.effects();
        measures.sizes();
        for (boolean keyed : List.of(false, true)) {
            measures.all.add(new IdleLatency(storage, scale, false, keyed));
            measures.all.add(new IdleLatency(storage, scale, true, keyed));
        }
        measures.all.add(new IdleWorker(storage, scale));
        measures.all.add(new IdleSchedules(storage, scale, SCHEDULES));
        measures.all.add(new WorkflowThroughput(storage, scale, false));
        measures.all.add(new WorkflowThroughput(storage, scale, true));
        measures.all.add(new WorkflowLatency(storage, scale));
        FanOut.SIZES.stream()
                .filter(steps -> steps <= scale.tasks())
                .forEach(steps -> measures.all.add(new FanOut(storage, scale, steps)));
        measures.all.add(new SleepingWorkflows(storage, scale));
        scale.history().forEach(size -> measures.all.add(new Growth(storage, scale, true, size)));
        scale.backlog().forEach(size -> measures.all.add(new Growth(storage, scale, false, size)));
        measures.all.add(new CleaningMeasure(storage, scale, scale.history().getLast()));
        if (storage.isServer()) {
            measures.all.add(new OpenTransactionMeasure(storage, scale));
        }
        return measures.all;
    }

    private void add(String id, String section, String title, int number, OursSample ours, @Nullable RawSample raw) {
        all.add(new Throughput(id, section, title, storage, number, scale.repeats(), ours, raw, null));
    }

    private static String named(Keys keys) {
        return switch (keys) {
            case NONE -> "";
            case RISING -> "-key";
            case RANDOM -> "-random-key";
        };
    }

    private static String described(Keys keys) {
        return switch (keys) {
            case NONE -> "without key";
            case RISING -> "with key";
            case RANDOM -> "with random key";
        };
    }

    private void submitting() {
        for (Keys keys : List.of(Keys.NONE, Keys.RISING)) {
            submitSingly(1, scale.one(), keys);
            submitSingly(8, scale.eight(), keys);
            submitSingly(64, scale.many(), keys);
        }
        for (Keys keys : Keys.values()) {
            add(
                    "submit-batch" + named(keys),
                    SUBMIT,
                    "batches of 1,000, " + described(keys),
                    scale.batch(),
                    (place, number) -> submitBatches(place, Item.fresh(0, number, keys), Work.USUAL_SIZE),
                    (raw, number) ->
                            Raw.insertInBatches(raw, Raw.rows(Item.fresh(0, number, keys), Work.USUAL_SIZE), false));
        }
    }

    private void submitSingly(int callers, int number, Keys keys) {
        // With more than one writer, each caller could also commit separately, at the same time.
        RawSample single = callers == 1 || !storage.isServer()
                ? null
                : (raw, tasks) -> Raw.insertSingly(raw, Raw.rows(Item.fresh(0, tasks, keys), Work.USUAL_SIZE), callers);
        all.add(new Throughput(
                "submit-" + callers + named(keys),
                SUBMIT,
                callers + (callers == 1 ? " caller, " : " callers, ") + described(keys),
                storage,
                number,
                scale.repeats(),
                (place, tasks) -> {
                    try (SemelRunner ours = new SemelRunner(place, tasks, Work.USUAL_SIZE)) {
                        Lap took = ours.submitSingly(Item.fresh(0, tasks, keys), callers);
                        ours.checkCreated(tasks);
                        return new Reading(took, roundTrips(ours, tasks));
                    }
                },
                (raw, tasks) -> {
                    List<RawStore.Row> rows = Raw.rows(Item.fresh(0, tasks, keys), Work.USUAL_SIZE);
                    return callers == 1 ? Raw.insertSingly(raw, rows, 1) : Raw.insertShared(raw, rows, callers, false);
                },
                single));
    }

    private static Reading submitBatches(StoreUnderTest.Place place, List<Item> items, int size) {
        try (SemelRunner ours = new SemelRunner(place, items.size(), size)) {
            Lap took = ours.submitInBatches(items);
            ours.checkCreated(items.size());
            return Reading.of(took);
        }
    }

    private void duplicates() {
        for (boolean halfNew : List.of(false, true)) {
            for (boolean batches : List.of(false, true)) {
                // Duplicates write nothing, so a sample needs as many as with batches to outlast the JIT compiler.
                int number = batches || !halfNew ? scale.batch() : scale.many();
                add(
                        (halfNew ? "half-duplicates" : "duplicates") + (batches ? "-batch" : "-64"),
                        SUBMIT,
                        (halfNew ? "50 % duplicates, " : "all duplicates, ")
                                + (batches ? "batches of 1,000" : "64 callers"),
                        number,
                        (place, tasks) -> duplicates(place, tasks, halfNew, batches),
                        (raw, tasks) -> rawDuplicates(raw, tasks, halfNew, batches));
            }
        }
    }

    private static Reading duplicates(StoreUnderTest.Place place, int number, boolean halfNew, boolean batches) {
        try (SemelRunner ours = new SemelRunner(place, KNOWN + number, Work.USUAL_SIZE)) {
            ours.submitInBatches(Item.fresh(0, KNOWN, Keys.RISING));
            List<Item> items = Item.mixed(KNOWN, number, halfNew, Keys.RISING);
            Lap took = batches ? ours.submitInBatches(items) : ours.submitSingly(items, 64);
            ours.checkCreated(KNOWN + (halfNew ? number / 2 : 0));
            return new Reading(took, roundTrips(ours, number));
        }
    }

    private static Lap rawDuplicates(RawStore raw, int number, boolean halfNew, boolean batches) {
        raw.insert(Raw.rows(Item.fresh(0, KNOWN, Keys.RISING), Work.USUAL_SIZE), false);
        List<RawStore.Row> rows = Raw.rows(Item.mixed(KNOWN, number, halfNew, Keys.RISING), Work.USUAL_SIZE);
        // For rows inserted in batches, one lookup for all of them costs less than the conflicts.
        boolean look = !halfNew || raw.isConcurrent();
        return batches ? Raw.insertInBatches(raw, rows, look) : Raw.insertShared(raw, rows, 64, look);
    }

    private void running() {
        for (Keys keys : List.of(Keys.NONE, Keys.RISING)) {
            add(
                    "drain" + named(keys),
                    RUN,
                    "drain, " + described(keys),
                    scale.tasks(),
                    (place, tasks) -> drain(place, tasks, keys),
                    (raw, tasks) -> {
                        Raw.insertInBatches(raw, Raw.rows(Item.fresh(0, tasks, keys), Work.USUAL_SIZE), false);
                        return Raw.drain(raw, tasks);
                    });
        }
        for (Keys keys : Keys.values()) {
            life(
                    "life" + named(keys),
                    RUN,
                    "whole life, batches, " + described(keys),
                    keys,
                    Work.USUAL_SIZE,
                    scale.tasks());
        }
        for (Keys keys : List.of(Keys.NONE, Keys.RISING)) {
            add(
                    "life-64" + named(keys),
                    RUN,
                    "whole life, 64 callers, " + described(keys),
                    scale.many(),
                    (place, tasks) -> life(place, Item.fresh(0, tasks, keys), Work.USUAL_SIZE, false),
                    (raw, tasks) -> {
                        List<RawStore.Row> rows = Raw.rows(Item.fresh(0, tasks, keys), Work.USUAL_SIZE);
                        return Raw.insertShared(raw, rows, 64, false).plus(Raw.drain(raw, tasks));
                    });
        }
    }

    private static Reading drain(StoreUnderTest.Place place, int tasks, Keys keys) {
        try (SemelRunner ours = new SemelRunner(place, tasks, Work.USUAL_SIZE)) {
            ours.submitInBatches(Item.fresh(0, tasks, keys));
            CountingStore.Calls before = ours.store().calls();
            Lap took = drainAll(ours, tasks);
            ours.checkExecutedOnce(0, tasks);
            Map<String, Double> details = new LinkedHashMap<>();
            CountingStore.Calls after = ours.store().calls();
            details.put("tasks per claim", (double) tasks / (after.claims() - before.claims()));
            details.put("tasks per settlement", (double) tasks / (after.settles() - before.settles()));
            return new Reading(took, details);
        }
    }

    private void effects() {
        for (int effects : List.of(0, 1, 3)) {
            effects(effects, 64, scale.many(), "64 handlers");
            effects(effects, 1, scale.one(), "one handler");
        }
    }

    private void effects(int effects, int handlers, int number, String who) {
        add(
                "effects-" + effects + "-by-" + handlers,
                EFFECTS,
                "drain, " + who + ", " + effects + (effects == 1 ? " effect" : " effects") + " in each task",
                number,
                (place, tasks) -> effects(place, tasks, effects, handlers),
                null);
    }

    private static Reading effects(StoreUnderTest.Place place, int tasks, int effects, int handlers) {
        try (SemelRunner ours = new SemelRunner(place, tasks, Work.USUAL_SIZE)) {
            ours.submitInBatches(Item.fresh(0, tasks, Keys.NONE));
            long applies = ours.store().calls().settles();
            long target = ours.store().completed() + tasks;
            Lap.Begun began = ours.begin();
            Worker worker = ours.workWithEffects(effects, handlers);
            ours.store().awaitCompleted(target);
            Lap took = began.end();
            double commits = (double) (ours.store().calls().settles() - applies) / tasks;
            worker.close();
            ours.checkExecutedOnce(0, tasks);
            return new Reading(took, Map.of("commits per task", commits));
        }
    }

    /** Lets a worker complete a number of tasks and closes it. Returns the time until the last completion. */
    static Lap drainAll(SemelRunner ours, int tasks) {
        long target = ours.store().completed() + tasks;
        Lap.Begun began = ours.begin();
        Worker worker = ours.work();
        ours.store().awaitCompleted(target);
        Lap took = began.end();
        worker.close();
        return took;
    }

    /** Submits while a worker runs. Returns the time until the last completion. */
    static Reading life(StoreUnderTest.Place place, List<Item> items, int size, boolean batches) {
        int tasks = items.size();
        try (SemelRunner ours = new SemelRunner(place, tasks, size);
                Worker worker = ours.work()) {
            Lap.Begun began = ours.begin();
            if (batches) {
                ours.submitInBatches(items);
            } else {
                ours.submitSingly(items, 64);
            }
            ours.store().awaitCompleted(tasks);
            Lap took = began.end();
            worker.close();
            ours.checkCreated(tasks);
            ours.checkExecutedOnce(0, tasks);
            Map<String, Double> details = roundTrips(ours, tasks);
            details.put("bytes stored per task", (double) place.bytes() / tasks);
            return new Reading(took, details);
        }
    }

    private static Map<String, Double> roundTrips(SemelRunner ours, int tasks) {
        CountingStore.Calls calls = ours.store().calls();
        Map<String, Double> details = new LinkedHashMap<>();
        details.put("calls of the store per 1,000 tasks", calls.total() * 1_000.0 / tasks);
        return details;
    }

    private void life(String id, String section, String title, Keys keys, int size, int number) {
        add(
                id,
                section,
                title,
                number,
                (place, tasks) -> life(place, Item.fresh(0, tasks, keys), size, true),
                (raw, tasks) -> Raw.life(raw, Raw.rows(Item.fresh(0, tasks, keys), size)));
    }

    private void sizes() {
        for (int size : List.of(100, 1_000, 10_000, 100_000)) {
            // A hundred times the size does not take a hundred times as long, but makes a sample a hundred times as
            // large.
            int number = Math.max(400, scale.tasks() / Math.max(1, size / 500));
            String kilobytes = (size / 1_000.0 + " kB").replace(".0 ", " ");
            add(
                    "size-submit-" + size,
                    SIZE,
                    "batches, input of " + kilobytes,
                    number,
                    (place, tasks) -> submitBatches(place, Item.fresh(0, tasks, Keys.RISING), size),
                    (raw, tasks) -> Raw.insertInBatches(raw, Raw.rows(Item.fresh(0, tasks, Keys.RISING), size), false));
            life("size-life-" + size, SIZE, "whole life, input of " + kilobytes, Keys.RISING, size, number);
        }
    }
}
