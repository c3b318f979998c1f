package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.TaskStore;
import dev.semel.storetests.UpgradeScene;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(120)
class PostgresUpgradeTest {

    private static final PostgresSettings SETTINGS = PostgresSettings.standard().withHints(false);

    @Test
    void aSchemaOfVersionFiveIsUpgradedWithItsData() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        UpgradeScene scene = new UpgradeScene();
        try (TaskStore store = PostgresTaskStore.open(database, SETTINGS)) {
            scene.write(store);
        }
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            // What version 6 added, and nothing else.
            statement.execute("DROP TABLE semel.time_limit");
            statement.execute("DROP TABLE semel.tag");
            statement.execute("ALTER TABLE semel.lane DROP COLUMN limited");
            statement.execute("ALTER TABLE semel.running DROP COLUMN overdue");
            statement.execute("DELETE FROM semel.schema_version WHERE version = 6");
            try (TaskStore store = PostgresTaskStore.open(database, SETTINGS)) {
                scene.check(store);
            }
            try (ResultSet row = statement.executeQuery("SELECT max(version) FROM semel.schema_version")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(PostgresSchema.VERSION);
            }
        }
    }
}
