package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.postgresql.hint.Hints;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.StoreListener;
import dev.semel.store.StoreNews;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Stores that are opened by a URL, and what they tell each other. */
@Timeout(60)
class PostgresHintsTest {

    private static PGSimpleDataSource database;

    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @BeforeAll
    static void connect() {
        database = PostgresServer.freshDatabase();
    }

    @Test
    void anotherProcessIsToldOfDueAndEndedTasksAndAgainAfterItsConnectionWasLost() throws Exception {
        try (PostgresTaskStore one = PostgresTaskStore.open(url());
                PostgresTaskStore other = PostgresTaskStore.open(url(), PostgresSettings.standard())) {
            other.listen(ear(heard));
            await().until(() -> listeners("semel") == 2);
            NewTask task = Tasks.plain();
            one.submit(List.of(task));
            awaitHeard("due [payments]");
            one.operate(List.of(new Operation.Cancel(task.id())));
            awaitHeard("ended []");

            execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN semel_hints'");
            await().until(() -> listeners("semel") == 2);
            one.submit(List.of(Tasks.plain()));
            awaitHeard("due [payments]");
        }
    }

    @Test
    void aTransactionOfACallersOwnTellsAllStoresOfItsCommitWhereThatIsWanted() throws Exception {
        PostgresSettings settings =
                PostgresSettings.standard().withSchema("joined").withJoinedHints(true);
        try (PostgresTaskStore one = PostgresTaskStore.open(url(), settings);
                PostgresTaskStore other = PostgresTaskStore.open(url(), settings);
                Connection connection = database.getConnection()) {
            LinkedBlockingQueue<String> heardByOther = new LinkedBlockingQueue<>();
            one.listen(ear(heard));
            other.listen(ear(heardByOther));
            await().until(() -> listeners("joined") == 2);
            connection.setAutoCommit(false);
            one.joining().orElseThrow().join(connection).submit(List.of(Tasks.plain()));
            connection.rollback();
            one.joining().orElseThrow().join(connection).submit(List.of(Tasks.plain(), Tasks.plain()));
            connection.commit();
            // Once for the commit, and not for what was rolled back before.
            assertThat(heard.poll(30, TimeUnit.SECONDS)).isEqualTo("due [payments]");
            assertThat(heardByOther.poll(30, TimeUnit.SECONDS)).isEqualTo("due [payments]");
            one.submit(List.of(Tasks.of(Identity.DEFAULT_TENANT, "other", Tasks.TYPE)));
            assertThat(heard.poll(30, TimeUnit.SECONDS)).isEqualTo("due [other]");
        }
    }

    @Test
    void theListenersOfTheSameStoreAreToldWithoutTheDatabase() throws Exception {
        try (PostgresTaskStore store =
                PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))) {
            store.listen(ear(heard));
            store.submit(List.of(Tasks.plain()));
            awaitHeard("due [payments]");
        }
    }

    @Test
    void theListenersOfTheSameStoreDoNotWaitUntilOtherProcessesAreTold() throws Exception {
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch slow = new CountDownLatch(1);
        LinkedBlockingQueue<String> sent = new LinkedBlockingQueue<>();
        try (Hints hints = new Hints(message -> {
            sending.countDown();
            awaitUninterruptibly(slow);
            sent.add(message);
        })) {
            hints.listen(ear(heard));
            hints.tell(due("first"));
            assertThat(sending.await(20, TimeUnit.SECONDS)).isTrue();
            hints.tell(due("second"));
            awaitHeard("due [second]");
            slow.countDown();
            assertThat(sent.poll(20, TimeUnit.SECONDS)).isEqualTo("D first");
            assertThat(sent.poll(20, TimeUnit.SECONDS)).startsWith("D ").contains("second");
        } finally {
            slow.countDown();
        }
    }

    private static StoreNews due(String queue) {
        StoreNews news = new StoreNews();
        news.due(queue);
        return news;
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aUrlIsReadWithUserAndPasswordAndShownWithoutThem() {
        PostgresUrl url = PostgresUrl.parse("postgresql://me:p%40ss+word@db.example:5433/app?sslmode=require");
        assertThat(url.jdbc()).isEqualTo("jdbc:postgresql://db.example:5433/app?sslmode=require");
        assertThat(url.user()).isEqualTo("me");
        assertThat(url.password()).isEqualTo("p@ss+word");
        assertThat(url.toString()).doesNotContain("p@ss").doesNotContain("p%40ss");
        assertThat(PostgresUrl.parse("jdbc:postgresql://localhost/app").user()).isNull();
        for (String wrong :
                List.of("postgresql:app", "mysql://me:secret@host/app", "postgresql://me:sec ret@host/app")) {
            assertThatThrownBy(() -> PostgresUrl.parse(wrong))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("postgresql://")
                    .hasMessageNotContaining("sec");
        }
    }

    private static String url() {
        return "postgresql://postgres@127.0.0.1:" + database.getPortNumbers()[0] + "/" + database.getDatabaseName();
    }

    private static StoreListener ear(LinkedBlockingQueue<String> heard) {
        return new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                heard.add("due " + queues);
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                heard.add("ended " + ids);
            }
        };
    }

    private void awaitHeard(String expected) throws InterruptedException {
        String hint = heard.poll(20, TimeUnit.SECONDS);
        while (hint != null && !hint.equals(expected)) {
            hint = heard.poll(20, TimeUnit.SECONDS);
        }
        assertThat(hint).isEqualTo(expected);
    }

    private static int listeners(String schema) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN " + schema + "_hints'")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
