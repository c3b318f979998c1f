package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.store.NewTask;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.storetests.Tasks;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** How much a listing by tag reads. */
@Timeout(120)
class PostgresTagsTest {

    private static final String TAG = "import";

    private static NewTask tagged(String tenant) {
        return new NewTask(
                Tasks.id(),
                tenant,
                Tasks.QUEUE,
                Tasks.TYPE,
                "{}",
                NewTask.Start.now(),
                TaskOptions.NONE.withTags(List.of(TAG)),
                null);
    }

    @Test
    void aListingOfOneTenantReadsNothingOfTheOthers() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        PostgresSettings settings = PostgresSettings.standard().withHints(false);
        NewTask own = tagged("small");
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            try (PostgresTaskStore store = PostgresTaskStore.open(database, settings)) {
                Tasks.submit(store, own);
                store.submit(Stream.generate(() -> tagged("large")).limit(1_000).toList());
            }
            long before = entriesRead(statement);
            try (PostgresTaskStore store = PostgresTaskStore.open(database, settings)) {
                assertThat(store.list(TaskQuery.builder()
                                        .tag(TAG)
                                        .tenant("small")
                                        .pageSize(10)
                                        .build())
                                .tasks())
                        .extracting(Task::id)
                        .containsExactly(own.id());
            }
            assertThat(entriesRead(statement) - before).isEqualTo(1);
        }
    }

    /** How many entries of the tags' indexes were read, once the store's connections are closed and have reported it. */
    private static long entriesRead(Statement statement) {
        await().until(() -> number(
                        statement,
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND backend_type = 'client backend'")
                == 1);
        try {
            return number(statement, "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'tag'");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
