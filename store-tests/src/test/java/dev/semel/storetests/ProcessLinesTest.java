package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ProcessLinesTest {

    @Test
    void aSilentProcessIsKilledAndSaidToBeSilent() throws Exception {
        Process process = start("silent");
        ProcessLines lines = new ProcessLines(process, Duration.ofSeconds(1));

        // It may be silent before its first line already, on a busy machine.
        assertThatThrownBy(() -> {
                    while (lines.next() != null) {
                        Thread.onSpinWait();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("silent for too long");
        assertThat(process.waitFor()).isNotZero();
    }

    @Test
    void linesAreReadUntilTheProcessEnds() throws Exception {
        Process process = start("talking");
        ProcessLines lines = new ProcessLines(process);

        assertThat(lines.next()).isEqualTo("one");
        assertThat(lines.next()).isEqualTo("two");
        assertThat(lines.next()).isNull();
        assertThat(process.waitFor()).isZero();
    }

    private static Process start(String what) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ProcessLinesTest.class.getName(),
                        what)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The other process. */
    public static void main(String[] arguments) throws InterruptedException {
        System.out.println("one");
        if (arguments[0].equals("silent")) {
            new CountDownLatch(1).await();
        }
        System.out.println("two");
    }
}
