package dev.semel.sqlite;

import dev.semel.guard.GuardStore;
import dev.semel.storetests.GuardProcessContract;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

/** Several processes on one file. */
class SqliteGuardProcessTest extends GuardProcessContract {

    @TempDir
    Path directory;

    /** Takes a path. */
    public static final class ByPath implements Opener {
        @Override
        public GuardStore open(String address) {
            return SqliteGuardStore.open(Path.of(address));
        }
    }

    @Override
    protected Class<? extends Opener> opener() {
        return ByPath.class;
    }

    @Override
    protected String freshAddress() {
        return directory.resolve(UUID.randomUUID() + ".db").toString();
    }
}
