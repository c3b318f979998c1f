package dev.semel.server.store;

import dev.semel.client.HttpTaskStore;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.TaskStore;
import java.util.ArrayList;
import java.util.List;

/** The servers of one test, closed with their stores after it. */
final class Hosts implements AutoCloseable {

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** Puts a store behind a port, and returns the store that speaks to it. */
    TaskStore over(TaskStore store) {
        StoreHost host = StoreHost.on(store);
        opened.add(store);
        opened.add(host);
        return new Handle(HttpTaskStore.open(host.url()), host, store);
    }

    /** A client with a server of its own, which ends with it, as the process of a handle does. */
    private static final class Handle extends ForwardingTaskStore {

        private final StoreHost host;
        private final TaskStore behind;

        Handle(HttpTaskStore client, StoreHost host, TaskStore behind) {
            super(client);
            this.host = host;
            this.behind = behind;
        }

        @Override
        public void close() {
            super.close();
            host.close();
            behind.close();
        }
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        opened.clear();
    }
}
