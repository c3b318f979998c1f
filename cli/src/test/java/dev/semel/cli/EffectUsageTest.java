package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Wrong input to {@code semel effect …}. */
class EffectUsageTest {

    private static final String UNKNOWN = "0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de";

    @TempDir
    Path directory;

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of("but got none", args("resolve", UNKNOWN, "charge", "--reason", "r")),
                Arguments.of(
                        "--done and --give-up",
                        args("resolve", UNKNOWN, "charge", "--done", "1", "--give-up", "--reason", "r")),
                Arguments.of("--reason", args("resolve", UNKNOWN, "charge", "--not-done")),
                Arguments.of("The reason has 1 to", args("resolve", UNKNOWN, "charge", "--not-done", "--reason", " ")),
                Arguments.of(
                        "name of the person who resolves",
                        args("resolve", UNKNOWN, "charge", "--not-done", "--reason", "r", "--by", "")),
                Arguments.of("The result: ", args("resolve", UNKNOWN, "charge", "--done", "{a:1}", "--reason", "r")),
                Arguments.of("single quotes", args("resolve", UNKNOWN, "charge", "--done", "{a:1}", "--reason", "r")),
                Arguments.of(
                        "no such file", args("resolve", UNKNOWN, "charge", "--done", "@/nowhere/r", "--reason", "r")),
                Arguments.of("\"charge#x\"", args("resolve", UNKNOWN, "charge#x", "--not-done", "--reason", "r")),
                Arguments.of("\"a b\"", args("resolve", UNKNOWN, "a b", "--not-done", "--reason", "r")),
                Arguments.of("99999", args("resolve", UNKNOWN, "charge#100000", "--not-done", "--reason", "r")),
                Arguments.of("\"17\"", args("resolve", "17", "charge", "--not-done", "--reason", "r")),
                Arguments.of("EFFECT", args("resolve", UNKNOWN, "--not-done", "--reason", "r")),
                Arguments.of("\"0\"", args("resolve", UNKNOWN, "c", "--not-done", "--reason", "r", "--attempt", "0")),
                Arguments.of("\"17\"", args("list", "--task", "17")),
                Arguments.of("Remove one of them", args("list", "--task", UNKNOWN, "--queue", "q")),
                Arguments.of("\"0\"", args("list", "--limit", "0")),
                Arguments.of("\"1001\"", args("list", "--limit", "1001")),
                Arguments.of("--after", args("list", "--after", "charge")),
                Arguments.of("\"a b\"", args("list", "--queue", "a b")),
                Arguments.of("list, resolve", args()));
    }

    private static String[] args(String... arguments) {
        return Stream.concat(Stream.of("effect"), Stream.of(arguments)).toArray(String[]::new);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsReportedBeforeTheStoreIsOpened(String expected, String[] arguments) {
        assertThat(new Cli(directory).run(arguments).exits(2).err())
                .startsWith("semel: ")
                .contains(expected)
                .doesNotContain("\tat ");
        assertThat(directory).isEmptyDirectory();
    }
}
