package dev.semel.postgresql;

import dev.semel.guard.GuardStore;
import dev.semel.storetests.GuardProcessContract;
import dev.semel.testservers.PostgresServer;
import org.postgresql.ds.PGSimpleDataSource;

/** Several processes on one database. */
class PostgresGuardProcessTest extends GuardProcessContract {

    /** Takes a JDBC URL. */
    public static final class ByUrl implements Opener {
        @Override
        public GuardStore open(String address) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(address);
            return PostgresGuardStore.on(new FewConnections(source, 8));
        }
    }

    @Override
    protected Class<? extends Opener> opener() {
        return ByUrl.class;
    }

    @Override
    protected String freshAddress() {
        PGSimpleDataSource fresh = PostgresServer.freshDatabase();
        return "jdbc:postgresql://127.0.0.1:" + fresh.getPortNumbers()[0] + "/" + fresh.getDatabaseName()
                + "?user=postgres";
    }
}
