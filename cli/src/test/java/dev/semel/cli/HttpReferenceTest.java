package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the page docs/reference/http.md work: a server, curl, a worker in shell and one in Python. */
class HttpReferenceTest {

    @TempDir
    Path directory;

    @Test
    @Timeout(600)
    void theExamplesWork() throws IOException, InterruptedException {
        String printed = ShellPage.run(Path.of("..", "docs", "reference", "http.md"), directory);
        assertThat(printed)
                .contains("\"result\":{\"paid\":true}", "[{'outcome': 'applied'}, {'outcome': 'applied'}]", "billing");
    }
}
