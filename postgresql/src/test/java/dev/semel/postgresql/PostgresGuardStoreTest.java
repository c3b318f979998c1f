package dev.semel.postgresql;

import dev.semel.guard.GuardStore;
import dev.semel.storetests.GuardStoreContract;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Timeout;

/** The contract of every guard store, on a real server; each test has a database of its own. */
@Timeout(120)
class PostgresGuardStoreTest extends GuardStoreContract {

    private DataSource database;

    @Override
    protected GuardStore open(InstantSource clock) {
        database = new FewConnections(PostgresServer.freshDatabase(), 8);
        return openAnother();
    }

    @Override
    protected GuardStore openAnother() {
        return PostgresGuardStore.on(database);
    }

    /** The server has its own clock, on this machine: waits until it must have moved on. */
    @Override
    protected void pass(ManualClock clock, Duration time) {
        long until = System.currentTimeMillis() + time.toMillis() + 1;
        while (System.currentTimeMillis() < until) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
