package dev.semel.s3.log;

import dev.semel.s3.S3TaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of every store on a log in memory; the second handle is another process with a replica of its own. After each
 * test a replica that is built from the log alone holds exactly what the one that wrote it holds.
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
        return Replicas.settings(directory, service);
    }

    @AfterEach
    void aReplicaBuiltFromTheLogIsTheSame() {
        Replicas.compareBuilt(service, settings());
    }
}
