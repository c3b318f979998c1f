package dev.semel.s3.log;

import dev.semel.s3.S3TaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of every store on a log in memory; the second handle is another process with a replica of its own.
 */
class LogTaskStoreContractTest extends TaskStoreContract {

    @TempDir
    Path directory;

    private MemoryService service = new MemoryService(new ManualClock());

    @Override
    protected TaskStore open(ManualClock clock) {
        service = new MemoryService(clock);
        return openAnother();
    }

    @Override
    protected TaskStore openAnother() {
        return S3TaskStore.open(service.connect(), Replicas.WRITER, settings());
    }

    private LogSettings settings() {
        return LogSettings.standard().withDirectory(directory).withElapsed(service::now);
    }
}
