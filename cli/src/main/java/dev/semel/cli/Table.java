package dev.semel.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of text that fits a width. The widest columns are narrowed if they may be; the others keep their width. */
final class Table {

    private static final String GAP = "  ";
    private static final int NARROWEST = 4;

    private final List<String> heads;
    private final List<Boolean> whole;
    private final List<List<String>> rows = new ArrayList<>();

    /** Creates a table. A heading that starts with {@code !} names a column that is never narrowed. */
    Table(String... columns) {
        this.heads = Arrays.stream(columns)
                .map(column -> column.startsWith("!") ? column.substring(1) : column)
                .toList();
        this.whole =
                Arrays.stream(columns).map(column -> column.startsWith("!")).toList();
    }

    Table add(String... cells) {
        rows.add(Arrays.stream(cells).map(Text::line).toList());
        return this;
    }

    /** Prints one line for each row, and cuts text that does not fit. States are coloured if colours are on. */
    void print(Console console) {
        int[] widths = widths(console.width());
        boolean colors = console.hasColors();
        console.out().println(line(heads, widths, false));
        rows.forEach(row -> console.out().println(line(row, widths, colors)));
    }

    /** Prints each row on as many lines as it needs; nothing is cut. */
    void printWrapped(PrintStream out, int width) {
        int[] widths = widths(width);
        out.println(line(heads, widths, false));
        for (List<String> row : rows) {
            List<List<String>> wrapped = new ArrayList<>();
            for (int i = 0; i < widths.length; i++) {
                wrapped.add(Text.wrapped(row.get(i), widths[i]));
            }
            int lines = wrapped.stream().mapToInt(List::size).max().orElse(0);
            for (int i = 0; i < lines; i++) {
                int number = i;
                List<String> cells = wrapped.stream()
                        .map(cell -> number < cell.size() ? cell.get(number) : "")
                        .toList();
                out.println(line(cells, widths, false));
            }
        }
    }

    private int[] widths(int limit) {
        int[] widths = new int[heads.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = Math.max(
                    heads.get(i).length(),
                    rows.stream()
                            .mapToInt(row -> row.get(column).length())
                            .max()
                            .orElse(0));
        }
        int excess = Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1) - limit;
        while (excess > 0) {
            int widest = -1;
            for (int i = 0; i < widths.length; i++) {
                if (!whole.get(i) && widths[i] > NARROWEST && (widest < 0 || widths[i] > widths[widest])) {
                    widest = i;
                }
            }
            if (widest < 0) {
                break; // too narrow for all columns: whole columns matter more than the right margin
            }
            widths[widest]--;
            excess--;
        }
        return widths;
    }

    private static String line(List<String> cells, int[] widths, boolean colors) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = Text.cut(cells.get(i), widths[i]);
            line.append(Colors.painted(cell, colors))
                    .append(" ".repeat(widths[i] - cell.length()))
                    .append(GAP);
        }
        return line.toString().stripTrailing();
    }
}
