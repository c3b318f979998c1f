package dev.semel.server.store;

import dev.semel.client.HttpTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.process.StoreOpener;

/** Opens the store of a server, in any process. */
public final class HttpOpener implements StoreOpener {

    /** For reflection. */
    public HttpOpener() {}

    @Override
    public TaskStore open(String address) {
        return HttpTaskStore.open(address);
    }
}
