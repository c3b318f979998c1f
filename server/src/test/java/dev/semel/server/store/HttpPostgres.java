package dev.semel.server.store;

import dev.semel.postgresql.PostgresClock;
import dev.semel.postgresql.PostgresSettings;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/** Stores on PostgreSQL behind a port, each in a schema of its own. */
final class HttpPostgres {

    // One database for all tests of a process: JUnit creates this object for each of them.
    private static final PGSimpleDataSource DATABASE = PostgresServer.freshDatabase();
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final Hosts hosts;
    private ManualClock clock = new ManualClock();
    private String schema = "unopened";

    HttpPostgres(Hosts hosts) {
        this.hosts = hosts;
    }

    TaskStore open(ManualClock newClock) {
        clock = newClock;
        schema = "semel_" + SCHEMAS.incrementAndGet();
        return openAnother();
    }

    TaskStore openAnother() {
        return hosts.over(PostgresTaskStore.open(
                DATABASE, PostgresClock.of(PostgresSettings.standard().withSchema(schema), clock)));
    }
}
