package dev.semel.storetests.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.store.InMemoryTaskStore;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Many small worlds on the store in memory. {@code -Dseed=N} runs one and prints what happened; {@code
 * -Dsimulation.seeds=N} runs more of them, {@code -Dsimulation.first=N} others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SimulationTest {

    private static final int SEEDS = 400;

    // Far below what the usual seeds bring about; a generator that has lost a tooth is at 0.
    private static final int LEAST = 16;

    private final Long chosen = Long.getLong("seed");
    private final Map<Happening, Integer> happenings = new EnumMap<>(Happening.class);
    private final List<Violation> violations = new ArrayList<>();
    private long events;

    @BeforeAll
    void run() {
        QuietLog.ofWorkers();
        if (chosen != null) {
            SimulationReport report = Simulation.run(chosen, InMemoryTaskStore::new);
            System.out.println(report.trace());
            add(report);
            return;
        }
        long first = Long.getLong("simulation.first", 1);
        LongStream.range(first, first + Integer.getInteger("simulation.seeds", SEEDS))
                .parallel()
                .mapToObj(seed -> Simulation.run(seed, InMemoryTaskStore::new))
                .forEach(this::add);
    }

    private synchronized void add(SimulationReport report) {
        events += report.events();
        report.happenings().forEach((happening, times) -> happenings.merge(happening, times, Integer::sum));
        violations.addAll(report.violations());
    }

    @Test
    void no_seed_breaks_an_invariant() {
        assertThat(violations.stream().limit(5).map(Violation::toString).collect(Collectors.joining("\n\n")))
                .isEmpty();
    }

    @Test
    void everything_that_can_go_wrong_does_so_often() {
        assumeTrue(chosen == null, "one seed alone does not bring about everything");
        assertThat(events).isGreaterThan(SEEDS * 1_000L);
        for (Happening happening : Happening.values()) {
            if (!happening.isOfWorkflows()) {
                assertThat(happenings.getOrDefault(happening, 0))
                        .as("%s of %s", happening, happenings)
                        .isGreaterThanOrEqualTo(LEAST);
            }
        }
    }

    @Test
    void without_faults_no_attempt_vanishes_and_no_end_is_refused() {
        expectNoLostAttempts(Scenario::withoutFaults);
    }

    @Test
    void lost_calls_alone_cost_no_attempt() {
        expectNoLostAttempts(Scenario::withLostCallsOnly);
    }

    private static void expectNoLostAttempts(UnaryOperator<Scenario> change) {
        for (long seed = 1; seed <= 40; seed++) {
            SimulationReport report = Simulation.run(seed, InMemoryTaskStore::new, change);
            assertThat(report.violations()).isEmpty();
            assertThat(report.happenings())
                    .as("seed %d", seed)
                    .doesNotContainKeys(
                            Happening.WORKER_CRASHED,
                            Happening.CLAIMED_AFTER_VANISHED,
                            Happening.BURIED,
                            Happening.STALE_REFUSED);
        }
    }

    @Test
    void the_same_seed_makes_the_same_world_again() {
        for (long seed = 1; seed <= 10; seed++) {
            assertThat(hash(seed)).isEqualTo(hash(seed));
        }
        assertThat(hash(1)).isNotEqualTo(hash(2));
    }

    @Test
    void the_same_seed_makes_the_same_world_in_another_process() throws Exception {
        // Hash codes of enums and the order of immutable sets differ from one Java process to the next.
        Process other = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(other.waitFor()).isZero();
        assertThat(said.strip()).isEqualTo(OtherProcess.hashes());
    }

    private static String hash(long seed) {
        return Simulation.run(seed, InMemoryTaskStore::new).traceHash();
    }

    /** What the other process runs. */
    static final class OtherProcess {

        private OtherProcess() {}

        static String hashes() {
            return IntStream.rangeClosed(1, 40).mapToObj(SimulationTest::hash).collect(Collectors.joining("\n"));
        }

        public static void main(String[] arguments) {
            QuietLog.ofWorkers();
            System.out.println(hashes());
        }
    }
}
