package dev.semel.s3.log;

import dev.semel.s3.S3TaskStore;
import dev.semel.s3.objects.FaultPlan;
import dev.semel.s3.objects.FaultyNetwork;
import dev.semel.store.TaskStore;
import dev.semel.storetests.storm.StormContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A storm on a service that fails, answers late and shows old lists; {@code -Dseed=N} chooses the faults too. */
class FaultyLogStormTest extends StormContract {

    private static final double SHARE = 0.05;

    @TempDir
    Path directory;

    private MemoryService service = new MemoryService(new ManualClock());
    private FaultyNetwork network = new FaultyNetwork(service.objects, 1);
    private long seed = Long.getLong("seed", 1);

    @Override
    public TaskStore open(ManualClock clock) {
        service = new MemoryService(clock);
        network = new FaultyNetwork(service.objects, seed);
        return openAnother();
    }

    @Override
    public TaskStore openAnother() {
        return S3TaskStore.open(
                service.connect(network.connect(FaultPlan.seeded(seed++, SHARE))), Replicas.WRITER, settings());
    }

    private LogSettings settings() {
        return Replicas.settings(directory, service);
    }

    @AfterEach
    void allReplicasAreTheSame() {
        network.deliverLate();
        Replicas.compare(service, settings());
    }
}
