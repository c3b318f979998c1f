package dev.semel.jdbc;

import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import dev.semel.testkit.TaskStoreContract;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/** The whole contract on an old PostgreSQL. */
@EnabledIf("isThere")
class PostgresOldServerContractTest extends TaskStoreContract {

    private static PostgresSchemas schemas;

    private ManualClock clock = new ManualClock();
    private String schema = "";

    static boolean isThere() {
        return Files.exists(PostgresCluster.OLD);
    }

    @BeforeAll
    static void connect() {
        schemas = new PostgresSchemas(PostgresCluster.old().database());
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
        return schemas.open(schema, clock);
    }
}
