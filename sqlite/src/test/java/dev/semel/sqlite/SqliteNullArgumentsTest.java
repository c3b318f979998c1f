package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.architecture.NullArguments;
import dev.semel.task.InvalidInput;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A null is reported where it is passed. */
class SqliteNullArgumentsTest {

    @TempDir
    Path directory;

    @Test
    void aNullIsReportedWhereItIsPassed() {
        NullArguments checked = new NullArguments(InvalidInput.class)
                .sample(Path.class, directory.resolve("semel.db"))
                .sample(SqliteSettings.class, SqliteSettings.standard())
                .sample(Set.class, Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE))
                .statics(
                        SqliteTaskStore.class,
                        SqliteGuardStore.class,
                        SqliteSettings.class,
                        SqliteSchema.class,
                        SqliteTimeRepair.class)
                .instances(SqliteSettings.standard());
        assertThat(checked.wrong()).isEmpty();
        assertThat(checked.passed()).isGreaterThan(10);
        assertThat(directory).as("nothing was created").isEmptyDirectory();
    }
}
