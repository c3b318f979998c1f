package dev.semel.benchmarks.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** The time from the start of a queued step to the start of the next one, in a workflow that is alone: in milliseconds, as p50 and p99. */
final class IdleWorkflow {

    static final String ID = "workflow-idle";

    private static final long LIMIT_SECONDS = 60;

    private final Server server;
    private final Scale scale;
    private final List<Contestant> contestants;

    IdleWorkflow(Server server, Scale scale, List<Contestant> contestants) {
        this.server = server;
        this.scale = scale;
        this.contestants = contestants.stream().filter(Contestant::hasWorkflows).toList();
    }

    Figures take() {
        Figures.Collector collector = new Figures.Collector();
        Map<String, Integer> samples = new LinkedHashMap<>();
        int workflows = Math.max(1, scale.pings() / (Steps.COUNT - 1));
        for (Contestant contestant : contestants) {
            samples.put(contestant.name(), workflows);
            try (Place place = server.fresh(contestant.name(), contestant::makeTables)) {
                Stamps stamps = new Stamps((scale.repeats() + 1) * workflows);
                try (Session session = contestant.open(place, stamps)) {
                    server.settle();
                    session.workOnWorkflows();
                    for (int turn = 0; turn <= scale.repeats(); turn++) {
                        List<Double> millis = turn(session, stamps, turn * workflows, workflows);
                        if (turn > 0) { // the first one is a warm-up for the JIT compiler
                            collector.add(contestant.name(), millis.get(millis.size() / 2));
                            collector.detail(Idle.TAIL, contestant.name(), millis.get(millis.size() * 99 / 100));
                        }
                    }
                }
            }
        }
        return new Figures(
                ID,
                Idle.SECTION,
                "idle workflow, queued step → next one",
                "ms (p50)",
                false,
                collector.series(),
                samples,
                collector.details());
    }

    private static List<Double> turn(Session session, Stamps stamps, int from, int count) {
        List<Double> millis = new ArrayList<>();
        for (int number = from; number < from + count; number++) {
            session.startWorkflow(number, Steps.QUEUED);
            stamps.await(number);
            for (int step = 1; step < Steps.COUNT; step++) {
                millis.add((stamps.at(number, step) - stamps.at(number, step - 1)) / 1e6);
            }
        }
        millis.sort(null);
        return millis;
    }

    /** Records when each step began. */
    private static final class Stamps implements Handler {

        private final AtomicLongArray nanos;
        private final List<CountDownLatch> last = new ArrayList<>();

        Stamps(int workflows) {
            nanos = new AtomicLongArray(workflows * Steps.COUNT);
            for (int i = 0; i < workflows; i++) {
                last.add(new CountDownLatch(1));
            }
        }

        @Override
        public @Nullable String run(int number, String filler) {
            nanos.set(number, System.nanoTime());
            if (number % Steps.COUNT == Steps.COUNT - 1) {
                last.get(number / Steps.COUNT).countDown();
            }
            return null;
        }

        long at(int workflow, int step) {
            return nanos.get(workflow * Steps.COUNT + step);
        }

        void await(int workflow) {
            try {
                if (!last.get(workflow).await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException(
                            "A workflow did not reach its last step within " + LIMIT_SECONDS + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while measuring", e);
            }
        }
    }
}
