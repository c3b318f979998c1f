package dev.semel.postgresql;

import dev.semel.storetests.process.LargeInputsContract;
import dev.semel.storetests.process.StoreOpener;
import dev.semel.testservers.PostgresCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Inputs of the largest size, and a small heap, on a real server. */
class PostgresLargeInputsTest extends LargeInputsContract {

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
