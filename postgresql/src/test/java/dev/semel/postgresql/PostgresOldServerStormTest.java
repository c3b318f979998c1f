package dev.semel.postgresql;

import dev.semel.testservers.PostgresCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.postgresql.ds.PGSimpleDataSource;

/** A storm on an old PostgreSQL. */
@EnabledIf("isThere")
class PostgresOldServerStormTest extends PostgresStorm {

    private static PostgresCluster server;

    static boolean isThere() {
        return OldPostgres.isThere();
    }

    @BeforeAll
    static void startServer() {
        server = OldPostgres.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    PGSimpleDataSource database() {
        return server.database();
    }
}
