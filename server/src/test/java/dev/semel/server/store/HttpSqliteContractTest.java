package dev.semel.server.store;

import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The whole contract through a real port, with SQLite behind it. Another handle is another server on the same file. */
class HttpSqliteContractTest extends TaskStoreContract {

    @TempDir
    Path directory;

    private final Hosts hosts = new Hosts();
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
        return hosts.over(SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock)));
    }

    @AfterEach
    void close() throws Exception {
        hosts.close();
    }
}
