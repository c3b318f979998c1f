package dev.semel.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;

/** Workflows per second: they were started before, and a worker runs all of them. */
record WorkflowThroughput(StoreUnderTest storage, Scale scale, boolean queued) implements Measure {

    static final String SECTION = "Workflows";

    private static final int STEPS = 4;

    @Override
    public String id() {
        return "workflow-" + (queued ? "queued-" : "local-") + STEPS;
    }

    @Override
    public String title() {
        return STEPS + (queued ? " queued" : " local") + " steps";
    }

    @Override
    public Result take() {
        Result counted = new Throughput(
                        id(),
                        SECTION,
                        title(),
                        storage,
                        scale.many() / 4,
                        scale.repeats(),
                        (place, number) -> WorkflowRunner.drain(place, number, STEPS, queued),
                        null,
                        null)
                .take();
        Map<String, Double> details = new LinkedHashMap<>();
        counted.details().forEach((name, value) -> details.put(name.replace("task", "workflow"), value));
        return new Result(id(), SECTION, title(), "workflows/s", counted.ours(), null, null, details);
    }
}
