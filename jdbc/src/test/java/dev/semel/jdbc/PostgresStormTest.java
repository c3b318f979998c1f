package dev.semel.jdbc;

import dev.semel.testservers.PostgresServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;

/** A storm on the newest PostgreSQL. */
class PostgresStormTest extends PostgresStorm {

    private static DataSource database;

    @BeforeAll
    static void connectToServer() {
        database = PostgresServer.freshDatabase();
    }

    @Override
    DataSource database() {
        return database;
    }
}
