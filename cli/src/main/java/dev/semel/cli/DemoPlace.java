package dev.semel.cli;

import dev.semel.postgresql.PostgresSchema;
import dev.semel.postgresql.PostgresUrl;
import dev.semel.s3.S3Settings;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The place of the demonstration's tasks: a file in its temporary directory, a separate schema in the given database, or
 * a separate prefix in the given bucket. Closing the place removes the schema or the objects.
 */
final class DemoPlace implements AutoCloseable {

    private static final String SCHEMAS = "semel_demo_";
    private static final String PREFIXES = "semel-demo-";
    private static final Duration LEASE = Duration.ofMillis(1_500);

    // The shortest that the store accepts.
    private static final Duration LEASE_ON_OBJECTS = Duration.ofSeconds(10);

    private final StoreUrl url;
    private final @Nullable String schema;
    private boolean removed;

    private DemoPlace(StoreUrl url, @Nullable String schema) {
        this.url = url;
        this.schema = schema;
    }

    /**
     * Chooses a place, and checks that the database or the bucket can be reached. Creates nothing yet.
     *
     * @param store the URL of the given database or bucket, or null
     * @param directory the demonstration's temporary directory
     */
    static DemoPlace of(@Nullable String store, Path directory) {
        if (store == null) {
            return new DemoPlace(new StoreUrl(directory.resolve("demo.db")), null);
        }
        StoreUrl given = StoreUrl.parse(store);
        byte[] random = new byte[6];
        new SecureRandom().nextBytes(random);
        String suffix = HexFormat.of().formatHex(random);
        String bucket = given.objects();
        if (bucket != null) {
            String own = S3Settings.below(bucket, PREFIXES + suffix);
            try (ObjectStore objects = S3Settings.of(own).objects()) {
                Listing unused = objects.list("", "", 1);
            }
            return new DemoPlace(StoreUrl.parse(own), null);
        }
        String database = given.database();
        if (database == null) {
            throw new InvalidInput("The demo takes a PostgreSQL database or a bucket as its store, but got --store"
                    + " \"" + given + "\". Leave the option out to use a temporary file, or give"
                    + " \"postgresql://HOST/DATABASE\" or \"s3://BUCKET/PREFIX\".");
        }
        String schema = SCHEMAS + suffix;
        // All connections carry the schema's name, so that those of a killed process can be found and ended.
        String own = PostgresUrl.withSchema(database, schema) + "&ApplicationName=" + schema;
        int unused = PostgresSchema.version(own);
        return new DemoPlace(StoreUrl.parse(own), schema);
    }

    StoreUrl url() {
        return url;
    }

    /** Returns the URL for other processes. It may contain a password, so it must not be printed. */
    String secretUrl() {
        return url.complete();
    }

    /** Returns the lease of the demonstration's workers. */
    Duration lease() {
        return url.objects() == null ? LEASE : LEASE_ON_OBJECTS;
    }

    /** Describes the place for people. */
    String described() {
        if (url.objects() != null) {
            return "in object storage, here in " + url;
        }
        return schema == null
                ? "in one file, here " + url.file()
                : "in a PostgreSQL database, here in the schema " + schema;
    }

    /** Removes the schema or the objects. May be called twice: at a signal, two threads do so. */
    @Override
    public synchronized void close() {
        String bucket = url.objects();
        if (bucket != null && !removed) {
            deleteAll(bucket);
            removed = true;
        }
        String database = url.database();
        if (database == null || schema == null || removed) {
            return; // the file is removed with its directory
        }
        try (Connection connection = PostgresUrl.parse(database).single().getConnection()) {
            try (PreparedStatement end = connection.prepareStatement("SELECT pg_terminate_backend(pid)"
                    + " FROM pg_catalog.pg_stat_activity WHERE application_name = ? AND pid <> pg_backend_pid()")) {
                end.setString(1, schema);
                end.execute();
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET client_min_messages = warning");
                statement.execute("SET lock_timeout = '5s'");
                statement.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
            }
            removed = true;
        } catch (SQLException e) {
            throw new StoreUnavailable(
                    "The schema of the demo could not be removed (SQLSTATE "
                            + (e.getSQLState() == null ? "none" : e.getSQLState())
                            + "). If it still exists, remove it by hand: DROP SCHEMA " + schema + " CASCADE.",
                    e);
        }
    }

    private static void deleteAll(String bucket) {
        try (ObjectStore objects = S3Settings.of(bucket).objects()) {
            for (Listing page = objects.list("", "", ObjectStore.MAX_LIST);
                    !page.objects().isEmpty();
                    page = objects.list("", "", ObjectStore.MAX_LIST)) {
                page.objects().forEach(object -> objects.delete(object.name()));
            }
        }
    }
}
