package dev.semel.cli;

import dev.semel.jdbc.PostgresSchema;
import dev.semel.jdbc.PostgresSettings;
import dev.semel.jdbc.PostgresTaskStore;
import dev.semel.jdbc.PostgresUrl;
import dev.semel.jdbc.SqliteSettings;
import dev.semel.jdbc.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where tasks are kept, as {@code --store} names it.
 *
 * @param place the SQLite file, or null
 * @param database the URL of the PostgreSQL database, or null
 */
record StoreUrl(@Nullable Path place, @Nullable String database) {

    /** A file in the working directory. */
    static final String DEFAULT = "sqlite:semel.db";

    private static final String SQLITE = "sqlite:";
    private static final String POSTGRESQL = "postgresql:";
    private static final String KINDS = "\"sqlite:FILE\" or \"postgresql://HOST/DATABASE\"";

    /** A store in a SQLite file. */
    StoreUrl(Path file) {
        this(file, null);
    }

    static StoreUrl parse(String url) {
        if (url.startsWith(SQLITE)) {
            String file = url.substring(SQLITE.length());
            if (file.isBlank()) {
                throw new InvalidInput("A SQLite store names its file, but got \"" + Limits.shown(url)
                        + "\". Write, for example, \"" + DEFAULT + "\".");
            }
            if (file.indexOf('?') >= 0) {
                throw new InvalidInput(
                        "A SQLite store names a file without \"?\", which SQLite takes for options, but got \""
                                + Limits.shown(url) + "\". Choose another name.");
            }
            try {
                return new StoreUrl(Path.of(file));
            } catch (InvalidPathException e) {
                throw new InvalidInput(
                        "A SQLite store names a file that this system can have, but got \"" + Limits.shown(url) + "\" ("
                                + e.getReason() + "). Choose another name.",
                        e);
            }
        }
        if (url.startsWith(POSTGRESQL)) {
            PostgresTaskStore.check(url);
            return new StoreUrl(null, url);
        }
        int colon = url.indexOf(':');
        // Only the kind is shown: what follows may hold a password.
        throw new InvalidInput(
                colon > 0
                        ? "A store is " + KINDS + ", but got one of the kind \""
                                + Limits.shown(url.substring(0, colon))
                                + "\", which this version does not know. Write, for example, \"" + DEFAULT + "\"."
                        : "A store is " + KINDS + ", but got \"" + Limits.shown(url) + "\". Write \"sqlite:"
                                + Limits.shown(url) + "\" if that is the file.");
    }

    /** The SQLite file; an error where there is none. */
    Path file() {
        if (place == null) {
            throw new InvalidInput("This is for stores in a SQLite file, but got \"" + this + "\".");
        }
        return place;
    }

    /** Whether the store is a PostgreSQL database. */
    boolean isDatabase() {
        return database != null;
    }

    /** Whether there is a store already, as far as that can be told without opening it. */
    boolean mayBeThere() {
        return place == null || Files.exists(place);
    }

    /** Opens the store, and creates it if it is not there. */
    TaskStore open() {
        return database == null ? SqliteTaskStore.open(file()) : PostgresTaskStore.open(database);
    }

    /** The version of the schema that the store has; 0 if it has none. */
    int schemaVersion() {
        return database == null ? SqliteInspection.schemaVersion(file()) : PostgresSchema.version(database);
    }

    /** Opens a store that must be there: whoever looks for something should not leave an empty file behind. */
    TaskStore openExisting() {
        if (database != null) {
            return PostgresTaskStore.open(database, PostgresSettings.standard().withMigration(false));
        }
        Path file = file();
        if (!Files.exists(file)) {
            throw new StoreUnusable("There is no store \"" + this + "\" (file \"" + file.toAbsolutePath()
                    + "\"). Name another with --store or SEMEL_STORE; the first submission creates it.");
        }
        return SqliteTaskStore.open(file, SqliteSettings.standard().withCreate(false));
    }

    /** The schema of the tables in a PostgreSQL database. */
    String schema() {
        String named = database == null ? null : PostgresUrl.parse(database).schema();
        return named == null ? PostgresSettings.SCHEMA : named;
    }

    /** Without user, password and options, which may have one too; only the schema is part of the name. */
    @Override
    public String toString() {
        if (database == null) {
            return SQLITE + place;
        }
        String plain = database.replaceFirst("\\?.*", "").replaceFirst("//.*@", "//");
        return schema().equals(PostgresSettings.SCHEMA) ? plain : plain + "?schema=" + schema();
    }
}
