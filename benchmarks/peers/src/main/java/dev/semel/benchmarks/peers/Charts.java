package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Series;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws figures as SVG: a group of bars for each measure, one for each contestant. Each group has its own scale. */
final class Charts {

    private static final int WIDTH = 820;
    private static final int LABELS = 320;
    private static final int FIGURES = 110;
    private static final int BAR = 15;
    private static final int GAP = 14;
    private static final int TOP = 44;

    // Readable without colours: dark, light and in between; and each bar has its name.
    private static final String SEMEL = "#1f5fa8";
    private static final String PEER = "#8d97a5";
    private static final String RAW = "#d8dce2";

    private Charts() {}

    /** Returns a chart for each section, by its name. */
    static Map<String, String> of(List<Figures> figures) {
        Map<String, List<Figures>> sections = new LinkedHashMap<>();
        figures.forEach(one -> sections.computeIfAbsent(one.section(), name -> new ArrayList<>())
                .add(one));
        Map<String, String> charts = new LinkedHashMap<>();
        sections.forEach((section, members) -> charts.put(section, bars(section, members)));
        return charts;
    }

    private static String bars(String section, List<Figures> members) {
        StringBuilder svg = new StringBuilder();
        int y = TOP;
        for (Figures figures : members) {
            double most = figures.series().values().stream()
                    .mapToDouble(Series::median)
                    .max()
                    .orElse(1);
            text(svg, 12, y + 11, "start", figures.title() + ", " + figures.unit());
            for (Map.Entry<String, Series> entry : figures.series().entrySet()) {
                bar(svg, y, entry.getKey(), entry.getValue().median(), most);
                y += BAR;
            }
            y += GAP;
        }
        boolean more = members.getFirst().more();
        return document(section + ": " + (more ? "longer is better" : "shorter is better"), y, svg);
    }

    private static void bar(StringBuilder svg, int y, String name, double value, double most) {
        double length = most <= 0 ? 1 : Math.max(1, value / most * (WIDTH - LABELS - FIGURES - 110));
        String colour = switch (name) {
            case Figures.SEMEL -> SEMEL;
            case Figures.RAW -> RAW;
            default -> PEER;
        };
        int left = LABELS + 90;
        text(svg, left - 6, y + 11, "end", name);
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>%n",
                left,
                y,
                length,
                colour));
        text(svg, left + length + 6, y + 11, "start", Markdown.number(value));
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
