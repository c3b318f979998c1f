package dev.semel.cli;

import dev.semel.client.HttpSettings;
import dev.semel.client.HttpTaskStore;
import dev.semel.guard.GuardStore;
import dev.semel.postgresql.PostgresGuardStore;
import dev.semel.postgresql.PostgresSchema;
import dev.semel.postgresql.PostgresSettings;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.postgresql.PostgresUrl;
import dev.semel.s3.S3Settings;
import dev.semel.s3.S3TaskStore;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The URL of a store, as given with {@code --store} or {@code --server}.
 *
 * @param place the SQLite file, or null
 * @param database the URL of the PostgreSQL database, or null
 * @param objects the URL of a prefix in object storage, or null
 * @param server the server, or null
 */
record StoreUrl(
        @Nullable Path place,
        @Nullable String database,
        @Nullable String objects,
        @Nullable HttpSettings server) {

    /** A file in the working directory. */
    static final String DEFAULT = "sqlite:semel.db";

    private static final String SQLITE = "sqlite:";
    private static final String DRIVER = "jdbc:";

    // The rest of an unknown URL may contain a password, and so may anything with an @ or a colon.
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]{0,20})://");
    private static final Pattern SHOWABLE = Pattern.compile("[^:@?]+");
    private static final String HIDDEN = ", which is not shown because it may contain a password.";
    private static final String KINDS =
            "\"sqlite:FILE\", \"postgresql://HOST/DATABASE\", \"s3://BUCKET/PREFIX\" or the URL of a server, \"https://HOST\"";

    /** A store in a SQLite file. */
    StoreUrl(Path file) {
        this(file, null, null, null);
    }

    /**
     * Parses the URL of a server.
     *
     * @throws InvalidInput if it is not the URL of a server
     */
    static StoreUrl ofServer(String url) {
        return new StoreUrl(null, null, null, HttpSettings.of(url));
    }

    /**
     * Parses a URL. No message contains a part of it that may be a secret, even if the URL is malformed.
     *
     * @throws InvalidInput if it is not the URL of a store
     */
    static StoreUrl parse(String url) {
        String plain = url.startsWith(DRIVER) ? url.substring(DRIVER.length()) : url;
        if (plain.startsWith(SQLITE)) {
            return new StoreUrl(file(plain.substring(SQLITE.length())));
        }
        if (plain.startsWith("postgresql:") || plain.startsWith("postgres:")) {
            PostgresTaskStore.check(url);
            return new StoreUrl(null, url, null, null);
        }
        if (plain.startsWith("s3:")) {
            S3Settings unused = S3Settings.of(url); // reports a wrong URL now
            return new StoreUrl(null, null, url, null);
        }
        if (url.startsWith("http://") || url.startsWith("https://")) {
            return ofServer(url);
        }
        Matcher scheme = SCHEME.matcher(plain);
        if (scheme.lookingAt()) {
            throw new InvalidInput("A store is " + KINDS + ", but got a URL with the scheme \"" + scheme.group(1)
                    + "\", which this version does not support. Write, for example, \"" + DEFAULT + "\".");
        }
        throw new InvalidInput(
                SHOWABLE.matcher(url).matches()
                        ? "A store is " + KINDS + ", but got \"" + Limits.shown(url) + "\". Write \"sqlite:"
                                + Limits.shown(url) + "\" if that is the file."
                        : "A store is " + KINDS + ", but got something else" + HIDDEN);
    }

    private static Path file(String file) {
        if (file.isBlank()) {
            throw new InvalidInput("The URL of a SQLite store contains a file, but got \"sqlite:\". Write, for example,"
                    + " \"" + DEFAULT + "\".");
        }
        if (file.startsWith("//") || file.matches("(?s).*:.*@.*")) {
            throw new InvalidInput(
                    "The URL of a SQLite store contains a file and neither host, user nor password, but got"
                            + " something else" + HIDDEN
                            + " Write \"sqlite:FILE\", for example \"sqlite:/var/lib/semel/semel.db\".");
        }
        if (file.startsWith(":memory:") || file.startsWith("file:")) {
            throw new InvalidInput("The URL of a SQLite store contains the name of a file, but got \"sqlite:"
                    + (file.startsWith("file:") ? "file:" : ":memory:")
                    + "\". A store in memory would end with this command."
                    + " Write, for example, \"" + DEFAULT + "\".");
        }
        if (file.indexOf('?') >= 0) {
            throw new InvalidInput(
                    "The URL of a SQLite store has no options, and the name of its file no \"?\", but got a"
                            + " URL with one" + HIDDEN + " Remove the options, or choose another name.");
        }
        try {
            return Path.of(file);
        } catch (InvalidPathException e) {
            throw new InvalidInput(
                    "The file of the SQLite store \"sqlite:" + Limits.shown(file)
                            + "\" is not a valid name on this system (" + e.getReason() + "). Choose another name.",
                    e);
        }
    }

    /** Returns the SQLite file, or throws if the store is a database. */
    Path file() {
        if (place == null) {
            throw new InvalidInput("This works only on a SQLite file, but got the store \"" + this + "\". Give --store"
                    + " sqlite:FILE.");
        }
        return place;
    }

    /** Returns this URL with the token that a server knows the caller by. */
    StoreUrl withToken(@Nullable String token) {
        return server == null ? this : new StoreUrl(null, null, null, server.withToken(token));
    }

    /** Returns whether the store is a server. */
    boolean isServer() {
        return server != null;
    }

    /** Rejects a server, for commands that need the storage itself. */
    StoreUrl withoutServer(String command) {
        if (server != null) {
            throw new InvalidInput("\"semel " + command + "\" works on the storage itself and not through a server, but"
                    + " got the server \"" + this + "\". Run it where the storage is, with --store.");
        }
        return this;
    }

    /** Returns whether the store is a PostgreSQL database. */
    boolean isDatabase() {
        return database != null;
    }

    /** Returns whether the store may exist, as far as is known without opening it. */
    boolean mayBeThere() {
        return place == null || Files.exists(place);
    }

    /** Opens the store, and creates it if it does not exist. */
    TaskStore open() {
        if (objects != null) {
            return S3TaskStore.open(objects);
        }
        if (server != null) {
            return HttpTaskStore.open(server);
        }
        return database == null ? SqliteTaskStore.open(file()) : PostgresTaskStore.open(database);
    }

    /**
     * Creates the tables of a guard in a PostgreSQL database, so that programs whose user may not create tables can use
     * them. In a SQLite file the guard creates its table itself.
     */
    void migrateGuard() {
        if (database == null) {
            return;
        }
        DataSource source = PostgresUrl.parse(database).single();
        boolean usual = schema().equals(PostgresSettings.SCHEMA);
        try (GuardStore guard = usual
                ? PostgresGuardStore.on(source)
                : PostgresGuardStore.on(source, PostgresSettings.standard().withSchema(schema()))) {
            guard.close();
        }
    }

    /** Returns the version of the store's schema; 0 if it has none. */
    int schemaVersion() {
        if (objects != null) {
            throw new InvalidInput(
                    "Object storage has no schema: every object says its own format. There is nothing to upgrade"
                            + " in the store \"" + this + "\".");
        }
        return database == null ? SqliteInspection.schemaVersion(file()) : PostgresSchema.version(database);
    }

    /** Opens an existing store. A command that only reads must not leave an empty file behind. */
    TaskStore openExisting() {
        if (server != null) {
            return HttpTaskStore.open(server);
        }
        if (database != null) {
            return PostgresTaskStore.open(database, PostgresSettings.standard().withMigration(false));
        }
        if (objects != null) {
            if (!hasLog()) {
                throw new StoreUnusable("There is no store \"" + this
                        + "\". Choose another with --store or SEMEL_STORE; the" + " first submission creates a store.");
            }
            return S3TaskStore.open(objects);
        }
        Path file = file();
        if (!Files.exists(file)) {
            throw new StoreUnusable("There is no store \"" + this + "\" (file \"" + file.toAbsolutePath()
                    + "\"). Choose another with --store or SEMEL_STORE; the first submission creates a store.");
        }
        return SqliteTaskStore.open(file, SqliteSettings.standard().withCreate(false));
    }

    /** Returns whether a log was begun below a prefix in object storage. */
    boolean hasLog() {
        try (ObjectStore found = S3Settings.of(String.valueOf(objects)).objects()) {
            return !found.list("log/", "", 1).objects().isEmpty();
        }
    }

    /** Returns the whole URL, for other processes. It may contain a password, so it must not be printed. */
    String complete() {
        if (database != null) {
            return database;
        }
        return objects == null ? toString() : objects;
    }

    /** Returns the schema of the tables in a PostgreSQL database. */
    String schema() {
        String named = database == null ? null : PostgresUrl.parse(database).schema();
        return named == null ? PostgresSettings.SCHEMA : named;
    }

    /**
     * Returns the URL without user, password and options, which may contain a password too; only the schema is kept.
     */
    @Override
    public String toString() {
        if (objects != null) {
            return S3Settings.of(objects).toString();
        }
        if (server != null) {
            return server.server().toString();
        }
        if (database == null) {
            return SQLITE + place;
        }
        String plain = PostgresUrl.parse(database).withoutSecrets();
        return schema().equals(PostgresSettings.SCHEMA) ? plain : plain + "?schema=" + schema();
    }
}
