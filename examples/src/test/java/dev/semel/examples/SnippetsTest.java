package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The Java on the pages is the Java of the examples, which is compiled and run. */
class SnippetsTest {

    private static final Pattern NAMED = Pattern.compile("<!-- snippet: (\\w+) ([\\w-]+) -->");

    // Code against another library, which the build does not have.
    private static final Pattern OTHER = Pattern.compile("<!-- other: [\\w -]+ -->");

    private static final List<String> SOURCES = List.of(
            "examples/src/main/java/dev/semel/examples/",
            "examples/spring-shop/src/main/java/dev/semel/examples/shop/",
            "examples/spring-shop/src/test/java/dev/semel/examples/shop/");

    // Decision records and pages about internals may show code that is not an example.
    private static final List<String> FREE = List.of("docs/adr/", "docs/internals/");

    @Test
    void javaOnAPageIsTheSnippetThatItNames() throws IOException {
        List<String> wrong = new ArrayList<>();
        int compared = 0;
        for (Page page : Repository.pages()) {
            for (Page.Block block : page.blocks()) {
                Matcher named = NAMED.matcher(block.above());
                String where = page.name() + ":" + block.line();
                if (named.matches()) {
                    compared++;
                    String expected = snippet(named.group(1), named.group(2));
                    if (!String.join("\n", block.text()).equals(expected)) {
                        wrong.add(where + " is not " + named.group(1) + " " + named.group(2) + ", which is:\n"
                                + expected);
                    }
                } else if (block.language().equals("java")
                        && !OTHER.matcher(block.above()).matches()
                        && FREE.stream().noneMatch(page.name()::startsWith)) {
                    wrong.add(where + " names no snippet");
                }
            }
        }
        assertThat(compared).as("snippets that were compared").isPositive();
        assertThat(wrong)
                .as("code on pages that is not the code of the examples")
                .isEmpty();
    }

    /** Returns a snippet without its indentation; the imports of a program, and the whole of it, need no marks. */
    private static String snippet(String program, String name) throws IOException {
        Path file = SOURCES.stream()
                .map(directory -> Repository.root().resolve(directory + program + ".java"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no example " + program));
        if (name.equals("program")) {
            return Files.readAllLines(file).stream()
                    .filter(line -> !line.startsWith("package ")
                            && !line.strip().startsWith("// snippet: ")
                            && !line.strip().equals("// end"))
                    .collect(Collectors.joining("\n"))
                    .strip();
        }
        if (name.equals("imports")) {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith("import "))
                    .collect(Collectors.joining("\n"));
        }
        List<String> lines = Files.readAllLines(file).stream()
                .dropWhile(line -> !line.strip().equals("// snippet: " + name))
                .skip(1)
                .takeWhile(line -> !line.strip().equals("// end"))
                .toList();
        assertThat(lines).as("lines of the snippet %s in %s", name, file).isNotEmpty();
        int margin = lines.stream()
                .filter(line -> !line.isBlank())
                .mapToInt(line -> line.length() - line.stripLeading().length())
                .min()
                .orElse(0);
        return lines.stream()
                .map(line -> line.isBlank() ? "" : line.substring(margin))
                .collect(Collectors.joining("\n"));
    }
}
