package dev.semel.examples.shop;

import dev.semel.testservers.PostgresServer;
import org.postgresql.ds.PGSimpleDataSource;

/** The shop on a real PostgreSQL: one property is different. */
class PostgresShopTest extends ShopContract {

    @Override
    String freshDatabase() {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        return "jdbc:postgresql://127.0.0.1:" + database.getPortNumbers()[0] + "/" + database.getDatabaseName()
                + "?user=postgres";
    }
}
