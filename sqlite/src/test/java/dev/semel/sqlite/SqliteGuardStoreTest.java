package dev.semel.sqlite;

import dev.semel.guard.GuardStore;
import dev.semel.storetests.GuardStoreContract;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every guard store, on real files; the second handle is a second store on the same file. */
@Timeout(120)
class SqliteGuardStoreTest extends GuardStoreContract {

    @TempDir
    Path directory;

    private InstantSource clock = InstantSource.system();
    private Path file = Path.of("unopened");

    @Override
    protected GuardStore open(InstantSource newClock) {
        clock = newClock;
        file = directory.resolve(UUID.randomUUID() + ".db");
        return openAnother();
    }

    @Override
    protected GuardStore openAnother() {
        return SqliteGuardStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
    }
}
