package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

/** docs/reference/command-line.md says what the program does. */
class CommandLineReferenceTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "command-line.md");

    @TempDir
    Path directory;

    @Test
    void everyOptionOfEveryCommandIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        Stream.of(
                        new SubmitCommand(),
                        new WorkerCommand(),
                        new TaskCommand(),
                        new MigrateCommand(),
                        new DoctorCommand())
                .map(Command::spec)
                .flatMap(spec -> Stream.concat(
                        Stream.of(spec), spec.subcommands().values().stream().map(sub -> sub.getCommandSpec())))
                .flatMap(CommandLineReferenceTest::options)
                .forEach(option -> assertThat(page).contains("`" + option));
        CommandSpec common = CommandSpec.create();
        Options.addGlobal(common);
        options(common).forEach(option -> assertThat(page).contains("`" + option));
    }

    private static Stream<String> options(CommandSpec spec) {
        return spec.options().stream().map(option -> option.longestName());
    }

    @Test
    @Timeout(120)
    void theExamplesWork() throws IOException, InterruptedException {
        List<String> blocks = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
        assertThat(blocks).hasSizeGreaterThan(3);
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
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
            String printed = Files.readString(output);
            assertThat(process.exitValue()).as(printed).isZero();
            assertThat(printed).contains("\"result\":{\"paid\":true}", "\n7\n", "no such image");
        } finally {
            process.destroyForcibly();
        }
    }
}
