package dev.semel.sqlite;

import dev.semel.storetests.process.StoreOpener;
import dev.semel.storetests.process.WorkflowCrashContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Workflows whose workers are killed, on a real file. */
class SqliteWorkflowCrashTest extends WorkflowCrashContract {

    @TempDir
    Path directory;

    @Override
    protected Class<? extends StoreOpener> opener() {
        return SqliteOpener.class;
    }

    @Override
    protected String freshAddress() {
        return directory.resolve("semel.db").toString();
    }
}
