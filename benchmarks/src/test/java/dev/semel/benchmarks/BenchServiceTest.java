package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command line with the benchmarks on its class path. */
@Timeout(120)
class BenchServiceTest {

    @TempDir
    Path directory;

    private record Ran(int code, String output) {}

    private Ran semel(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Ran(process.exitValue(), output);
    }

    @Test
    void theHelpAndTheCompletionHaveTheCommand() throws Exception {
        assertThat(semel("--help").output()).contains("  bench  ");
        assertThat(semel("bench", "--help").output()).contains("--short", "--output=DIR", "--only=NAME");
        assertThat(semel("completion", "bash").output()).contains("bench");
    }

    @Test
    void theCommandReachesTheBenchmarks() throws Exception {
        Ran ran = semel("bench", "--short", "--only", "nothing-of-that-name");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.output()).contains("No measure starts with \"nothing-of-that-name\"", "drain");
    }
}
