package dev.semel.benchmarks;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * What an idle worker costs beside many workflows that sleep: the processor time of its process, in turns with one on an empty store, and
 * its heap; and how late others of them wake that come due meanwhile.
 */
record SleepingWorkflows(StoreUnderTest storage, Scale scale) implements Measure {

    /** The input: the time until which a workflow sleeps, in microseconds since 1970. */
    record Sleeper(long until) {}

    static final WorkflowType<Sleeper, Integer> TYPE = WorkflowRunner.type("sleeper", Sleeper.class);

    /** The role of the process that is measured. */
    static final String ROLE = "sleepers";

    static final String ID = "workflow-sleeping";
    static final String HEAP = "heap, MB";
    static final String ADDED = "more than on an empty store, % of a core";
    static final String LATEST = "latest start of a due one, ms";

    private static final int PART = 20_000;
    private static final long MICROS = 1_000_000;

    @Override
    public String id() {
        return ID;
    }

    /** Not a size of its own, because a comparison of commits creates scales in the form that both of them have. */
    private int sleepers() {
        return scale.dead() / 2;
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "idle worker with %,d sleeping workflows", sleepers());
    }

    @Override
    public Result take() throws Exception {
        List<Double> percent = new ArrayList<>();
        List<Double> empty = new ArrayList<>();
        Map<String, Double> details = new LinkedHashMap<>();
        try (StoreUnderTest.Place place = storage.fresh();
                StoreUnderTest.Place without = storage.fresh()) {
            fill(place);
            try (Child child = Child.start(ROLE, without.url(), scale.idleSeconds())) {
                shares(child, empty);
            }
            try (Child child = Child.start(ROLE, place.url(), scale.idleSeconds())) {
                shares(child, percent);
                details.put(HEAP, Double.parseDouble(child.receive()));
                details.put(ADDED, Series.median(percent) - Series.median(empty));
                details.putAll(late(place, child));
            }
        }
        return new Result(id(), "Idle", title(), "% of a core", new Series(percent), null, null, details);
    }

    private static void shares(Child child, List<Double> percent) throws IOException {
        for (int i = 0; i < Scale.FULL.repeats(); i++) {
            percent.add(Double.parseDouble(child.receive()));
        }
    }

    private void fill(StoreUnderTest.Place place) {
        long until = IdleLatency.micros() + 365L * 24 * 3_600 * MICROS;
        try (WorkflowRunner ours = new WorkflowRunner(place);
                Worker worker = work(ours.semel(), late -> {})) {
            for (int from = 0; from < sleepers(); from += PART) {
                int count = Math.min(PART, sleepers() - from);
                List<Sleeper> part = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    part.add(new Sleeper(until));
                }
                WorkflowRunner.startAll(ours.semel(), TYPE, part, "s-" + from + "-");
                ours.store().awaitWaiting(from + count);
            }
            worker.close();
        }
    }

    /** Starts workflows that come due a few seconds later, one after the other, and asks the child how late they woke. */
    private Map<String, Double> late(StoreUnderTest.Place place, Child child) throws IOException {
        List<Sleeper> due = new ArrayList<>();
        long window = scale.idleSeconds() * MICROS;
        long first = IdleLatency.micros() + window;
        for (int i = 0; i < scale.pings(); i++) {
            due.add(new Sleeper(first + i * window / scale.pings()));
        }
        try (Semel semel = Semel.on(place.open()).build()) {
            WorkflowRunner.startAll(semel, TYPE, due, "due-");
        }
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < due.size(); i++) {
            millis.add(Long.parseLong(child.receive()) / 1_000.0);
        }
        millis.sort(null);
        Map<String, Double> details = new LinkedHashMap<>();
        details.put("median start of a due one, ms", millis.get(millis.size() / 2));
        details.put(LATEST, millis.getLast());
        return details;
    }

    /** Starts a worker that runs such workflows and reports how many microseconds late each of them wakes. */
    static Worker work(Semel semel, LongConsumer late) {
        return semel.worker(Work.QUEUE)
                .workflow(TYPE, (flow, sleeper) -> sleep(flow, sleeper, late))
                .handle(Work.TYPE, (context, work) -> null)
                .start();
    }

    private static Integer sleep(Flow flow, Sleeper sleeper, LongConsumer late) {
        flow.sleepUntil(Instant.EPOCH.plus(sleeper.until(), ChronoUnit.MICROS));
        late.accept(IdleLatency.micros() - sleeper.until());
        return 0;
    }
}
