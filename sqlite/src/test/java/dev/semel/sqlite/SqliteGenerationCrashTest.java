package dev.semel.sqlite;

import dev.semel.store.TaskStore;
import dev.semel.storetests.process.GenerationCrashContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Restarts and continuations by processes that die at each of their calls, on a real file. */
class SqliteGenerationCrashTest extends GenerationCrashContract {

    @TempDir
    Path directory;

    @Override
    protected TaskStore open(ManualClock storeClock) {
        return SqliteTaskStore.open(
                directory.resolve("semel.db"),
                SqliteSettings.standard().withClock(storeClock).withElapsed(storeClock));
    }
}
