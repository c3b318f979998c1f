package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class WatchTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    @Test
    void aWatchedListIsOneDocumentForEachFrameAndEndsWell() throws IOException, InterruptedException {
        cli.submit("t", "{}");
        try (Child child = Child.semel(directory, "queue", "list", "--watch", "50ms", "--json", "--store", cli.url())) {
            await().atMost(PATIENCE).until(() -> child.out().lines().count() >= 2);
            cli.submit("t", "{}");
            await().atMost(PATIENCE)
                    .until(() -> !child.out().isEmpty()
                            && child.out().lines().toList().getLast().contains("\"due\":2"));
            child.signal("INT");
            assertThat(child.exitCode()).isZero();
            assertThat(child.out().lines())
                    .allMatch(line -> Cli.MAPPER.readTree(line).path("queues").size() == 1);
        }
    }

    @Test
    void framesAreAppendedWhereNoTerminalIs() throws IOException, InterruptedException {
        String id = cli.submit("t", "{}");
        for (List<String> command : List.of(List.of("task", "list"), List.of("dead", "list"))) {
            String[] arguments = {
                command.get(0), command.get(1), "--store", cli.url(), "--tenant", "default", "--watch", "100ms"
            };
            try (Child child = Child.semel(directory, arguments)) {
                await().atMost(PATIENCE).until(() -> child.out().split("every 100ms, Ctrl-C to stop", -1).length > 3);
                child.signal("TERM");
                assertThat(child.exitCode()).isZero();
                assertThat(child.out())
                        .contains(command.contains("dead") ? "No dead letters." : id)
                        .doesNotContain("\u001b");
            }
        }
    }

    @Test
    void aWatchEndsWhenItsOutputIsClosed() throws IOException, InterruptedException {
        cli.submit("t", "{}");
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "\"$@\" | head -n 1",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "queue",
                        "list",
                        "--watch",
                        "20ms",
                        "--json",
                        "--store",
                        cli.url())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }
}
