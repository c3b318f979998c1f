package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands on the how-to pages work. */
class HowToTest {

    @TempDir
    Path directory;

    @Test
    @Timeout(180)
    void queuesAreOperatedAsThePageSays() throws IOException, InterruptedException {
        String printed = ShellPage.run(Path.of("..", "docs", "how-to", "operate-queues.md"), directory);
        assertThat(printed).contains("paused*", "would run again", "is pending again", "\"outcome\":\"released\"");
    }

    @Test
    @Timeout(180)
    void unknownEffectsAreResolvedAsThePageSays() throws IOException, InterruptedException {
        try (TaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"))) {
            EffectWorld world = new EffectWorld(store);
            world.submit("default", null);
            Lease first = world.claim("default");
            world.done(first, "reserve", "{\"place\":17}");
            world.intend(first, "charge", Duration.ofHours(24));
            world.retry(first, "no answer");
            world.park(world.claim("default"), "charge");
        }
        String printed = ShellPage.run(Path.of("..", "docs", "how-to", "effects.md"), directory);
        assertThat(printed)
                .contains(
                        "waiting, parked: the outcome of effect \"charge\" is unknown",
                        "TOKEN",
                        "The task continues with the given result, and does not run the effect.",
                        "Nothing was changed.",
                        "Resolution recorded by ")
                .contains("is pending.");
    }
}
