package dev.semel.postgresql;

import dev.semel.store.TaskStore;
import dev.semel.storetests.process.StoreOpener;

/** Opens the store of a URL. */
public final class PostgresOpener implements StoreOpener {

    @Override
    public TaskStore open(String address) {
        return PostgresTaskStore.open(address);
    }
}
