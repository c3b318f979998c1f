package dev.semel.storetests.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.store.InMemoryTaskStore;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Workflows in many small worlds on the store in memory. {@code -Dseed=N} runs one and prints what happened; {@code
 * -Dsimulation.seeds=N} runs more of them, {@code -Dsimulation.first=N} others.
 */
class FlowSimulationTest {

    private static final int SEEDS = 200;
    private static final int PLANTED_SEEDS = 200;
    private static final Long CHOSEN = Long.getLong("seed");

    @BeforeAll
    static void quiet() {
        QuietLog.ofWorkers();
    }

    @Test
    void every_workflow_has_the_result_that_it_has_without_faults() {
        long first = CHOSEN != null ? CHOSEN : Long.getLong("simulation.first", 1);
        int seeds = CHOSEN != null ? 1 : Integer.getInteger("simulation.seeds", SEEDS);
        Map<Happening, Integer> happenings = new EnumMap<>(Happening.class);
        List<Violation> violations = new ArrayList<>();
        LongStream.range(first, first + seeds)
                .parallel()
                .mapToObj(seed -> FlowSimulation.run(seed, InMemoryTaskStore::new))
                .forEach(report -> {
                    synchronized (violations) {
                        violations.addAll(report.violations());
                        report.happenings().forEach((what, times) -> happenings.merge(what, times, Integer::sum));
                        if (CHOSEN != null) {
                            System.out.println(report.trace());
                        }
                    }
                });
        assertThat(violations.stream().limit(5).map(Violation::toString).collect(Collectors.joining("\n\n")))
                .isEmpty();
        if (seeds >= SEEDS) {
            for (Happening needed : List.of(
                    Happening.WORKER_CRASHED,
                    Happening.WORKER_FROZEN,
                    Happening.WORKER_CLOSED,
                    Happening.WORKER_CLOCK_JUMPED,
                    Happening.STORE_CLOCK_JUMPED,
                    Happening.LEASE_STOLEN,
                    Happening.REQUEST_LOST,
                    Happening.ANSWER_LOST,
                    Happening.REQUEST_LATE,
                    Happening.HINT_LOST,
                    Happening.CONTINUED_AS_NEW,
                    Happening.WORKFLOW_RESTARTED,
                    Happening.RESTART_REPEATED,
                    Happening.RESTART_STALE,
                    Happening.RESTART_HELD)) {
                assertThat(happenings.getOrDefault(needed, 0)).as("%s", needed).isGreaterThan(20);
            }
        }
    }

    @Test
    void the_same_seed_makes_the_same_world_again() {
        for (long seed = 1; seed <= 5; seed++) {
            assertThat(FlowSimulation.run(seed, InMemoryTaskStore::new).traceHash())
                    .isEqualTo(FlowSimulation.run(seed, InMemoryTaskStore::new).traceHash());
        }
    }

    @ParameterizedTest
    @EnumSource(PlantedFlowBug.class)
    void every_planted_bug_is_found(PlantedFlowBug bug) {
        assumeTrue(CHOSEN == null, "one seed was asked for");
        for (long seed = 1; seed <= PLANTED_SEEDS; seed++) {
            List<Violation> violations = FlowSimulation.run(seed, bug).violations();
            if (!violations.isEmpty()) {
                System.out.println(bug + " was found with seed " + seed + ": "
                        + violations.getFirst().toString().lines().findFirst().orElse(""));
                return;
            }
        }
        fail("%s was not found with %d seeds", bug, PLANTED_SEEDS);
    }
}
