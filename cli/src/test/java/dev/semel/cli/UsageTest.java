package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {

    private static Cli.Ran run(String... arguments) {
        return Cli.bare("", Map.of(), arguments);
    }

    @Test
    void theVersionIsShown() {
        assertThat(run("--version").exits(0).out()).startsWith("semel ");
        assertThat(run("--version", "--json").exits(0).json().path("version").asString())
                .isNotEmpty();
    }

    @Test
    void theHelpNamesEveryCommandAndNoHiddenOne() {
        String help = run("--help").exits(0).out();
        assertThat(help)
                .contains(
                        "demo",
                        "submit",
                        "worker",
                        "task",
                        "effect",
                        "queue",
                        "dead",
                        "key",
                        "clean",
                        "migrate",
                        "doctor",
                        "Exit codes");
        assertThat(help).doesNotContain(DemoChildCommand.NAME).doesNotContain("Runs the common commands");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "submit",
                "worker",
                "task show",
                "task list",
                "task result",
                "task explain",
                "task cancel",
                "effect list",
                "effect resolve",
                "queue list",
                "queue pause",
                "queue resume",
                "queue set",
                "queue reset",
                "dead list",
                "dead show",
                "dead redrive",
                "key show",
                "key release",
                "clean",
                "completion",
                "migrate",
                "doctor"
            })
    void everyCommandHasHelpWithExamplesAndTheCommonOptions(String command) {
        String help = run((command + " --help").split(" ")).exits(0).out();
        assertThat(help)
                .contains(
                        "Usage: semel " + command,
                        "Examples:",
                        "--store",
                        "--config",
                        "--json",
                        "--tenant",
                        "--verbose",
                        "--no-color");
        assertThat(help.lines()).allMatch(line -> line.length() <= 110);
    }

    @Test
    void anUnknownCommandIsAnsweredWithTheNearestOne() {
        assertThat(run("submti").exits(2).err()).contains("\"submti\"", "Did you mean \"submit\"?");
        assertThat(run("task", "shwo").exits(2).err()).contains("\"shwo\"", "Did you mean \"show\"?");
        assertThat(run("zzzzzz").exits(2).err()).doesNotContain("Did you mean");
    }

    @Test
    void anUnknownOptionIsAnsweredWithTheNearestOne() {
        assertThat(run("submit", "t", "{}", "--kye=a").exits(2).err()).contains("Did you mean \"--key\"?");
        var json = run("submit", "t", "{}", "--kye", "a", "--json").exits(2).json();
        assertThat(json.path("error").asString()).isEqualTo("WrongUsage");
        assertThat(json.path("suggestion").asString()).isEqualTo("--key");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "task",
                "submit",
                "submit t",
                "worker q",
                "worker --exec true",
                "task show",
                "effect",
                "effect resolve",
                "queue",
                "dead",
                "key",
                "key show"
            })
    void whatIsMissingIsNamed(String arguments) {
        String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ");
        assertThat(run(words).exits(2).err())
                .startsWith("semel: ")
                .contains("--help")
                .doesNotContain("\tat ");
    }

    @Test
    void aStoreOfAnUnknownKindIsRefusedWithoutShowingItsPassword() {
        assertThat(run("task", "list", "--store", "mysql://u:secret@h/db")
                        .exits(2)
                        .err())
                .contains("\"mysql\"", "sqlite:")
                .doesNotContain("secret");
        assertThat(run("task", "list", "--store", "semel.db").exits(2).err()).contains("\"sqlite:semel.db\"");
        assertThat(run("task", "list", "--store", "sqlite:").exits(2).err()).contains("contains a file");
        for (String command : new String[] {"submit t {}", "doctor", "migrate", "task list"}) {
            String[] words = (command + " --store sqlite:/tmp/a?b.db").split(" ");
            assertThat(run(words).exits(2).err()).contains("the name of its file no \"?\"");
        }
    }

    @Test
    void theStoreIsTakenFromTheEnvironmentUnlessGiven() {
        Map<String, String> environment = Map.of("SEMEL_STORE", "redis://x");
        assertThat(Cli.bare("", environment, "task", "list").exits(2).err()).contains("\"redis\"");
        assertThat(Cli.bare("", environment, "task", "list", "--store", "ftp://x")
                        .exits(2)
                        .err())
                .contains("\"ftp\"");
    }

    @Test
    void optionsMayStandBeforeTheCommand() {
        assertThat(run("--json", "task", "list", "--store", "ftp:x")
                        .exits(2)
                        .json()
                        .path("error")
                        .asString())
                .isEqualTo("InvalidInput");
    }

    @Test
    void anEmptyStoreOrConfigurationIsNotTakenForTheDefault() {
        Cli.Ran store = Cli.bare("", Map.of(), "task", "list", "--store", "").exits(2);
        assertThat(store.err()).contains("Option --store takes the URL of a store", "but got \"\"");
        Cli.Ran configuration =
                Cli.bare("", Map.of(), "task", "list", "--config", " ").exits(2);
        assertThat(configuration.err()).contains("Option --config takes the name of a file");
    }
}
