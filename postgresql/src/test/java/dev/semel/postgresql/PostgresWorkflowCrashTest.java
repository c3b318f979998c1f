package dev.semel.postgresql;

import dev.semel.storetests.process.StoreOpener;
import dev.semel.storetests.process.WorkflowCrashContract;
import dev.semel.testservers.PostgresCluster;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Workflows whose workers are killed, on a real server that is killed too. */
class PostgresWorkflowCrashTest extends WorkflowCrashContract {

    private static PostgresCluster server;
    private static int databases;

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
    protected String freshAddress() throws Exception {
        String name = "workflows_" + ++databases;
        try (Connection connection = server.database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return "postgresql://postgres@127.0.0.1:" + server.port() + "/" + name;
    }

    @Override
    protected void restartServer() {
        server.kill();
        server.restart();
    }
}
