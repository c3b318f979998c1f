package dev.semel.cli;

import dev.semel.jdbc.PostgresSchema;
import dev.semel.jdbc.PostgresUrl;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Where the demonstration keeps its tasks: in a file in its own directory, or in a schema of its own in the database that
 * was named, which is removed when this is closed.
 */
final class DemoPlace implements AutoCloseable {

    private static final String SCHEMAS = "semel_demo_";

    private final StoreUrl url;
    private final @Nullable String schema;
    private boolean removed;

    private DemoPlace(StoreUrl url, @Nullable String schema) {
        this.url = url;
        this.schema = schema;
    }

    /**
     * Finds a place, and looks whether the database can be reached; nothing is made yet.
     *
     * @param store the database that was named, or null
     * @param directory the demonstration's own
     */
    static DemoPlace of(@Nullable String store, Path directory) {
        if (store == null) {
            return new DemoPlace(new StoreUrl(directory.resolve("demo.db")), null);
        }
        String database = StoreUrl.parse(store).database();
        if (database == null) {
            throw new InvalidInput(
                    "The demo works in a file of its own, or in a schema of its own in a database that is"
                            + " named, and removes it, but got --store \"" + Text.shown(store)
                            + "\". Leave it out, or name a \"postgresql://HOST/DATABASE\".");
        }
        byte[] random = new byte[6];
        new SecureRandom().nextBytes(random);
        String schema = SCHEMAS + HexFormat.of().formatHex(random);
        // All connections to it say its name, so that those that a killed process leaves behind can be found.
        String own = PostgresUrl.withSchema(database, schema) + "&ApplicationName=" + schema;
        int unused = PostgresSchema.version(own);
        return new DemoPlace(StoreUrl.parse(own), schema);
    }

    StoreUrl url() {
        return url;
    }

    /** The URL for other processes; with the password, if there is one, so nothing to be printed. */
    String secretUrl() {
        String database = url.database();
        return database == null ? url.toString() : database;
    }

    /** Where it is, for people. */
    String told() {
        return schema == null
                ? "in one file, here " + url.file()
                : "in a PostgreSQL database, here in the schema " + schema;
    }

    /** Removes the schema, if there is one. May be repeated; at a signal two threads do. */
    @Override
    public synchronized void close() {
        String database = url.database();
        if (database == null || schema == null || removed) {
            return; // the file goes with its directory
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
                            + "). If it is there, remove it by hand: DROP SCHEMA " + schema + " CASCADE.",
                    e);
        }
    }
}
