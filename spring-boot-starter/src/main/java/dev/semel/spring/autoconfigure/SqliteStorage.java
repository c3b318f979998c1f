package dev.semel.spring.autoconfigure;

import static dev.semel.spring.autoconfigure.PropertyCheck.applied;

import dev.semel.guard.GuardStore;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A SQLite file: the application's own database, or a file beside it. */
final class SqliteStorage implements Storage {

    private final Path file;
    private final @Nullable DataSource source;
    private final SqliteSettings settings;

    SqliteStorage(Path file, @Nullable DataSource source, SemelProperties.Sqlite properties) {
        this.file = file;
        this.source = source;
        this.settings = settings(properties);
    }

    private static SqliteSettings settings(SemelProperties.Sqlite properties) {
        SqliteSettings first = SqliteSettings.standard();
        SqliteSettings second =
                applied("semel.sqlite.joined-limit", properties.joinedLimit(), first, first::withJoinedLimit);
        SqliteSettings third =
                applied("semel.sqlite.lock-limit", properties.lockLimit(), second, second::withLockLimit);
        return applied("semel.sqlite.readers", properties.readers(), third, third::withReaders);
    }

    @Override
    public TaskStore tasks() {
        return SqliteTaskStore.open(file, settings);
    }

    @Override
    public GuardStore guards() {
        return SqliteGuardStore.open(file, settings);
    }

    @Override
    public @Nullable DataSource source() {
        return source;
    }
}
