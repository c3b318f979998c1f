package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.storetests.GuardStarts;
import dev.semel.task.StoreUnusable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The guard's tables in a file, and their versions. */
@Timeout(60)
class SqliteGuardTablesTest {

    @TempDir
    Path directory;

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void manyThatOpenANewFileTogetherMakeTheTableOnceAndTasksCanShareIt() throws Exception {
        Path file = directory.resolve("semel.db");
        GuardStarts.together(() -> SqliteGuardStore.open(file));
        SqliteTaskStore.open(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            assertThat(number(connection, "SELECT count(*) FROM semel_guard_schema"))
                    .isEqualTo(1);
            assertThat(number(connection, "SELECT count(*) FROM semel_guard")).isEqualTo(10);
            run(connection, "INSERT INTO semel_guard_schema VALUES (2, 1, 0)");
        }
        SqliteGuardStore.open(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            run(connection, "INSERT INTO semel_guard_schema VALUES (3, 1, 0)");
        }
        assertThatThrownBy(() -> SqliteGuardStore.open(file))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("version 3");
    }
}
