package dev.semel.storetests;

import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;

class InMemoryTaskStoreTest extends TaskStoreContract {

    private TaskStore store;

    @Override
    protected TaskStore open(ManualClock clock) {
        store = new InMemoryTaskStore(clock);
        return store;
    }

    @Override
    protected TaskStore openAnother() {
        return new ForwardingTaskStore(store) {
            @Override
            public void close() {
                // the same store, which its first handle closes
            }
        };
    }
}
