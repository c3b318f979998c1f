package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion script, sourced in a real bash. */
class CompletionTest {

    @TempDir
    Path directory;

    private Path script;

    @BeforeEach
    void writeScript() throws IOException {
        script = Files.writeString(
                directory.resolve("semel.bash"),
                Cli.bare("", Map.of(), "completion", "bash").exits(0).out());
    }

    private List<String> completed(String... words) throws IOException, InterruptedException {
        // The steps of bash when TAB is pressed; outside of a completion, "compopt" has nothing to set.
        String bash = "compopt() { :; }; source '" + script + "'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
                + " COMP_LINE=\"$*\"; COMPREPLY=();"
                + " $(complete -p semel | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\"";
        String[] command = new String[words.length + 5];
        System.arraycopy(new String[] {"bash", "--norc", "-c", bash, "bash"}, 0, command, 0, 5);
        System.arraycopy(words, 0, command, 5, words.length);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return Arrays.stream(printed.strip().split("\\s+")).toList();
    }

    @Test
    void commandsAreCompleted() throws IOException, InterruptedException {
        assertThat(completed("semel", ""))
                .contains("submit", "worker", "task", "effect", "queue", "dead", "key", "clean", "completion")
                .doesNotContain(DemoChildCommand.NAME, TrainingCommand.NAME);
        assertThat(completed("semel", "que")).containsExactly("queue");
        assertThat(completed("semel", "queue", ""))
                .containsExactly("list", "pause", "resume", "set", "reset", "forget");
        assertThat(completed("semel", "effect", "")).containsExactly("list", "resolve");
        assertThat(completed("semel", "dead", "re")).containsExactly("redrive");
    }

    @Test
    void optionsAndTheirWordsAreCompleted() throws IOException, InterruptedException {
        assertThat(completed("semel", "queue", "set", "payments", "--ra")).containsExactly("--rate-limit");
        assertThat(completed("semel", "submit", "t", "--")).contains("--key", "--reuse", "--explain", "--store");
        assertThat(completed("semel", "effect", "list", "--un")).containsExactly("--unknown");
        assertThat(completed("semel", "effect", "resolve", "--")).contains("--done", "--not-done", "--give-up");
        assertThat(completed("semel", "task", "list", "--state", "p")).containsExactly("pending");
        assertThat(completed("semel", "submit", "--reuse", "a")).containsExactly("allow-failed-only", "after-finish");
        assertThat(completed("semel", "completion", "")).containsExactly("bash", "zsh");
    }

    @Test
    void anotherShellIsRefused() {
        assertThat(Cli.bare("", Map.of(), "completion", "fish").exits(2).err()).contains("\"fish\"", "bash and zsh");
        assertThat(Cli.bare("", Map.of(), "completion", "zsh").exits(0).out()).contains("bashcompinit");
        assertThat(Cli.bare("", Map.of(), "completion", "zsh", "--json")
                        .exits(0)
                        .json()
                        .path("script")
                        .asString())
                .contains("complete -F");
    }
}
