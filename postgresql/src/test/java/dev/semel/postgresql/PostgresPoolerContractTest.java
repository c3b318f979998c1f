package dev.semel.postgresql;

import dev.semel.store.TaskStore;
import dev.semel.storetests.MutexContract;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import dev.semel.testservers.TransactionPooler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The part of the contract that needs locks beyond rows, behind a pooler in transaction mode: nothing that a transaction needs
 * may be left in a session. {@link PostgresPoolerTest} does the rest by storms; the whole contract takes minutes.
 */
class PostgresPoolerContractTest extends MutexContract {

    private static TransactionPooler pooler;
    private static PostgresSchemas schemas;

    private ManualClock clock = new ManualClock();
    private String schema = "";

    @BeforeAll
    static void connect() {
        pooler = new TransactionPooler(
                PostgresServer.freshDatabase(), PostgresSchemas.CONNECTIONS, TransactionPooler.Statements.UNKNOWN);
        PGSimpleDataSource pooled = pooler.database();
        pooled.setPrepareThreshold(0);
        schemas = new PostgresSchemas(pooled);
    }

    @AfterAll
    static void disconnect() {
        schemas.close();
        pooler.close();
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
