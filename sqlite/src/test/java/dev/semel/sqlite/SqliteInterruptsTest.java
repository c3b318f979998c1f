package dev.semel.sqlite;

import dev.semel.store.TaskStore;
import dev.semel.storetests.InterruptsContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts of callers that share the writer of a file. */
class SqliteInterruptsTest extends InterruptsContract {

    @TempDir
    Path directory;

    @Override
    protected TaskStore open() {
        return SqliteTaskStore.open(directory.resolve("semel.db"));
    }
}
