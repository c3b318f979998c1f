package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.engine.RawJson;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.store.NewTask;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskQuery;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong with a file, and that the message names the file, the fault and the remedy. */
@Timeout(60)
class SqliteErrorsTest {

    @TempDir
    Path directory;

    @Test
    void aMissingDirectory() {
        Path file = directory.resolve("nowhere").resolve("semel.db");
        assertUnusable(file, "no directory \"" + file.getParent() + "\"", "Create it");
    }

    @Test
    void aDirectoryInPlaceOfAFile() {
        assertUnusable(directory, "is a directory", "Name a file in it");
    }

    @Test
    void aFileThatIsNotThereAndMayNotBeMade() {
        Path file = directory.resolve("semel.db");
        assertThatThrownBy(() ->
                        SqliteTaskStore.open(file, SqliteSettings.standard().withCreate(false)))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("is not there");
        assertThat(file).doesNotExist();
    }

    /** In the file system of the Java runtime nobody may write, not even root, who may write anywhere else. */
    @Test
    void aFileOrADirectoryThatCannotBeWritten() {
        Path object = Path.of(URI.create("jrt:/java.base/java/lang/Object.class"));
        assertUnusable(object, "can be read but not written", "right to write it");
        assertUnusable(object.resolveSibling("semel.db"), "directory", "cannot be written");
    }

    @Test
    void aFileThatBecomesReadOnlyWhileItIsUsed() {
        Path file = directory.resolve("semel.db");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            pragma(store, "PRAGMA query_only = 1");
            assertThatThrownBy(() -> Tasks.submit(store, Tasks.plain()))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("not written (SQLITE_READONLY)");
        }
    }

    @Test
    void aPathThatSqliteWouldReadAsSettings() {
        assertUnusable(directory.resolve("semel.db?mode=memory"), "has a \"?\"", "Name another file");
    }

    @Test
    void aFileThatIsNoDatabase() throws IOException {
        Path file = Files.writeString(directory.resolve("letter.txt"), "Dear reader, ".repeat(1_000));
        assertUnusable(file, "is no SQLite database", "Name another file");
    }

    @Test
    void aDamagedFile() throws Exception {
        Path file = directory.resolve("semel.db");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            submitMany(store, 2_000);
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            byte[] garbage = new byte[4096];
            Arrays.fill(garbage, (byte) 0x5a);
            for (long at = 4096L; at < bytes.length() - 4096; at += 4096) {
                bytes.seek(at);
                bytes.write(garbage);
            }
        }
        assertThatThrownBy(() -> {
                    try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
                        store.list(TaskQuery.all(1_000)).tasks();
                    }
                })
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("is damaged")
                .hasMessageContaining("backup");
    }

    @Test
    void tablesThatSomebodyRemoved() throws SQLException {
        Path file = directory.resolve("semel.db");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("DROP TABLE semel_task");
            }
            assertThatThrownBy(() -> Tasks.submit(store, Tasks.plain()))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("semel_task");
        }
    }

    @Test
    void aFullDiskAcceptsNothingAndIsForgottenWhenThereIsSpaceAgain() {
        Path file = directory.resolve("semel.db");
        NewTask refused = Tasks.withInput("{\"a\":\"" + "x".repeat(500_000) + "\"}");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            pragma(store, "PRAGMA max_page_count = 60");
            assertThatThrownBy(() -> Tasks.submit(store, refused))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("disk is full")
                    .hasMessageContaining("Free some space");
            assertThat(Tasks.stored(store)).isEmpty();

            NewTask small = Tasks.plain();
            Tasks.submit(store, small);
            pragma(store, "PRAGMA max_page_count = 100000");
            Tasks.submit(store, refused);
            assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(small.id(), refused.id());
        }
    }

    @Test
    void aBatchThatIsCutOffByAFullDiskSaysHowFarItCame() {
        TaskType<RawJson, RawJson> type = TaskType.of("charge", RawJson.class, RawJson.class);
        try (SqliteTaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"));
                Semel semel = Semel.on(store).build()) {
            List<SubmissionRequest<RawJson, RawJson>> requests = new ArrayList<>();
            for (int i = 0; i < 4_500; i++) {
                requests.add(semel.submit(type, new RawJson("{\"a\":\"" + "x".repeat(200) + "\"}")));
            }
            pragma(store, "PRAGMA max_page_count = 250");
            StoreUnavailable cut = catchThrowableOfType(StoreUnavailable.class, () -> semel.submitAll(requests));
            long stored = semel.operations().queues().getFirst().depth().due();
            assertThat(stored).isPositive().isLessThan(4_500);
            assertThat(cut)
                    .hasMessageContaining("Of 4500 submissions the first " + stored + " were answered")
                    .hasMessageContaining("the next 1000")
                    .hasMessageContaining("the " + (3_500 - stored) + " after them were not sent")
                    .hasMessageContaining("Send the same requests again")
                    .hasMessageContaining("disk is full")
                    .hasMessageNotContaining("Nothing of this call");

            pragma(store, "PRAGMA max_page_count = 100000");
            assertThat(semel.submitAll(requests)).hasSize(4_500).allMatch(SubmitOutcome.Accepted.class::isInstance);
            assertThat(semel.operations().queues().getFirst().depth().due()).isEqualTo(4_500);
        }
    }

    @Test
    void aLockThatIsNotLetGo() throws SQLException {
        Path file = directory.resolve("semel.db");
        SqliteSettings impatient = SqliteSettings.standard().withLockLimit(Duration.ofMillis(50));
        try (SqliteTaskStore store = SqliteTaskStore.open(file, impatient);
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            assertThatThrownBy(() -> Tasks.submit(store, Tasks.plain()))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("locked");
            assertThat(Tasks.stored(store)).isEmpty();
            statement.execute("ROLLBACK");
            Tasks.submit(store, Tasks.plain());
        }
    }

    @Test
    void aClosedStore() {
        SqliteTaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"));
        store.close();
        store.close();
        List<Runnable> operations = List.of(
                () -> Tasks.submit(store, Tasks.plain()),
                () -> store.claim(Tasks.request(1)),
                () -> store.list(TaskQuery.all(1)).tasks(),
                () -> store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1)));
        for (Runnable operation : operations) {
            assertThatThrownBy(operation::run).isInstanceOf(StoreUnusable.class).hasMessageContaining("is closed");
        }
    }

    private static void submitMany(SqliteTaskStore store, int number) {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            batch.add(Tasks.plain());
        }
        store.submit(batch);
    }

    private static void pragma(SqliteTaskStore store, String text) {
        store.writer().ask(1, tx -> {
            DatabaseFile.pragma(tx.session(), text);
            return true;
        });
    }

    private static void assertUnusable(Path file, String... words) {
        assertThatThrownBy(() -> SqliteTaskStore.open(file))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(file.toString())
                .hasMessageContainingAll(words);
    }
}
