package dev.semel.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Draws figures as SVG: a pair of bars for each measure, Semel above what it is compared with. */
final class Charts {

    private static final int WIDTH = 820;
    private static final int LABELS = 290;
    private static final int FIGURES = 150;
    private static final int ROW = 40;
    private static final int TOP = 44;

    // Readable without colours: one is dark, the other light.
    private static final String OURS = "#1f5fa8";
    private static final String BESIDE = "#c9ced6";

    private Charts() {}

    /** Returns a chart for each section, by its name. */
    static Map<String, String> of(List<Result> results) {
        Map<String, List<Result>> sections = new LinkedHashMap<>();
        for (Result result : results) {
            sections.computeIfAbsent(result.section(), name -> new ArrayList<>())
                    .add(result);
        }
        Map<String, String> charts = new LinkedHashMap<>();
        sections.forEach((section, members) -> {
            boolean growth = !section.equals(CleaningMeasure.SECTION)
                    && !section.equals(OpenTransactionMeasure.SECTION)
                    && members.stream().anyMatch(result -> result.empty() != null);
            charts.put(section, growth ? line(section, members) : bars(section, members));
        });
        return charts;
    }

    private static String bars(String section, List<Result> results) {
        double most = 0;
        for (Result result : results) {
            Series beside = beside(result);
            most = Math.max(most, result.ours().median());
            most = beside == null ? most : Math.max(most, beside.median());
        }
        StringBuilder svg = new StringBuilder();
        int y = TOP;
        for (Result result : results) {
            text(svg, LABELS - 10, y + 17, "end", result.title());
            bar(svg, y, OURS, result.ours().median(), most, result.unit());
            Series beside = beside(result);
            if (beside != null) {
                bar(svg, y + 15, BESIDE, beside.median(), most, result.raw() == null ? "without" : "raw");
            }
            y += ROW;
        }
        String light = switch (section) {
            case CleaningMeasure.SECTION -> "the same without cleaning";
            case OpenTransactionMeasure.SECTION -> "the same with nothing dead";
            default -> "the raw limit";
        };
        return document(section + ": Semel (dark) and " + light + " (light)", y, svg);
    }

    private static @Nullable Series beside(Result result) {
        return result.raw() != null ? result.raw() : result.empty();
    }

    private static void bar(StringBuilder svg, int y, String colour, double value, double most, String unit) {
        double length = Math.max(1, value / most * (WIDTH - LABELS - FIGURES));
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"13\" fill=\"%s\"/>%n",
                LABELS,
                y,
                length,
                colour));
        text(svg, LABELS + length + 6, y + 11, "start", Markdown.number(value) + " " + unit);
    }

    /** Draws speed over size, from empty to the largest, with the empty store next to each point. */
    private static String line(String section, List<Result> results) {
        int height = 240;
        int left = 90;
        double most = 0;
        for (Result result : results) {
            most = Math.max(most, result.ours().median());
            most = result.empty() == null ? most : Math.max(most, result.empty().median());
        }
        StringBuilder svg = new StringBuilder();
        int step = results.size() < 2 ? 0 : (WIDTH - 2 * left) / (results.size() - 1);
        path(svg, results, left, step, height, most, false);
        path(svg, results, left, step, height, most, true);
        for (int i = 0; i < results.size(); i++) {
            text(
                    svg,
                    left + i * step,
                    TOP + height + 22,
                    "middle",
                    results.get(i).title());
        }
        svg.append(String.format(
                Locale.ROOT, "<path d=\"M%d %dH%d\" stroke=\"#666\"/>%n", left / 2, TOP + height, WIDTH - left / 2));
        String light = section.equals(FanOut.SECTION)
                ? "steps of one workflow (dark), in turns with a plain batch of tasks (light), a second"
                : "Semel (dark), in turns with an empty store (light), tasks/s";
        return document(section + ": " + light, TOP + height + 36, svg);
    }

    private static void path(
            StringBuilder svg, List<Result> results, int left, int step, int height, double most, boolean ours) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < results.size(); i++) {
            Series series = ours ? results.get(i).ours() : results.get(i).empty();
            if (series != null) {
                double y = TOP + height * (1 - series.median() / most);
                path.append(String.format(Locale.ROOT, "%s%d %.1f", path.isEmpty() ? "M" : "L", left + i * step, y));
                svg.append(String.format(
                        Locale.ROOT,
                        "<circle cx=\"%d\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>%n",
                        left + i * step,
                        y,
                        ours ? OURS : BESIDE));
                if (ours) {
                    text(svg, left + i * step, y + 20, "middle", Markdown.number(series.median()));
                }
            }
        }
        svg.append(String.format(
                Locale.ROOT,
                "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
                path,
                ours ? OURS : BESIDE));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        svg.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, escaped));
    }

    private static String document(String title, int height, StringBuilder content) {
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<title>%s</title>%n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%n",
                WIDTH,
                height + 10,
                title));
        text(svg, 12, 24, "start", title);
        return svg.append(content).append("</svg>\n").toString();
    }
}
