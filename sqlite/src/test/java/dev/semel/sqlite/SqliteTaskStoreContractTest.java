package dev.semel.sqlite;

import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every store, on real files; the second handle is a second store on the same file. */
class SqliteTaskStoreContractTest extends TaskStoreContract {

    @TempDir
    Path directory;

    private ManualClock clock = new ManualClock();
    private Path file = Path.of("unopened");

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        file = directory.resolve(UUID.randomUUID() + ".db");
        return openAnother();
    }

    @Override
    protected TaskStore openAnother() {
        return SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
    }
}
