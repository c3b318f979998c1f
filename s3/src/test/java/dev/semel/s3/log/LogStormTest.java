package dev.semel.s3.log;

import dev.semel.s3.S3TaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.storm.StormContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A storm on a log in memory that two processes share; afterwards all replicas are the same. */
class LogStormTest extends StormContract {

    @TempDir
    Path directory;

    private MemoryService service = new MemoryService(new ManualClock());

    @Override
    public TaskStore open(ManualClock clock) {
        service = new MemoryService(clock);
        return openAnother();
    }

    @Override
    public TaskStore openAnother() {
        return S3TaskStore.open(service.connect(), Replicas.WRITER, settings());
    }

    private LogSettings settings() {
        return Replicas.settings(directory, service);
    }

    @AfterEach
    void allReplicasAreTheSame() {
        Replicas.compare(service, settings());
    }
}
