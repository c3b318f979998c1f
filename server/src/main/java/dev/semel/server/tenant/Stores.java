package dev.semel.server.tenant;

import dev.semel.server.http.Caller;
import dev.semel.store.TaskStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The store as each caller may see it. */
public final class Stores {

    private final TaskStore whole;
    private final Map<String, TenantTaskStore> narrowed = new ConcurrentHashMap<>();

    /**
     * Creates the views of a store.
     *
     * @param whole the store
     */
    public Stores(TaskStore whole) {
        this.whole = whole;
    }

    /**
     * Returns the store of a caller.
     *
     * @param caller the caller
     * @return the whole store for an operator of all tenants, otherwise one in which only the caller's tenant exists
     */
    public TaskStore of(Caller caller) {
        String tenant = caller.tenant();
        // As many as there are tenants with tokens, which an operator creates one by one.
        return tenant == null ? whole : narrowed.computeIfAbsent(tenant, name -> new TenantTaskStore(whole, name));
    }
}
