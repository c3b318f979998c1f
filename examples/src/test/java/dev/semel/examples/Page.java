package dev.semel.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page in Markdown.
 *
 * @param file its file
 * @param name its path from the root, for messages
 * @param blocks its fenced code
 * @param anchors the anchors that a link can name after {@code #}
 * @param links the targets of its links, images included
 */
record Page(Path file, String name, List<Block> blocks, Set<String> anchors, List<Link> links) {

    private static final Pattern FENCE = Pattern.compile("\\s*```(\\w*).*");
    private static final Pattern HEADING = Pattern.compile("#{1,6}\\s+(.*?)\\s*#*");
    private static final Pattern CODE = Pattern.compile("`+[^`]*`+");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(\\s*<?([^)\\s>]+)>?[^)]*\\)");

    /**
     * Fenced code.
     *
     * @param line the line of the opening fence
     * @param language the language after the fence
     * @param above the last line before the fence that is not empty
     * @param text the lines inside
     */
    record Block(int line, String language, String above, List<String> text) {}

    /**
     * A link.
     *
     * @param line its line
     * @param target its target
     */
    record Link(int line, String target) {}

    static Page read(Path root, Path file) throws IOException {
        List<Block> blocks = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        Map<String, Integer> anchors = new HashMap<>();
        Block open = null;
        String above = "";
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            Matcher fence = FENCE.matcher(line);
            if (open != null) {
                if (fence.matches()) {
                    open = null;
                } else {
                    open.text().add(line);
                }
            } else if (fence.matches()) {
                open = new Block(number, fence.group(1), above, new ArrayList<>());
                blocks.add(open);
            } else {
                heading(line, anchors);
                Matcher link = LINK.matcher(CODE.matcher(line).replaceAll("code"));
                while (link.find()) {
                    links.add(new Link(number, link.group(1)));
                }
            }
            above = line.isBlank() ? above : line;
        }
        return new Page(file, root.relativize(file).toString(), blocks, Set.copyOf(anchors.keySet()), links);
    }

    /** Returns the anchor of a heading on the rendered page; a repeated heading gets a number. */
    private static void heading(String line, Map<String, Integer> anchors) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
            String anchor = heading.group(1)
                    .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            int before = anchors.merge(anchor, 1, Integer::sum) - 1;
            if (before > 0) {
                anchors.put(anchor + "-" + before, 1);
            }
        }
    }
}
