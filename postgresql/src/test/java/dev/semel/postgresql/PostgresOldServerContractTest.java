package dev.semel.postgresql;

import dev.semel.store.TaskStore;
import dev.semel.storetests.TaskStoreContract;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** The whole contract on an old PostgreSQL. */
@EnabledIf("isThere")
class PostgresOldServerContractTest extends TaskStoreContract {

    private static PostgresCluster server;
    private static PostgresSchemas schemas;

    private ManualClock clock = new ManualClock();
    private String schema = "";

    static boolean isThere() {
        return OldPostgres.isThere();
    }

    @BeforeAll
    static void connect() {
        server = OldPostgres.start();
        schemas = new PostgresSchemas(server.database());
    }

    @AfterAll
    static void disconnect() {
        schemas.close();
        server.close();
    }

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        schema = schemas.next();
        return openAnother();
    }

    @Override
    protected TaskStore openAnother() {
        return schemas.open(schema, clock);
    }
}
