package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.task.InvalidInput;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchTest {

    private static final Scale TINY =
            new Scale(50, 50, 50, 1_000, 1_000, 5, 1, List.of(0), List.of(1_000), 1_000, 1, 2);

    @TempDir
    Path directory;

    private BenchOptions options(String... only) {
        return new BenchOptions(
                "sqlite:" + directory.resolve("semel.db"), true, List.of(only), directory.resolve("out"));
    }

    @Test
    void a_run_writes_its_report_with_charts_and_leaves_nothing_else_behind() throws Exception {
        List<String> steps = new ArrayList<>();
        Bench bench = new Bench(options("drain-key"), (done, total, what) -> steps.add(done + "/" + total), TINY);
        BenchReport report = bench.run();

        assertThat(report.results()).extracting(Result::id).containsExactly("drain-key");
        assertThat(report.results().get(0).ratio()).isPositive();
        assertThat(report.goals()).extracting(Goal::what).contains("drain to raw, with key");
        assertThat(steps).startsWith("0/3").endsWith("3/3");
        assertThat(directory).isDirectoryContaining(file -> file.endsWith("out"));
        try (var files = Files.list(directory)) {
            assertThat(files).hasSize(1);
        }
        assertThat(directory.resolve("out/report.md")).content().contains("![Running](running.svg)", "drain, with key");
        assertThat(directory.resolve("out/report.json")).content().contains("\"id\" : \"drain-key\"");
        assertThat(directory.resolve("out/running.svg"))
                .content()
                .startsWith("<svg")
                .contains("drain, with key");
    }

    @Test
    void an_idle_look_at_many_schedules_is_compared_with_one_at_none() throws Exception {
        BenchReport report = new Bench(options("idle-schedules"), BenchProgress.SILENT, TINY).run();

        assertThat(report.results()).extracting(Result::id).containsExactly("idle-schedules");
        assertThat(report.results().getFirst().kept()).isPositive();
        assertThat(report.goals())
                .extracting(Goal::what)
                .containsExactly("idle look at 10,000 schedules, to an empty store");
    }

    @Test
    void workflows_are_measured_in_all_their_kinds() throws Exception {
        BenchReport report = new Bench(options("workflow"), BenchProgress.SILENT, TINY).run();

        assertThat(report.results())
                .extracting(Result::id, Result::unit)
                .containsExactly(
                        tuple("workflow-local-4", "workflows/s"),
                        tuple("workflow-queued-4", "workflows/s"),
                        tuple("workflow-step", "ms (p50)"),
                        tuple("workflow-sleeping", "% of a core"));
        assertThat(report.results().subList(0, 3))
                .allSatisfy(result -> assertThat(result.ours().median()).isPositive());
        assertThat(report.results().get(3).details())
                .containsKeys(SleepingWorkflows.HEAP, SleepingWorkflows.ADDED, SleepingWorkflows.LATEST);
        assertThat(report.goals())
                .extracting(Goal::what)
                .contains(
                        "idle workflow, step to next step, p50 in ms",
                        "heap of an idle worker with sleeping workflows, MB",
                        "latest start of a due one of them, ms");
    }

    @Test
    void a_measure_that_does_not_exist_is_refused_with_the_names_of_those_that_do() {
        assertThatThrownBy(() -> new Bench(options("warp"), BenchProgress.SILENT))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("warp")
                .hasMessageContaining("submit-64-key");
    }

    @Test
    void a_store_that_cannot_be_measured_is_refused() {
        BenchOptions options = new BenchOptions("redis://localhost", true, List.of(), null);

        assertThatThrownBy(() -> new Bench(options, BenchProgress.SILENT))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("redis");
    }

    @Test
    void the_ratio_is_that_of_samples_taken_next_to_each_other() {
        Series ours = new Series(List.of(10.0, 40.0, 30.0));
        Series raw = new Series(List.of(20.0, 80.0, 30.0));

        assertThat(ours.ratioTo(raw)).isEqualTo(0.5);
        assertThat(ours.median()).isEqualTo(30.0);
        assertThat(ours.spread()).isEqualTo(1.0);
    }
}
