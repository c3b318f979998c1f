package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.storetests.Tasks;
import dev.semel.storetests.UpgradeScene;
import dev.semel.task.StoreUnusable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tables and their versions. */
@Timeout(60)
class SqliteSchemaTest {

    @TempDir
    Path directory;

    @Test
    void whatIsPrintedIsWhatIsMade() throws SQLException {
        Path printed = directory.resolve("printed.db");
        try (Connection connection = connect(printed);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(SqliteSchema.print());
        }
        Path made = directory.resolve("made.db");
        SqliteTaskStore.open(made).close();
        assertThat(schema(printed)).isEqualTo(schema(made)).hasSizeGreaterThan(10);
    }

    @Test
    void everythingHasThePrefixAndTheUsersOwnTablesAreLeftAlone() throws SQLException {
        Path file = directory.resolve("users.db");
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE orders (id TEXT)");
            statement.executeUpdate("PRAGMA user_version = 7");
        }
        SqliteTaskStore.open(file).close();
        assertThat(schema(file)).filteredOn(line -> !line.startsWith("semel_")).containsExactly("orders");
        assertThat(number(file, "PRAGMA user_version")).isEqualTo(7);
    }

    @Test
    void manyThatOpenANewFileTogetherMakeTheTablesOnce() throws Exception {
        Path file = directory.resolve("semel.db");
        int together = 10;
        CyclicBarrier barrier = new CyclicBarrier(together);
        try (ExecutorService threads = Executors.newFixedThreadPool(together)) {
            List<Future<Integer>> opened = new ArrayList<>();
            for (int i = 0; i < together; i++) {
                opened.add(threads.submit(() -> {
                    barrier.await();
                    try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
                        Tasks.submit(store, Tasks.plain());
                        return 1;
                    }
                }));
            }
            for (Future<Integer> one : opened) {
                assertThat(one.get()).isEqualTo(1);
            }
        }
        assertThat(number(file, "SELECT count(*) FROM semel_schema")).isEqualTo(SqliteSchema.VERSION);
        assertThat(number(file, "SELECT count(*) FROM semel_task")).isEqualTo(together);
    }

    @Test
    void aFileOfVersionFiveIsUpgradedWithItsData() throws SQLException {
        Path file = directory.resolve("five.db");
        UpgradeScene scene = new UpgradeScene();
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            scene.write(store);
        }
        // What version 6 added, and nothing else.
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DROP TABLE semel_time_limit");
            statement.executeUpdate("DROP TABLE semel_tag");
            statement.executeUpdate("DELETE FROM semel_schema WHERE version = 6");
        }
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            scene.check(store);
        }
        Path fresh = directory.resolve("fresh.db");
        SqliteTaskStore.open(fresh).close();
        assertThat(schema(file)).isEqualTo(schema(fresh));
        assertThat(number(file, "SELECT max(version) FROM semel_schema")).isEqualTo(SqliteSchema.VERSION);
    }

    @Test
    void aProgramRunsOnTheNextVersionIfThatSaysSo() throws SQLException {
        int next = SqliteSchema.VERSION + 1;
        Path file = withVersion("next.db", next, SqliteSchema.VERSION);
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
        }
        assertThat(number(file, "SELECT max(version) FROM semel_schema")).isEqualTo(next);
    }

    @Test
    void aLaterVersionIsRefusedWithBothNumbers() throws SQLException {
        int next = SqliteSchema.VERSION + 1;
        assertRefused(withVersion("unreadable.db", next, next), next);
        assertRefused(withVersion("later.db", next + 1, SqliteSchema.VERSION), next + 1);
    }

    private static void assertRefused(Path file, int version) {
        assertThatThrownBy(() -> SqliteTaskStore.open(file))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("schema version " + version)
                .hasMessageContaining("knows version " + SqliteSchema.VERSION);
    }

    private Path withVersion(String name, int version, int readableFrom) throws SQLException {
        Path file = directory.resolve(name);
        SqliteTaskStore.open(file).close();
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO semel_schema VALUES (" + version + ", " + readableFrom + ", 0)");
        }
        return file;
    }

    private static List<String> schema(Path file) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT name, coalesce(sql, '') FROM sqlite_schema"
                        + " WHERE name NOT LIKE 'sqlite_%' ORDER BY name")) {
            while (row.next()) {
                String sql = row.getString(2).replaceAll("--[^\n]*", "").replaceAll("\\s+", " ");
                lines.add(row.getString(1).startsWith("semel_") ? row.getString(1) + " " + sql : row.getString(1));
            }
        }
        return lines;
    }

    private static int number(Path file, String sql) throws SQLException {
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    private static Connection connect(Path file) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }
}
