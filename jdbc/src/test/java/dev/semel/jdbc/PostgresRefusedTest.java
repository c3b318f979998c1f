package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.StoreUnusable;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Whoever is refused is told why in the words of the server, and not that a pool has waited. */
class PostgresRefusedTest {

    @Test
    void aDatabaseThatIsNotThereIsNamed() {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        assertThatThrownBy(() -> PostgresTaskStore.open(url(database, "postgres", "nothing")))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("3D000")
                .hasMessageContaining("\"nothing\" does not exist")
                .hasMessageNotContaining("secret");
    }

    @Test
    void aUserWhoMayNotConnectIsNamed() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        String user = "stranger_of_" + database.getDatabaseName();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + user + " NOLOGIN");
        }
        assertThatThrownBy(() -> PostgresTaskStore.open(url(database, user, database.getDatabaseName())))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("28000")
                .hasMessageContaining(user)
                .hasMessageNotContaining("secret");
    }

    private static String url(PGSimpleDataSource database, String user, String name) {
        return "postgresql://" + user + ":secret@127.0.0.1:" + database.getPortNumbers()[0] + "/" + name;
    }
}
