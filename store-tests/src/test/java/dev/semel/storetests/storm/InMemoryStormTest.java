package dev.semel.storetests.storm;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;

/** A storm on the store in memory. */
class InMemoryStormTest extends StormContract {

    private TaskStore store = new InMemoryTaskStore();

    @Override
    public TaskStore open(ManualClock clock) {
        store = new InMemoryTaskStore(clock);
        return store;
    }

    @Override
    public TaskStore openAnother() {
        return store;
    }
}
