package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The page docs/reference/command-line.md is complete, and its examples work. */
class CommandLineReferenceTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "command-line.md");

    @TempDir
    Path directory;

    @Test
    void everyCommandAndEveryOptionIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        CommandSpec program = Main.program().getCommandSpec();
        options(program).forEach(option -> assertThat(page).contains("`" + option));
        program.subcommands().forEach((name, command) -> {
            CommandSpec spec = command.getCommandSpec();
            if (spec.subcommands().isEmpty()) {
                assertThat(page).contains("`" + name + "`");
            }
            spec.subcommands().keySet().forEach(sub -> assertThat(page).contains("`" + name + " " + sub + "`"));
            // Its options are on a separate page.
            if (!name.equals("bench")) {
                Stream.concat(
                                Stream.of(spec),
                                spec.subcommands().values().stream().map(CommandLine::getCommandSpec))
                        .flatMap(CommandLineReferenceTest::options)
                        .forEach(option -> assertThat(page).contains("`" + option));
            }
        });
    }

    private static Stream<String> options(CommandSpec spec) {
        return spec.options().stream().map(option -> option.longestName());
    }

    @Test
    @Timeout(600)
    void theExamplesWork() throws IOException, InterruptedException {
        String printed = ShellPage.run(PAGE, directory);
        assertThat(printed).contains("\"result\":{\"paid\":true}", "\n7\n", "no such image");
    }
}
