package dev.semel.server.store;

import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.storetests.process.StoreOpener;
import dev.semel.storetests.process.WorkflowCrashContract;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Workflows whose workers are other processes, which reach the store over HTTP and are killed. */
class HttpWorkflowCrashTest extends WorkflowCrashContract {

    @TempDir
    Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @Override
    protected Class<? extends StoreOpener> opener() {
        return HttpOpener.class;
    }

    @Override
    protected String freshAddress() {
        MaintainedHost host = MaintainedHost.on(SqliteTaskStore.open(directory.resolve(UUID.randomUUID() + ".db")), 0);
        opened.add(host);
        return host.url();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }
}
