package dev.semel.server;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random requests, nearly right ones and wild ones: no answer of status 5xx, the server goes on, and its memory does not grow. Short in the
 * build; the script {@code server/fuzz} sends a million. {@code -Dfuzz=N} sends N requests, {@code -Dseed=N} replays a seed.
 */
class FuzzTest {

    private static final int REQUESTS = Integer.getInteger("fuzz", 1_500);
    private static final long SEED = Long.getLong("seed", 4_711);

    @TempDir
    private Path directory;

    @Test
    void noRequestBreaksTheServer() throws Exception {
        ByteArrayOutputStream progress = new ByteArrayOutputStream();
        Fuzz.run(directory, REQUESTS, SEED, new PrintStream(progress, true, StandardCharsets.UTF_8));
        Assertions.assertThat(progress.toString(StandardCharsets.UTF_8)).contains("seed " + SEED, "200=", "400=");
    }
}
