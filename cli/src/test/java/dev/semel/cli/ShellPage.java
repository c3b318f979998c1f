package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Runs the shell commands of a page, one after the other, with real processes. */
final class ShellPage {

    private ShellPage() {}

    /** Runs the page in an empty directory, with a semel.toml that contains the page's TOML blocks. */
    static String run(Path page, Path directory) throws IOException, InterruptedException {
        String text = Files.readString(page);
        List<String> blocks = blocks(text, "sh");
        assertThat(blocks).hasSizeGreaterThan(1);
        List<String> configuration = blocks(text, "toml");
        if (!configuration.isEmpty()) {
            Files.writeString(directory.resolve("semel.toml"), String.join("\n", configuration));
        }
        String semel = "semel() { \"" + Path.of(System.getProperty("java.home"), "bin", "java")
                + "\" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp '"
                + System.getProperty("java.class.path") + "' " + Main.class.getName() + " \"$@\"; }\n";
        Path script =
                Files.writeString(directory.resolve("examples.sh"), "set -eu\n" + semel + String.join("\n", blocks));
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder("sh", "-x", script.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(500, TimeUnit.SECONDS)).isTrue();
            String printed = Files.readString(output);
            assertThat(process.exitValue()).as(printed).isZero();
            return printed;
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> blocks(String text, String language) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
