package dev.semel.jdbc;

import dev.semel.testservers.PostgresCluster;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

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
    DataSource database() {
        return server.database();
    }
}
