package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** The published program has no benchmarks. The module with the benchmarks tests the command itself. */
class BenchTest {

    /** The runnable jar is built from the class path of these tests, without test dependencies. */
    @Test
    void theProgramHasNoClassOfTheBenchmarks() {
        assertThat(getClass().getResource("/dev/semel/cli/Main.class")).isNotNull();
        assertThat(getClass().getResource("/dev/semel/benchmarks/Bench.class")).isNull();
        assertThat(ServiceLoader.load(Benchmarks.class)).isEmpty();
    }

    @Test
    void withoutThemTheCommandIsHiddenAndSaysWhereItIsAvailable() {
        assertThat(Main.program().getSubcommands()).doesNotContainKey("bench").containsKey("doctor");
        assertThat(Cli.bare("", Map.of(), "bench", "--short").exits(2).err()).contains("./semel bench\" in a checkout");
    }
}
