package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that the schema of a store can have. */
class PostgresSchemaNamesTest {

    @Test
    void everyWordOfSqlWorksOrIsRefusedByName() throws SQLException {
        try (Connection connection = PostgresServer.freshDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            List<String> words = new ArrayList<>();
            try (ResultSet row = statement.executeQuery("SELECT word FROM pg_get_keywords()")) {
                while (row.next()) {
                    words.add(row.getString(1));
                }
            }
            assertThat(words).contains("order", "user", "action");
            for (String word : words) {
                if (isRefused(word)) {
                    continue;
                }
                statement.execute("CREATE SCHEMA IF NOT EXISTS " + word);
                statement.execute("CREATE TABLE " + word + ".task (id integer PRIMARY KEY)");
                statement.execute("INSERT INTO " + word + ".task VALUES (1)");
                statement.execute("UPDATE " + word + ".task t SET id = 2 FROM " + word + ".task x WHERE t.id = x.id");
                statement.execute("DELETE FROM " + word + ".task");
                statement.execute("DROP SCHEMA " + word + " CASCADE");
            }
        }
    }

    private static boolean isRefused(String word) {
        try {
            String unused = PostgresSettings.standard().withSchema(word).schema();
            return false;
        } catch (InvalidInput e) {
            assertThat(e).hasMessageContaining("\"" + word + "\"");
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"order", "user", "pg_jobs", "information_schema", "Jobs", "a b", "", "x; DROP SCHEMA y"})
    void aSchemaThatCannotHaveItsNameIsNotPrintedEither(String name) {
        assertThatThrownBy(() -> PostgresSchema.print(name)).isInstanceOf(InvalidInput.class);
    }
}
