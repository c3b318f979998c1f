package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Goal;
import dev.semel.benchmarks.Series;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes a report as Markdown. */
final class Markdown {

    private final Report report;
    private final List<String> names;
    private final StringBuilder text = new StringBuilder();

    private Markdown(Report report) {
        this.report = report;
        this.names = List.copyOf(report.contestants().keySet());
    }

    static String of(Report report, Map<String, String> charts) {
        Markdown markdown = new Markdown(report);
        markdown.head();
        Set<String> sections = new LinkedHashSet<>();
        report.figures().forEach(figures -> sections.add(figures.section()));
        sections.forEach(section -> markdown.section(section, charts.get(section)));
        markdown.extraExecutions();
        markdown.facts();
        markdown.goals();
        markdown.choices();
        return markdown.text.toString();
    }

    private void head() {
        line("# Peers, measured " + report.takenAt() + ", " + report.mode() + " run of " + number(report.minutes())
                + " minutes");
        line("");
        line(report.machine());
        if (!report.load().isEmpty()) {
            line("Load average before the run " + number(report.load().getFirst()) + ", after it "
                    + number(report.load().getLast()) + "; the run itself is part of the latter.");
        }
        line("");
        line("PostgreSQL: "
                + String.join(
                        ", ",
                        report.server().entrySet().stream()
                                .map(fact -> fact.getKey() + " = " + fact.getValue())
                                .toList())
                + ".");
        line("");
        line(
                "The figures are medians. The number in brackets is the spread of the samples, as a share of the"
                        + " median. Ratios are medians of the ratios of samples of the same turn. An empty field means"
                        + " that the library does not support it.");
        line("");
    }

    private void section(String section, @Nullable String chart) {
        line("## " + section);
        line("");
        if (chart != null) {
            line("![" + section + "](" + chart + ")");
            line("");
        }
        line("| measure | unit | " + String.join(" | ", names) + " | Semel to best peer | Semel to raw |");
        line("|---|---|" + "--:|".repeat(names.size()) + "--:|--:|");
        for (Figures figures : report.figures()) {
            if (figures.section().equals(section)) {
                line(figures.title(), figures.unit(), figures.series(), ratios(figures));
                if (figures.section().equals(Idle.SECTION)) {
                    figures.details().forEach((name, series) -> line(figures.title(), name, series, " | | |"));
                }
            }
        }
        line("");
    }

    private void line(String title, String unit, Map<String, Series> series, String end) {
        StringBuilder line = new StringBuilder("| " + title + " | " + unit + " |");
        for (String name : names) {
            Series one = series.get(name);
            line.append(' ').append(one == null ? "" : series(one)).append(" |");
        }
        line(line.substring(0, line.length() - 2) + end);
    }

    private static String ratios(Figures figures) {
        String peer = figures.bestPeer()
                .flatMap(name -> figures.toBestPeer().map(ratio -> number(ratio) + " (" + name + ")"))
                .orElse("");
        String raw =
                figures.ratio(Figures.SEMEL, Figures.RAW).map(Markdown::number).orElse("");
        return " | " + peer + " | " + raw + " |";
    }

    private void extraExecutions() {
        StringBuilder seen = new StringBuilder();
        for (Figures figures : report.figures()) {
            figures.details().getOrDefault(Measures.EXTRA, Map.of()).forEach((name, series) -> {
                double most = series.samples().stream()
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(0);
                if (most > 0) {
                    seen.append(" ")
                            .append(name)
                            .append(" in \"")
                            .append(figures.title())
                            .append("\": up to ")
                            .append(number(most))
                            .append(" in a sample.");
                }
            });
        }
        if (report.figures().stream().anyMatch(figures -> figures.section().equals(Measures.RUNNING))) {
            line("Every task ran in every sample. Executions beyond one for each task:"
                    + (seen.isEmpty() ? " none." : seen));
            line("");
        }
    }

    private void facts() {
        if (report.facts().isEmpty()) {
            return;
        }
        Set<String> libraries = new LinkedHashSet<>();
        report.facts().forEach(fact -> libraries.add(fact.contestant()));
        line("## Under the same key");
        line("");
        line("| submitted | " + String.join(" | ", libraries) + " |");
        line("|---|" + "---|".repeat(libraries.size()));
        Set<String> questions = new LinkedHashSet<>();
        report.facts().forEach(fact -> questions.add(fact.question()));
        for (String question : questions) {
            StringBuilder line = new StringBuilder("| " + question + " |");
            for (String name : libraries) {
                String answer = report.facts().stream()
                        .filter(fact -> fact.question().equals(question)
                                && fact.contestant().equals(name))
                        .map(Facts.Fact::answer)
                        .findFirst()
                        .orElse("");
                line.append(' ').append(answer).append(" |");
            }
            line(line.toString());
        }
        line("");
    }

    private void goals() {
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
        line("");
    }

    private void choices() {
        line("## How each was set up");
        line("");
        line("| who | what | chosen | why |");
        line("|---|---|---|---|");
        report.contestants()
                .forEach((name, entry) -> entry.choices()
                        .forEach(choice -> line("| " + name + " " + entry.version() + " | " + choice.what() + " | "
                                + choice.chosen() + " | " + choice.why() + " |")));
    }

    private static String series(Series series) {
        double median = series.median();
        return number(median) + (median == 0 ? "" : String.format(Locale.ROOT, " (%.0f %%)", 100 * series.spread()));
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
