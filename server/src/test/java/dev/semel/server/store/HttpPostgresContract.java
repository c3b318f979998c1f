package dev.semel.server.store;

import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;

/**
 * The whole contract through a real port, with PostgreSQL behind it. It takes minutes, so the build runs a part of it
 * ({@link HttpPostgresTest}); {@code -Dtest=HttpPostgresContract} runs the whole.
 */
class HttpPostgresContract extends TaskStoreContract {

    private final Hosts hosts = new Hosts();
    private final HttpPostgres postgres = new HttpPostgres(hosts);

    @Override
    protected TaskStore open(ManualClock clock) {
        return postgres.open(clock);
    }

    @Override
    protected TaskStore openAnother() {
        return postgres.openAnother();
    }

    @AfterEach
    void close() throws Exception {
        hosts.close();
    }
}
