package dev.semel.server.store;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.InterruptsContract;
import org.junit.jupiter.api.AfterEach;

/** Interrupts of callers that share the requests of a client. */
class HttpInterruptsTest extends InterruptsContract {

    private final Hosts hosts = new Hosts();

    @Override
    protected TaskStore open() {
        return hosts.over(new InMemoryTaskStore());
    }

    @AfterEach
    void close() throws Exception {
        hosts.close();
    }
}
