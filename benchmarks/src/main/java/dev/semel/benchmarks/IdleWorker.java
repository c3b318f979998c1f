package dev.semel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The cost of an idle worker: the processor time of its process, the whole JVM included. */
record IdleWorker(StoreUnderTest storage, Scale scale) implements Measure {

    @Override
    public String id() {
        return "idle-cpu";
    }

    @Override
    public String title() {
        return "processor time of an idle worker";
    }

    @Override
    public Result take() throws Exception {
        List<Double> percent = new ArrayList<>();
        try (StoreUnderTest.Place place = storage.fresh();
                Child child = Child.start("idle", place.url(), scale.idleSeconds())) {
            for (int i = 0; i < scale.repeats(); i++) {
                percent.add(Double.parseDouble(child.receive()));
            }
        }
        return new Result(id(), "Idle", title(), "% of a core", new Series(percent), null, null, Map.of());
    }
}
