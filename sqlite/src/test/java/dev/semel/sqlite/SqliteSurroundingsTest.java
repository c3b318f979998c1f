package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.guard.GuardKey;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.jdbc.GuardTables;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.TaskQuery;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.process.Child;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What others do to the file while a store is open on it, or between two times that it is. */
@Timeout(120)
@EnabledOnOs({OS.LINUX, OS.MAC})
class SqliteSurroundingsTest {

    @TempDir
    Path directory;

    private Path file = Path.of("unknown");

    @BeforeEach
    void name() throws IOException {
        file = directory.toRealPath().resolve("semel.db");
    }

    @Test
    void nothingIsAcknowledgedIntoAFileThatWasDeleted() throws IOException {
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            deleteAll();
            assertRefused(store, "was deleted or moved");
        }
    }

    @Test
    void nothingIsAcknowledgedIntoAFileThatWasReplaced() throws IOException {
        SqliteTaskStore.open(file).close();
        Path backup = Files.copy(file, directory.resolve("backup.db"));
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            Files.move(backup, file, StandardCopyOption.REPLACE_EXISTING);
            assertRefused(store, "was replaced");
        }
    }

    @Test
    void aFileThatWasMovedAndCameBackStaysRefusedUntilTheStoreIsOpenedAgain() throws IOException {
        Path elsewhere = directory.resolve("elsewhere.db");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            Files.move(file, elsewhere);
            assertRefused(store, "was deleted or moved");
            Files.move(elsewhere, file);
            assertRefused(store, "was deleted or moved");
        }
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
        }
    }

    @Test
    void nothingIsAcknowledgedIntoALogThatWasDeleted() throws IOException {
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            Files.delete(beside("-wal"));
            // The files beside the database are looked at four times in a second.
            await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).until(() -> isRefused(store));
            assertRefused(store, "\"-wal\" was deleted or replaced");
        }
    }

    @Test
    void aHandlersTransactionAndAGuardAreRefusedAsWell() throws Exception {
        try (SqliteTaskStore store = SqliteTaskStore.open(file);
                SqliteGuardStore guard = SqliteGuardStore.open(file);
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.setAutoCommit(false);
            Tasks.submit(store, Tasks.plain());
            Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
            deleteAll();
            assertThatThrownBy(() -> store.transacting().orElseThrow().complete(lease, handler -> null))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("was deleted or moved");
            assertThatThrownBy(
                            () -> store.joining().orElseThrow().join(connection).submit(List.of(Tasks.plain())))
                    .isInstanceOf(StoreUnusable.class);
            Hold hold = new Hold(
                    new GuardKey("default", "k"),
                    new OwnerToken(1, 1),
                    null,
                    Duration.ofSeconds(30),
                    Duration.ofDays(1));
            assertThatThrownBy(() -> guard.begin(hold))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("was deleted or moved");
        }
    }

    @Test
    void aFileWithASecondNameIsNotOpened() throws IOException {
        SqliteTaskStore.open(file).close();
        Path second = Files.createLink(directory.resolve("second.db"), file);
        for (Path name : List.of(file, second)) {
            assertThatThrownBy(() -> SqliteTaskStore.open(name))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("2 names")
                    .hasMessageContaining("hard link");
        }
        Files.delete(second);
        SqliteTaskStore.open(file).close();
    }

    @Test
    void aSecondNameThatIsMadeWhileTheStoreIsOpenIsNoticed() throws IOException {
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            Files.createLink(directory.resolve("second.db"), file);
            await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).until(() -> isRefused(store));
            assertRefused(store, "2 names");
        }
    }

    @Test
    void aSymbolicLinkLeadsToTheSameStoreAsTheFileItself() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link.db"), file);
        NewTask task = Tasks.plain();
        try (SqliteTaskStore one = SqliteTaskStore.open(link);
                SqliteTaskStore other = SqliteTaskStore.open(file)) {
            assertThat(one.file()).isEqualTo(file);
            Tasks.submit(one, task);
            assertThat(Tasks.stored(other)).containsExactly(task.id());
        }
        assertThat(directory.resolve("link.db-hint")).doesNotExist();
    }

    @Test
    void aLogThatWasDeletedAfterACrashIsNoticedAtOpening() throws Exception {
        List<TaskId> answered = crashed();
        Files.delete(beside("-wal"));
        assertThatThrownBy(() -> SqliteTaskStore.open(file))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("commits are missing")
                .hasMessageContaining("\"-wal\"")
                .hasMessageContaining(beside("-hint").toString());
        assertThatThrownBy(() -> SqliteGuardStore.open(file)).isInstanceOf(StoreUnusable.class);

        // Who has read the message and wants what is left says so by removing the hints.
        deleteHints();
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            assertThat(store.find(answered)).hasSizeLessThan(answered.size());
        }
    }

    @Test
    void aCrashAloneAndACheckpointByAnotherProgramAreNoLoss() throws Exception {
        List<TaskId> answered = crashed();
        // As the shell of SQLite does: it recovers, and removes the log when it ends.
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM semel_task")) {
            assertThat(row.next()).isTrue();
        }
        assertThat(beside("-wal")).doesNotExist();
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            assertThat(store.find(answered)).hasSize(answered.size());
        }
    }

    @Test
    void afterADamagedPageNothingIsAcceptedAnyMore() throws Exception {
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            List<NewTask> many = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                many.add(Tasks.withInput("{\"a\":\"" + "x".repeat(1_000) + "\"}"));
            }
            store.submit(many);
        }
        damage("semel_task_ready");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            assertThatThrownBy(() -> store.claim(Tasks.request(100)))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("is damaged");
            assertRefused(store, "is damaged");
            assertThatThrownBy(() -> store.list(TaskQuery.all(1)))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("is damaged");
        }
    }

    @Test
    void aReadThatMeetsADamagedPageStopsTheStoreToo() throws Exception {
        SqliteTaskStore.open(file).close();
        damage("semel_effect");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            assertThatThrownBy(() -> store.effects(List.of(Tasks.id())))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("is damaged");
            assertRefused(store, "is damaged");
        }
    }

    @Test
    void aSchemaThatIsRaisedByTwoVersionsUnderARunningProgramIsRefused() throws SQLException {
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            Tasks.submit(store, Tasks.plain());
            raise("semel_schema", SqliteSchema.VERSION + 2);
            await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).until(() -> isRefused(store));
            assertRefused(store, "schema version " + (SqliteSchema.VERSION + 2));
        }
    }

    @Test
    void theGuardsSchemaThatIsRaisedByTwoVersionsUnderARunningProgramIsRefused() throws SQLException {
        try (SqliteGuardStore guard = SqliteGuardStore.open(file)) {
            Hold hold = new Hold(
                    new GuardKey("default", "k"),
                    new OwnerToken(1, 1),
                    null,
                    Duration.ofSeconds(30),
                    Duration.ofDays(1));
            guard.begin(hold);
            raise("semel_guard_schema", GuardTables.VERSION + 2);
            await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).until(() -> {
                try {
                    guard.renew(hold);
                    return false;
                } catch (StoreUnusable e) {
                    assertThat(e).hasMessageContaining("version " + (GuardTables.VERSION + 2));
                    return true;
                }
            });
        }
    }

    /** Submits in another process, which is killed; what was answered before, in order. */
    private List<TaskId> crashed() throws Exception {
        SqliteTaskStore.open(file).close();
        List<TaskId> answered = new ArrayList<>();
        try (Child child = Child.run(SqliteCrashTest.Submitter.class, file)) {
            for (int i = 0; i < 300; i++) {
                answered.add(TaskId.parse(child.line()));
            }
            child.kill();
            child.exit();
        }
        return answered;
    }

    private void raise(String table, int version) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO " + table + " VALUES (" + version + ", 1, 0)");
        }
    }

    /** Overwrites the pages below the root of an index. */
    private void damage(String index) throws SQLException, IOException {
        List<Integer> pages = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT rootpage FROM sqlite_schema WHERE name = '" + index + "'")) {
            assertThat(row.next()).isTrue();
            pages.add(row.getInt(1));
        }
        byte[] garbage = new byte[4096];
        Arrays.fill(garbage, (byte) 0x5a);
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            for (int page : pages) {
                bytes.seek((page - 1) * 4096L);
                bytes.write(garbage);
            }
        }
    }

    private void deleteAll() throws IOException {
        for (String suffix : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(beside(suffix));
        }
    }

    private void deleteHints() throws IOException {
        try (Stream<Path> hints = Files.list(beside("-hint"))) {
            for (Path hint : hints.toList()) {
                Files.delete(hint);
            }
        }
        Files.delete(beside("-hint"));
    }

    private Path beside(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static boolean isRefused(SqliteTaskStore store) {
        try {
            store.operate(List.of(new Operation.Cancel(Tasks.id())));
            return false;
        } catch (StoreUnusable e) {
            return true;
        }
    }

    private static void assertRefused(SqliteTaskStore store, String words) {
        assertThatThrownBy(() -> Tasks.submit(store, Tasks.plain()))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(store.file().toString())
                .hasMessageContaining(words);
    }
}
