package dev.semel.postgresql;

import dev.semel.storetests.process.ScheduleProcessContract;
import dev.semel.storetests.process.StoreOpener;
import dev.semel.testservers.PostgresCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Schedulers in several processes, on a real server. */
class PostgresScheduleProcessTest extends ScheduleProcessContract {

    private static PostgresCluster server;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresCluster.newest();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected Class<? extends StoreOpener> opener() {
        return PostgresOpener.class;
    }

    @Override
    protected String freshAddress() {
        return "postgresql://postgres@127.0.0.1:" + server.port() + "/postgres";
    }
}
