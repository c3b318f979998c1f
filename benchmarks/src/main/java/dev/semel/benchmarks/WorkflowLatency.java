package dev.semel.benchmarks;

import dev.semel.engine.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The time from the start of a queued step to the start of the next one, in a workflow that is alone: the end of the step, the wake of
 * the workflow, its turn, and the claim of the next step.
 */
record WorkflowLatency(StoreUnderTest storage, Scale scale) implements Measure {

    // A workflow of many more steps would measure how its code is replayed.
    private static final int MOST_STEPS = 50;

    @Override
    public String id() {
        return "workflow-step";
    }

    @Override
    public String title() {
        return "idle workflow, step → next step";
    }

    @Override
    public Result take() {
        List<Double> medians = new ArrayList<>();
        List<Double> tails = new ArrayList<>();
        int steps = Math.min(MOST_STEPS, scale.pings() + 1);
        AtomicLongArray startedAt = new AtomicLongArray(steps);
        try (StoreUnderTest.Place place = storage.fresh();
                WorkflowRunner ours = new WorkflowRunner(place);
                Worker worker = ours.work(step -> startedAt.set(step, System.nanoTime()))) {
            for (int turn = 0; turn <= scale.repeats(); turn++) {
                List<Double> millis = new ArrayList<>();
                while (millis.size() < scale.pings()) {
                    String id = "w-" + turn + "-" + millis.size();
                    ours.semel()
                            .start(WorkflowRunner.QUEUED, id, new WorkflowRunner.Plan(0, steps))
                            .result(Duration.ofMinutes(2));
                    for (int step = 1; step < steps; step++) {
                        millis.add((startedAt.get(step) - startedAt.get(step - 1)) / 1e6);
                    }
                }
                if (turn > 0) { // the first one is a warm-up
                    millis.sort(null);
                    medians.add(millis.get(millis.size() / 2));
                    tails.add(millis.get(millis.size() * 99 / 100));
                }
            }
            worker.close();
        }
        return new Result(
                id(),
                "Idle",
                title(),
                "ms (p50)",
                new Series(medians),
                null,
                null,
                Map.of(IdleLatency.TAIL, Series.median(tails)));
    }
}
