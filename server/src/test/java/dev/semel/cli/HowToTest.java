package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands on the pages that tell how to do something are run. */
class HowToTest {

    @TempDir
    Path directory;

    @Test
    @Timeout(180)
    void queuesAreOperatedAsThePageSays() throws IOException, InterruptedException {
        String printed = ShellPage.run(Path.of("..", "docs", "how-to", "operate-queues.md"), directory);
        assertThat(printed).contains("paused*", "would run again", "is pending again", "\"outcome\":\"released\"");
    }
}
