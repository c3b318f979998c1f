package dev.semel.postgresql;

import dev.semel.storetests.process.EffectCrashContract;
import dev.semel.storetests.process.StoreOpener;
import dev.semel.testservers.PostgresCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Processes that are killed in the middle of an effect, on a real server. */
class PostgresEffectCrashTest extends EffectCrashContract {

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
        String name = "crash_" + ++databases;
        try (Connection connection = server.database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return "postgresql://postgres@127.0.0.1:" + server.port() + "/" + name;
    }

    @Override
    protected Connection connect(String address) throws SQLException {
        return DriverManager.getConnection("jdbc:" + address.replace("postgres@", "") + "?user=postgres");
    }
}
