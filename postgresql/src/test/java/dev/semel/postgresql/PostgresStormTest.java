package dev.semel.postgresql;

import dev.semel.testservers.PostgresServer;
import org.junit.jupiter.api.BeforeAll;
import org.postgresql.ds.PGSimpleDataSource;

/** A storm on the newest PostgreSQL. */
class PostgresStormTest extends PostgresStorm {

    private static PGSimpleDataSource database;

    @BeforeAll
    static void connectToServer() {
        database = PostgresServer.freshDatabase();
    }

    @Override
    PGSimpleDataSource database() {
        return database;
    }
}
