package dev.semel.postgresql;

import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The whole contract on the newest PostgreSQL, with leases that are shared from the first task on: batches of tests are small.
 * {@link PostgresOldServerContractTest} leaves that as it is in production, so that most tasks there have leases of their own.
 */
class PostgresTaskStoreContractTest extends TaskStoreContract {

    private static PostgresSchemas schemas;

    private ManualClock clock = new ManualClock();
    private String schema = "";

    @BeforeAll
    static void connect() {
        schemas = new PostgresSchemas(PostgresServer.freshDatabase());
    }

    @AfterAll
    static void disconnect() {
        schemas.close();
    }

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        schema = schemas.next();
        return openAnother();
    }

    @Override
    protected TaskStore openAnother() {
        return schemas.openSharing(schema, clock);
    }
}
