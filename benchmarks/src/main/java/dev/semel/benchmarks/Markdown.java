package dev.semel.benchmarks;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes a report as Markdown. */
final class Markdown {

    private final StringBuilder text = new StringBuilder();

    private Markdown() {}

    static String of(BenchReport report, Map<String, String> charts) {
        Markdown markdown = new Markdown();
        markdown.head(report);
        Set<String> sections = new LinkedHashSet<>();
        report.results().forEach(result -> sections.add(result.section()));
        for (String section : sections) {
            markdown.section(report, section, charts.get(section));
        }
        markdown.goals(report);
        return markdown.text.toString();
    }

    private void head(BenchReport report) {
        line("# Measured " + report.takenAt() + ", " + report.mode() + " run");
        line("");
        line(report.machine());
        line("");
        line("Storage: "
                + String.join(
                        ", ",
                        report.facts().entrySet().stream()
                                .map(fact -> fact.getKey() + " = " + fact.getValue())
                                .toList())
                + ".");
        line("");
        for (String warning : report.warnings()) {
            line("**Warning:** " + warning);
            line("");
        }
        line("The figures are medians. The number in brackets is the spread of the samples, as a share of the"
                + " median. The ratio is the median of the ratios of adjacent samples.");
        line("");
        if (!report.forced().isEmpty()) {
            counted(report);
        }
    }

    private void counted(BenchReport report) {
        line(
                "| counted | tasks | forced to the disk (fsync, fdatasync) | tasks for each | round trips per 1,000 tasks |");
        line("|---|--:|--:|--:|--:|");
        for (Forced forced : report.forced()) {
            Long trips = forced.roundTrips();
            line("| " + forced.work() + " | " + number(forced.tasks()) + " | "
                    + (forced.calls() < 0 ? "not counted" : number((double) forced.calls())) + " | "
                    + (forced.calls() <= 0 ? "" : number((double) forced.tasks() / forced.calls())) + " | "
                    + (trips == null ? "" : number(1_000.0 * trips / forced.tasks())) + " |");
        }
        line("");
    }

    private void section(BenchReport report, String section, @Nullable String chart) {
        line("## " + section);
        line("");
        if (chart != null) {
            line("![" + section + "](" + chart + ")");
            line("");
        }
        line("| measure | unit | Semel | raw or empty | ratio | further |");
        line("|---|---|--:|--:|--:|---|");
        for (Result result : report.results()) {
            if (result.section().equals(section)) {
                Series beside = result.raw() != null ? result.raw() : result.empty();
                Double ratio = result.raw() != null ? result.ratio() : result.kept();
                line("| " + result.title() + " | " + result.unit() + " | " + series(result.ours()) + " | "
                        + (beside == null ? "" : series(beside)) + " | "
                        + (ratio == null ? "" : number(ratio)) + " | " + details(result) + " |");
            }
        }
        line("");
    }

    private static String details(Result result) {
        return String.join(
                ", ",
                result.details().entrySet().stream()
                        .map(detail -> detail.getKey() + ": " + number(detail.getValue()))
                        .toList());
    }

    private void goals(BenchReport report) {
        if (report.goals().isEmpty()) {
            return;
        }
        line("## Goals");
        line("");
        line("| figure | goal | measured | reached |");
        line("|---|--:|--:|---|");
        for (Goal goal : report.goals()) {
            line("| " + goal.what() + " | " + (goal.atLeast() ? "≥ " : "≤ ") + number(goal.limit()) + " | "
                    + number(goal.measured()) + " | " + (goal.isMet() ? "yes" : "**no**") + " |");
        }
    }

    private static String series(Series series) {
        return number(series.median()) + String.format(Locale.ROOT, " (%.0f %%)", 100 * series.spread());
    }

    /** Formats a number with three significant digits and grouped thousands. */
    static String number(double value) {
        double size = Math.abs(value);
        if (size >= 1_000) {
            double unit = Math.pow(10, Math.floor(Math.log10(size)) - 2);
            return String.format(Locale.ROOT, "%,.0f", Math.round(value / unit) * unit);
        }
        return String.format(Locale.ROOT, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
