package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.process.Child;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import dev.semel.testservers.PostgresCluster;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Money goes from one table to another, each transfer in the transaction that completes its task, while workers are killed and
 * the server once. Nothing in the tables would refuse a transfer that is made twice.
 */
@Timeout(300)
class PostgresTransfersTest {

    private static final int TRANSFERS = 10_000;
    private static final int ACCOUNTS = 200;
    private static final int BALANCE = 1_000;
    private static final int WORKERS = 3;
    private static final int KILLS = 6;
    private static final int BATCH = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    @SuppressWarnings("NullAway") // a class object cannot say that null is a value too
    private static final TaskType<Integer, @Nullable Void> TRANSFER = TaskType.<Integer, @Nullable Void>builder(
                    "transfer", Integer.class, Void.class)
            .queue(Tasks.QUEUE)
            // A server that goes away under a handler is a failure of its attempt.
            .retry(RetryPolicy.attempts(1_000))
            .build();

    private final List<Child> workers = new ArrayList<>();
    private String url = "";

    @Test
    void theSumIsRightAndEachTransferIsThereOnce() throws Exception {
        SplittableRandom random = new SplittableRandom(Long.getLong("seed", 1));
        try (PostgresCluster server = PostgresCluster.newest()) {
            url = "postgresql://postgres@127.0.0.1:" + server.port() + "/postgres";
            tables(server);
            try (Semel semel = Semel.on(open(url)).build()) {
                submit(semel);
            }
            for (int i = 0; i < WORKERS; i++) {
                workers.add(newWorker());
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                awaitCompleted(server, kill * TRANSFERS / (KILLS + 1));
                int victim = random.nextInt(WORKERS);
                workers.get(victim).kill();
                if (kill == KILLS / 2) {
                    server.kill();
                    server.restart();
                }
                workers.set(victim, newWorker());
            }
            awaitCompleted(server, TRANSFERS);
            assertThat(count(server, "SELECT count(*) FROM semel.done WHERE state = 'completed'"))
                    .isEqualTo(TRANSFERS);
            assertThat(count(server, "SELECT count(*) FROM transfer")).isEqualTo(TRANSFERS);
            assertThat(count(server, "SELECT count(DISTINCT number) FROM transfer"))
                    .isEqualTo(TRANSFERS);
            assertThat(count(server, "SELECT sum(balance) FROM payer")).isEqualTo(ACCOUNTS * BALANCE - TRANSFERS);
            assertThat(count(server, "SELECT sum(balance) FROM payee")).isEqualTo(TRANSFERS);
            assertThat(count(server, "SELECT count(*) FROM semel.attempt WHERE outcome = 'vanished'"))
                    .as("workers were killed with tasks in their hands")
                    .isPositive();
        } finally {
            for (Child worker : workers) {
                worker.close();
            }
        }
    }

    private static void tables(PostgresCluster server) throws SQLException {
        try (Connection connection = server.database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE payer (id integer PRIMARY KEY, balance bigint NOT NULL)");
            statement.execute("CREATE TABLE payee (id integer PRIMARY KEY, balance bigint NOT NULL)");
            statement.execute("CREATE TABLE transfer (number integer NOT NULL)");
            statement.execute(
                    "INSERT INTO payer SELECT i, " + BALANCE + " FROM generate_series(0, " + (ACCOUNTS - 1) + ") AS i");
            statement.execute("INSERT INTO payee SELECT i, 0 FROM generate_series(0, " + (ACCOUNTS - 1) + ") AS i");
        }
    }

    private static void submit(Semel semel) {
        for (int from = 0; from < TRANSFERS; from += BATCH) {
            List<SubmissionRequest<Integer, @Nullable Void>> requests = new ArrayList<>();
            for (int number = from; number < from + BATCH; number++) {
                requests.add(semel.submit(TRANSFER, number).idempotencyKey("transfer-" + number));
            }
            semel.submitAll(requests).forEach(SubmitOutcome::submission);
        }
    }

    private Child newWorker() throws IOException {
        return Child.run(Worker.class, url);
    }

    private static PostgresTaskStore open(String url) {
        return PostgresTaskStore.open(url, PostgresSettings.standard().withConnections(8));
    }

    private static void awaitCompleted(PostgresCluster server, int number) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .until(() -> count(server, "SELECT count(*) FROM semel.done") >= number);
    }

    private static long count(PostgresCluster server, String sql) throws SQLException {
        try (Connection connection = server.database().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Makes transfers until it is killed. */
    static final class Worker {

        private Worker() {}

        public static void main(String[] arguments) throws Exception {
            Semel semel = Semel.on(open(arguments[0])).build();
            semel.worker(Tasks.QUEUE)
                    .concurrency(6)
                    .prefetch(20)
                    .lease(Duration.ofSeconds(5))
                    .maxVanished(1_000)
                    .handle(
                            TRANSFER,
                            (context, number) -> context.transaction(connection -> {
                                change(
                                        connection,
                                        "UPDATE payer SET balance = balance - 1 WHERE id = ?",
                                        number % ACCOUNTS);
                                change(
                                        connection,
                                        "UPDATE payee SET balance = balance + 1 WHERE id = ?",
                                        (number * 7 + 3) % ACCOUNTS);
                                change(connection, "INSERT INTO transfer VALUES (?)", number);
                                return null;
                            }))
                    .start();
            new CountDownLatch(1).await();
        }

        private static void change(Connection connection, String sql, int value) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setInt(1, value);
                assertThat(statement.executeUpdate()).isEqualTo(1);
            }
        }
    }
}
