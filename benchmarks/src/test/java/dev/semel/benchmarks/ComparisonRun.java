package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Runs a {@link Comparison}. Not part of the build, by its name: {@code benchmarks/compare} runs it. */
class ComparisonRun {

    @Test
    void compare() throws Exception {
        Path module = Path.of("").toAbsolutePath();
        List<Comparison.Row> rows = new Comparison(
                        module.resolve("target/comparison"),
                        Integer.getInteger("compare.pairs", 15),
                        List.of(System.getProperty("compare.only", Comparison.USUAL)
                                .split(",")))
                .run(
                        Objects.requireNonNull(module.getParent()),
                        Objects.requireNonNull(System.getProperty("compare.before")),
                        System.getProperty("compare.after", "HEAD"),
                        System.getProperty("compare.store", "sqlite").equals("postgresql"));
        System.out.println(Comparison.table(rows));
        assertThat(rows).isNotEmpty();
    }
}
