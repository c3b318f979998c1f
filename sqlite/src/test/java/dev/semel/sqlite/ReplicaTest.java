package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.sqlite.capture.Change;
import dev.semel.sqlite.capture.ChangeCapture;
import dev.semel.sqlite.capture.SharedLog;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.sql.Session;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a copy publishes, and what it does not. */
@Timeout(60)
class ReplicaTest {

    @TempDir
    Path directory;

    private final SharedLog log = new SharedLog();
    private final ManualClock clock = new ManualClock();

    private SqliteReplica open(String name) {
        SqliteSettings settings =
                SqliteSettings.standard().withClock(log.after(clock)).withElapsed(clock);
        return SqliteReplica.open(directory.resolve(name), settings, log.gate());
    }

    @Test
    void aClaimThatFindsNothingPublishesNothing() {
        try (SqliteReplica replica = open("a.db")) {
            Tasks.submit(replica.store(), Tasks.plain());
            assertThat(replica.store().claim(Tasks.request(10)).tasks()).hasSize(1);
            int before = log.entries().size();
            assertThat(replica.store().claim(Tasks.request(10)).tasks()).isEmpty();
            replica.refresh();
            assertThat(log.entries()).hasSize(before);
        }
    }

    @Test
    void aHeartbeatPublishesNeitherTheInputNorWhatStayed() {
        try (SqliteReplica replica = open("a.db")) {
            NewTask task = Tasks.plain();
            Tasks.submit(replica.store(), task);
            Claims claims = replica.store().claim(Tasks.request(1));
            clock.advance(Duration.ofSeconds(1));
            replica.store()
                    .settle(List.of(
                            new Settlement.Extend(claims.tasks().getFirst().lease(), Duration.ofMinutes(5))));
            List<Change> last = log.entries().getLast();
            assertThat(last).hasSize(1);
            assertThat(last.getFirst().kind()).isEqualTo(Change.Kind.SET);
            assertThat(last.getFirst().key())
                    .containsExactly(Map.entry("id", task.id().toString()));
            assertThat(last.getFirst().fields()).containsOnlyKeys("due_at", "order_at");
        }
    }

    @Test
    void whatAnotherCopyPublishedIsClaimedAtOnce() {
        try (SqliteReplica one = open("a.db");
                SqliteReplica other = open("b.db")) {
            assertThat(one.store().claim(Tasks.request(10)).tasks()).isEmpty();
            NewTask first = Tasks.plain();
            Tasks.submit(other.store(), first);
            assertThat(Tasks.idsOf(one.store().claim(Tasks.request(10)))).containsExactly(first.id());
            NewTask second = Tasks.plain();
            Tasks.submit(other.store(), second);
            assertThat(Tasks.idsOf(one.store().claim(Tasks.request(10)))).containsExactly(second.id());
            assertThat(Tasks.submit(one.store(), second)).isInstanceOf(Submitted.Created.class);
        }
    }

    @Test
    void theDatabaseOfACopyStillRefusesASecondOpenTaskOfAKey() throws SQLException {
        Path file = directory.resolve("a.db");
        open("a.db").close();
        try (Session session = DatabaseFile.at(file, false).openWriter(false);
                Statement statement = session.connection().createStatement()) {
            ChangeCapture.install(session);
            try (ResultSet triggers =
                    statement.executeQuery("SELECT count(*) FROM temp.sqlite_schema WHERE name IN ('semel_record_goes',"
                            + " 'semel_record_changes_owner')")) {
                triggers.next();
                assertThat(triggers.getInt(1)).isEqualTo(2);
            }
        }
    }

    @Test
    void aTableThatNobodyCapturesIsRefused() throws SQLException {
        Path file = directory.resolve("a.db");
        SqliteTaskStore.open(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE semel_news (id INTEGER PRIMARY KEY)");
        }
        assertThatThrownBy(() -> open("a.db"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("semel_news");
    }

    @Test
    void everyTableOfTheSchemaIsCapturedOrLocal() throws SQLException {
        Path file = directory.resolve("a.db");
        SqliteTaskStore.open(file).close();
        try (Session session = DatabaseFile.at(file, false).openWriter(false)) {
            assertThat(ChangeCapture.fields(session)).hasSize(15);
        }
    }

    @Test
    void aPlainFileHasNoTriggerOfTheCapture() throws SQLException {
        Path file = directory.resolve("a.db");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            store.writer().ask(1, tx -> {
                try (ResultSet row = tx.session()
                        .sql("SELECT count(*) FROM temp.sqlite_schema")
                        .query()) {
                    row.next();
                    assertThat(row.getInt(1)).isZero();
                }
                return true;
            });
        }
    }

    @Test
    void anOperationThatFailsCostsTheOthersNothing() {
        try (SqliteReplica replica = open("a.db")) {
            Tasks.submit(replica.store(), Tasks.plain());
            int before = log.entries().size();
            assertThatThrownBy(() -> replica.operate(tx -> {
                        tx.names().lane("t", "q", "type");
                        throw new IllegalStateException("guilty");
                    }))
                    .hasMessage("guilty");
            assertThat(log.entries()).hasSize(before);
            NewTask after = Tasks.of("t", "q", "type");
            assertThat(Tasks.submit(replica.store(), after)).isInstanceOf(Submitted.Created.class);
            assertThat(Tasks.stored(replica.store())).contains(after.id());
        }
    }
}
