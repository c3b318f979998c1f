package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardKey;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.postgresql.sql.Backoff;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** What loses against other transactions again and again is given up after a bound, and reported as contention. */
@Timeout(60)
class PostgresContentionTest {

    private static final int MOST = Backoff.MOST_TRIES;

    private final PGSimpleDataSource database = PostgresServer.freshDatabase();

    @Test
    void pausesGrowUpToALimitAndTogetherStayNearASecond() {
        Random random = new Random(1);
        long all = 0;
        for (int tries = 1; tries < MOST; tries++) {
            long pause = Backoff.pauseAfter(tries, random);
            assertThat(pause).isBetween(TimeUnit.MICROSECONDS.toNanos(50), TimeUnit.MILLISECONDS.toNanos(50));
            all += pause;
        }
        assertThat(Backoff.pauseAfter(1, random)).isLessThanOrEqualTo(TimeUnit.MICROSECONDS.toNanos(100));
        assertThat(Backoff.pauseAfter(MOST, random)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(25));
        assertThat(all).isLessThan(TimeUnit.MILLISECONDS.toNanos(1_200));
    }

    @Test
    void aSubmissionThatAlwaysLosesIsReportedAsContended() throws SQLException {
        try (PostgresTaskStore store = open()) {
            failing("semel.task", "RAISE EXCEPTION 'x' USING ERRCODE = '40001'");
            assertThatThrownBy(() -> store.submit(List.of(Tasks.keyed("a", "{}"))))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("is contended (SQLSTATE 40001)")
                    .hasMessageContaining("Try again");
            assertThat(failures()).isEqualTo(MOST);
        }
    }

    @Test
    void aTransactionThatAlwaysMeetsADeadlockIsReportedAsContended() throws SQLException {
        try (PostgresTaskStore store = open()) {
            failing("semel.task", "RAISE EXCEPTION 'x' USING ERRCODE = '40P01'");
            assertThatThrownBy(() -> store.submit(many()))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("is contended (SQLSTATE 40P01)");
            assertThat(failures()).isEqualTo(MOST);
        }
    }

    @Test
    void aSubmissionThatLosesAFewTimesIsStored() throws SQLException {
        try (PostgresTaskStore store = open()) {
            failing("semel.task", "IF nextval('tries') <= 3 THEN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END IF");
            assertThat(Tasks.submit(store, Tasks.keyed("a", "{}"))).isInstanceOf(Submitted.Created.class);
            assertThat(Tasks.stored(store)).hasSize(1);
        }
    }

    @Test
    void aJoinedSubmissionThatAlwaysLosesTheRaceForARowIsReportedAsContended() throws SQLException {
        try (PostgresTaskStore store = open();
                Connection caller = database.getConnection()) {
            failing("semel.task", "RAISE EXCEPTION 'x' USING ERRCODE = '23505'");
            caller.setAutoCommit(false);
            assertThatThrownBy(() -> store.joining().orElseThrow().join(caller).submit(List.of(Tasks.keyed("a", "{}"))))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("is contended (SQLSTATE 40001)");
            caller.commit();
            assertThat(failures()).isEqualTo(MOST);
            assertThat(Tasks.stored(store)).isEmpty();
        }
    }

    @Test
    void aGuardedKeyThatAlwaysChangesHandsIsReportedAsContended() throws SQLException {
        try (PostgresGuardStore store = PostgresGuardStore.on(new FewConnections(database, 2))) {
            failing("semel.guard", "RETURN NULL");
            Hold hold = new Hold(
                    new GuardKey("default", "k"),
                    new OwnerToken(1, 1),
                    null,
                    Duration.ofMinutes(1),
                    Duration.ofHours(1));
            assertThatThrownBy(() -> store.begin(hold))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("\"k\" is contended")
                    .hasMessageContaining("Try again");
            assertThat(failures()).isEqualTo(MOST);
            execute("DROP TRIGGER failing ON semel.guard");
            assertThat(store.begin(hold)).isInstanceOf(Begun.Entered.class);
        }
    }

    private static List<NewTask> many() {
        return IntStream.range(0, 200)
                .mapToObj(i -> Tasks.keyed("key " + i, "{}"))
                .toList();
    }

    private PostgresTaskStore open() {
        return PostgresTaskStore.open(
                new FewConnections(database, 2), PostgresSettings.standard().withHints(false));
    }

    /** Lets every insert into a table do this first, and counts how often: a sequence remembers that after a rollback. */
    private void failing(String table, String what) throws SQLException {
        execute("CREATE SEQUENCE failures");
        execute("CREATE SEQUENCE tries");
        execute("CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('failures'); "
                + what + "; RETURN NEW; END $$");
        execute("CREATE TRIGGER failing BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION failing()");
    }

    private long failures() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT last_value FROM failures")) {
            row.next();
            return row.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
