package dev.semel.s3.objects;

import dev.semel.testkit.ManualClock;
import java.time.Instant;

/** The laws on the service in memory. */
class InMemoryObjectStoreTest extends ObjectStoreContract {

    private final ManualClock clock = new ManualClock();

    @Override
    ObjectStore open() {
        return RetryingObjectStore.on(new InMemoryObjects(clock), RetrySettings.withoutPauses());
    }

    @Override
    Instant serviceTime() {
        return clock.instant();
    }
}
