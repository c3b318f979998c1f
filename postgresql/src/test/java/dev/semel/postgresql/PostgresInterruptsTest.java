package dev.semel.postgresql;

import dev.semel.store.TaskStore;
import dev.semel.storetests.InterruptsContract;
import dev.semel.testservers.PostgresCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Interrupts of callers that share the connections of a pool. */
class PostgresInterruptsTest extends InterruptsContract {

    private static PostgresCluster server;
    private static PostgresSchemas schemas;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresCluster.newest();
        schemas = new PostgresSchemas(server.database());
    }

    @AfterAll
    static void stop() {
        schemas.close();
        server.close();
    }

    @Override
    protected TaskStore open() {
        return PostgresTaskStore.open(schemas.pool(), PostgresSchemas.settings(schemas.next()));
    }
}
