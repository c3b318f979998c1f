package dev.semel.storetests;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;

/** Interrupts of callers that share a store in memory. */
class InMemoryInterruptsTest extends InterruptsContract {

    @Override
    protected TaskStore open() {
        return new InMemoryTaskStore();
    }
}
