package dev.semel.spring.autoconfigure;

import static dev.semel.spring.autoconfigure.PropertyCheck.applied;

import dev.semel.guard.GuardStore;
import dev.semel.postgresql.PostgresGuardStore;
import dev.semel.postgresql.PostgresSettings;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.spring.SetUpFailure;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** A PostgreSQL database: the application's own data source, or a URL. */
final class PostgresStorage implements Storage {

    private final @Nullable DataSource source;
    private final String url;
    private final PostgresSettings settings;

    private PostgresStorage(@Nullable DataSource source, String url, SemelProperties.Postgresql properties) {
        this.source = source;
        this.url = url;
        this.settings = settings(properties);
    }

    static PostgresStorage in(DataSource source, SemelProperties.Postgresql properties) {
        return new PostgresStorage(source, "", properties);
    }

    static PostgresStorage at(String url, SemelProperties.Postgresql properties) {
        try {
            PostgresTaskStore.check(url);
        } catch (InvalidInput e) {
            // Not the value itself: it may have a password.
            throw new InvalidConfigurationPropertyValueException(
                    "semel.store", "postgresql://…", String.valueOf(e.getMessage()));
        }
        return new PostgresStorage(null, url, properties);
    }

    private static PostgresSettings settings(SemelProperties.Postgresql properties) {
        PostgresSettings first =
                PostgresSettings.standard().withMigration(properties.migrate()).withHints(properties.hints());
        PostgresSettings second = applied("semel.postgresql.schema", properties.schema(), first, first::withSchema);
        PostgresSettings third =
                applied("semel.postgresql.connections", properties.connections(), second, second::withConnections);
        PostgresSettings fourth =
                applied("semel.postgresql.lock-limit", properties.lockLimit(), third, third::withLockLimit);
        return applied("semel.postgresql.answer-limit", properties.answerLimit(), fourth, fourth::withAnswerLimit);
    }

    @Override
    public TaskStore tasks() {
        return source == null ? PostgresTaskStore.open(url, settings) : PostgresTaskStore.open(source, settings);
    }

    @Override
    public GuardStore guards() {
        if (source == null) {
            throw new SetUpFailure(
                    "The guard on PostgreSQL needs a data source, but semel.store is a URL.",
                    "Configure the database as spring.datasource.url and leave semel.store out, or declare a bean of"
                            + " class GuardStore.");
        }
        return PostgresGuardStore.on(source, settings);
    }

    @Override
    public @Nullable DataSource source() {
        return source;
    }
}
