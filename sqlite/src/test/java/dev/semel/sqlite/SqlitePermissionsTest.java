package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.storetests.Tasks;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may read the file of a store and the files beside it. */
class SqlitePermissionsTest {

    @TempDir
    Path directory;

    @Test
    void aNewFileAndItsCompanionsAreForTheirOwnerOnly() throws IOException {
        Path file = directory.resolve("semel.db");
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            use(store);
            assertPermissions("semel.db", "rw-------");
            assertPermissions("semel.db-wal", "rw-------");
            assertPermissions("semel.db-shm", "rw-------");
            assertPermissions("semel.db-hint", "rwx------");
            assertPermissions("semel.db-hint/stamps", "rw-------");
        }
    }

    @Test
    void soIsTheFileOfAGuard() throws IOException {
        try (SqliteGuardStore store = SqliteGuardStore.open(directory.resolve("guard.db"))) {
            assertThat(store.sweep(1)).isZero();
            assertPermissions("guard.db", "rw-------");
            assertPermissions("guard.db-wal", "rw-------");
        }
    }

    @Test
    void aFileThatExistsKeepsItsPermissionsAndItsCompanionsFollowIt() throws IOException {
        Path file = Files.createFile(directory.resolve("semel.db"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            use(store);
            assertPermissions("semel.db", "rw-rw-r--");
            assertPermissions("semel.db-wal", "rw-rw-r--");
            assertPermissions("semel.db-hint", "rwxrwxr-x");
            assertPermissions("semel.db-hint/stamps", "rw-rw-r--");
        }
    }

    @Test
    void otherPermissionsCanBeChosenForANewFile() throws IOException {
        SqliteSettings shared = SqliteSettings.standard().withPermissions(PosixFilePermissions.fromString("rw-rw----"));
        try (SqliteTaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"), shared)) {
            use(store);
            assertPermissions("semel.db", "rw-rw----");
            assertPermissions("semel.db-wal", "rw-rw----");
            assertPermissions("semel.db-hint", "rwxrwx---");
        }
    }

    @Test
    void permissionsWithoutTheOwnersAreRefused() {
        assertThatThrownBy(
                        () -> SqliteSettings.standard().withPermissions(PosixFilePermissions.fromString("r--------")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"r--------\"");
    }

    @Test
    void memoryIsNotAFile() {
        assertThatThrownBy(() -> SqliteTaskStore.open(Path.of(":memory:")))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("InMemoryTaskStore");
        assertThat(Path.of(":memory:")).doesNotExist();
    }

    /** Submits a task, and waits until the hint for other processes is written. */
    private void use(SqliteTaskStore store) {
        store.submit(List.of(Tasks.plain()));
        Path stamps = directory.resolve(store.file().getFileName() + "-hint").resolve("stamps");
        await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(stamps));
    }

    private void assertPermissions(String name, String expected) throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name))))
                .as("permissions of %s", name)
                .isEqualTo(expected);
    }
}
