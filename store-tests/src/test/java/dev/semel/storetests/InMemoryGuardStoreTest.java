package dev.semel.storetests;

import dev.semel.guard.GuardStore;
import dev.semel.guard.InMemoryGuardStore;
import java.time.InstantSource;

/** The contract of every guard store, on the one in memory. */
class InMemoryGuardStoreTest extends GuardStoreContract {

    private GuardStore store = new InMemoryGuardStore();

    @Override
    protected GuardStore open(InstantSource clock) {
        store = new InMemoryGuardStore(clock);
        return store;
    }

    @Override
    protected GuardStore openAnother() {
        return store;
    }
}
