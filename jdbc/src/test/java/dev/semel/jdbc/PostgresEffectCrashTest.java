package dev.semel.jdbc;

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
    String freshUrl() throws Exception {
        String name = "crash_" + ++databases;
        try (Connection connection = server.database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return "postgresql://postgres@127.0.0.1:" + server.port() + "/" + name;
    }

    @Override
    Connection connect(String url) throws SQLException {
        return DriverManager.getConnection("jdbc:" + url.replace("postgres@", "") + "?user=postgres");
    }
}
