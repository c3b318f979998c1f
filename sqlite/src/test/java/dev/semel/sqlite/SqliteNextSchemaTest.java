package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Submitted;
import dev.semel.store.TaskStore;
import dev.semel.storetests.NextSchemaContract;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnusable;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The present program on later versions of the schema, which are really made: columns, an index and a table are added. */
@Timeout(120)
class SqliteNextSchemaTest extends NextSchemaContract {

    private static final int NEXT = SqliteSchema.VERSION + 1;

    @TempDir
    Path directory;

    private ManualClock clock = new ManualClock();
    private Path file = Path.of("unopened");

    @Override
    protected TaskStore open(ManualClock newClock) {
        clock = newClock;
        file = directory.resolve(UUID.randomUUID() + ".db");
        openAnother().close();
        migrate(NEXT);
        return openAnother();
    }

    @Override
    protected TaskStore openAnother() {
        return SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
    }

    /** Adds to every table what a later version might. */
    private void migrate(int version) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            List<String> tables = new ArrayList<>();
            try (ResultSet row = statement.executeQuery("SELECT name FROM sqlite_schema WHERE type = 'table'"
                    + " AND name LIKE 'semel\\_%' ESCAPE '\\' AND name <> 'semel_schema'")) {
                while (row.next()) {
                    tables.add(row.getString(1));
                }
            }
            assertThat(tables).hasSizeGreaterThan(5);
            for (String table : tables) {
                statement.execute("ALTER TABLE " + table + " ADD COLUMN note_" + version + " TEXT");
                statement.execute(
                        "ALTER TABLE " + table + " ADD COLUMN number_" + version + " INTEGER NOT NULL DEFAULT 7");
                statement.execute(
                        "CREATE INDEX " + table + "_number_" + version + " ON " + table + " (number_" + version + ")");
            }
            statement.execute("CREATE TABLE semel_step_" + version + " (task BLOB PRIMARY KEY) STRICT");
            statement.execute("INSERT INTO semel_schema VALUES (" + version + ", " + SqliteSchema.VERSION + ", 0)");
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aProgramThatRunsGoesOnWhenTheNextVersionIsMadeAndTheOneAfterThatIsRefused() {
        file = directory.resolve("running.db");
        try (TaskStore store = openAnother()) {
            assertThat(Tasks.submit(store, Tasks.keyed("a", "{}"))).isInstanceOf(Submitted.Created.class);
            migrate(NEXT);
            assertThat(Tasks.submit(store, Tasks.keyed("b", "{}"))).isInstanceOf(Submitted.Created.class);
            assertThat(Tasks.submit(store, Tasks.keyed("a", "{}"))).isInstanceOf(Submitted.Returned.class);
            assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(2);
        }
        migrate(NEXT + 1);
        assertThatThrownBy(this::openAnother)
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("schema version " + (NEXT + 1))
                .hasMessageContaining("knows version " + SqliteSchema.VERSION);
    }
}
