package dev.semel.spring;

import dev.semel.testservers.PostgresServer;
import org.postgresql.ds.PGSimpleDataSource;

/** Spring's transactions on a real PostgreSQL. */
class PostgresTransactionTest extends TransactionContract {

    @Override
    String freshDatabase() {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        return "jdbc:postgresql://127.0.0.1:" + database.getPortNumbers()[0] + "/" + database.getDatabaseName()
                + "?user=postgres";
    }
}
