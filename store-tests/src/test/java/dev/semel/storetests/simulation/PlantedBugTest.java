package dev.semel.storetests.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulation that never fails proves nothing: it must find what was planted. */
class PlantedBugTest {

    private static final int SEEDS = 400;

    @BeforeAll
    static void quiet() {
        QuietLog.ofWorkers();
    }

    @ParameterizedTest
    @EnumSource(PlantedBug.class)
    void every_planted_bug_is_found_and_named(PlantedBug bug) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            List<Violation> named = Simulation.run(seed, bug).violations().stream()
                    .filter(violation -> violation.invariant() == bug.broken())
                    .toList();
            if (!named.isEmpty()) {
                assertThat(named.getFirst().message()).contains(Simulation.replay(seed));
                return;
            }
        }
        fail("%s was not found as %s with %d seeds", bug, bug.broken(), SEEDS);
    }
}
