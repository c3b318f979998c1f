package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BadInputTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    static Stream<Arguments> badSubmissions() {
        String tooLong = "k".repeat(256);
        return Stream.of(
                Arguments.of("256", args("t", "{}", "--key", tooLong)),
                Arguments.of("U+0007", args("t", "{}", "--key", "a\u0007b")),
                Arguments.of("surrogate", args("t", "{}", "--key", "a\ud800b")),
                Arguments.of("\"no spaces\"", args("no spaces", "{}")),
                Arguments.of("task type", args("", "{}")),
                Arguments.of("101", args("x".repeat(101), "{}")),
                Arguments.of("\"a b\"", args("t", "{}", "--queue", "a b")),
                Arguments.of("tenant", args("t", "{}", "--tenant", "ü")),
                Arguments.of("1048576", args("t", "\"" + "x".repeat(1 << 20) + "\"")),
                Arguments.of("64", args("t", "[".repeat(65) + "]".repeat(65))),
                Arguments.of("Member names of a JSON object are unique", args("t", "{\"a\":1,\"a\":2}")),
                Arguments.of("NaN", args("t", "{\"a\":NaN}")),
                Arguments.of("RFC 8259", args("t", "{order:1}")),
                Arguments.of("single quotes", args("t", "{order:1}")),
                Arguments.of("empty", args("t", "")),
                Arguments.of("\"7x\"", args("t", "{}", "--delay", "7x")),
                Arguments.of("\"7x\"", args("t", "{}", "--ttl", "7x")),
                Arguments.of("--timeout", args("t", "{}", "--timeout", "7x")),
                Arguments.of("at least a millisecond", args("t", "{}", "--ttl", "0")),
                Arguments.of("\"7x\"", args("t", "{}", "--wait", "7x")),
                Arguments.of("\"10\"", args("t", "{}", "--priority", "10")),
                Arguments.of("\"high\"", args("t", "{}", "--priority", "high")),
                Arguments.of("\"0\"", args("t", "{}", "--max-attempts", "0")),
                Arguments.of("\"tomorrow\"", args("t", "{}", "--run-at", "tomorrow")),
                Arguments.of("both", args("t", "{}", "--run-at", "2026-01-01T00:00:00Z", "--delay", "1s")),
                Arguments.of("\"global\"", args("t", "{}", "--scope", "global")),
                Arguments.of("\"maybe\"", args("t", "{}", "--reuse", "maybe")),
                Arguments.of("no such file", args("t", "@/nowhere/input.json")));
    }

    private static String[] args(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "submit";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return all;
    }

    @ParameterizedTest
    @MethodSource("badSubmissions")
    void aBadSubmissionIsRefusedWithTheReasonAndLeavesNothingBehind(String expected, String[] arguments)
            throws IOException {
        Cli.Ran ran = cli.run(arguments).exits(2);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).startsWith("semel: ").contains(expected).doesNotContain("\tat ");
        assertThat(ran.err().lines()).hasSize(1);
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @MethodSource("badSubmissions")
    void aBadSubmissionIsAnsweredInJson(String expected, String[] arguments) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = "--json";
        var json = cli.run(all).exits(2).json();
        assertThat(json.path("error").asString()).isEqualTo("InvalidInput");
        assertThat(json.path("message").asString()).contains(expected);
    }

    @Test
    void tooMuchOnStandardInputIsRefusedWithoutReadingAllOfIt() {
        assertThat(cli.runWith("[" + "1,".repeat(600_000), "submit", "t", "-")
                        .exits(2)
                        .err())
                .contains("1048576", "standard input");
        assertThat(directory.resolve("semel.db")).doesNotExist();
    }

    @Test
    void aFileThatIsNotUtf8IsRefused() throws IOException {
        Path input = Files.write(directory.resolve("input"), new byte[] {'"', (byte) 0xC3, '"'});
        assertThat(cli.run("submit", "t", "@" + input).exits(2).err()).contains("UTF-8");
    }

    static Stream<Arguments> badWorkers() {
        return Stream.of(
                Arguments.of("\"7x\"", new String[] {"worker", "q", "--exec", "true", "--lease", "7x"}),
                Arguments.of("100 ms", new String[] {"worker", "q", "--exec", "true", "--lease", "10ms"}),
                Arguments.of("\"a b\"", new String[] {"worker", "a b", "--exec", "true"}),
                Arguments.of("\"0\"", new String[] {"worker", "q", "--exec", "true", "--concurrency", "0"}),
                Arguments.of("--exec", new String[] {"worker", "q", "--exec", " "}),
                Arguments.of("all tenants", new String[] {"worker", "q", "--exec", "true", "--tenant", "a"}),
                Arguments.of("task type", new String[] {"worker", "q", "--exec", "true", "--type", "a b"}),
                Arguments.of("\"7x\"", new String[] {"task", "result", id(), "--wait", "7x"}),
                Arguments.of("\"17\"", new String[] {"task", "show", "17"}),
                Arguments.of("\"done\"", new String[] {"task", "list", "--state", "done"}),
                Arguments.of("--type", new String[] {"task", "list", "--key", "k"}),
                Arguments.of("--queue", new String[] {"task", "list", "--key", "k", "--scope", "queue"}),
                Arguments.of("--key", new String[] {"task", "list", "--scope", "queue"}),
                Arguments.of("\"0\"", new String[] {"task", "list", "--limit", "0"}));
    }

    private static String id() {
        return "0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de";
    }

    @ParameterizedTest
    @MethodSource("badWorkers")
    void otherBadValuesAreRefusedBeforeTheStoreIsOpened(String expected, String[] arguments) {
        assertThat(cli.run(arguments).exits(2).err()).contains(expected).doesNotContain("\tat ");
        assertThat(directory.resolve("semel.db")).doesNotExist();
    }
}
