package dev.semel.jdbc;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How a {@link PostgresTaskStore} behaves. Immutable; each method gives a copy with one thing changed. */
public final class PostgresSettings {

    /** The name of Semel's schema, unless it is set otherwise. */
    public static final String SCHEMA = "semel";

    // Unquoted in every statement, so it is a plain lower-case name.
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    private final String schema;
    private final Duration lockLimit;
    private final int connections;
    private final boolean migrate;
    private final boolean listen;
    private final @Nullable InstantSource clock;

    private PostgresSettings(
            String schema,
            Duration lockLimit,
            int connections,
            boolean migrate,
            boolean listen,
            @Nullable InstantSource clock) {
        this.schema = Objects.requireNonNull(schema, "schema");
        this.lockLimit = Limits.positive("lock limit", lockLimit);
        this.connections = connections;
        this.migrate = migrate;
        this.listen = listen;
        this.clock = clock;
        if (!NAME.matcher(schema).matches()) {
            throw new InvalidInput("A schema name has 1 to 63 lower-case letters, digits or _ and does not begin with a"
                    + " digit, but got \"" + Limits.shown(schema) + "\".");
        }
        if (connections < 1 || connections > 1_000) {
            throw new InvalidInput("A pool has 1 to 1000 connections, but got \"" + connections + "\".");
        }
    }

    /**
     * The standard settings: schema {@code semel}, 250 ms for an identity that somebody else's transaction holds, ten
     * connections, tables made when they are not there, and hints of other processes.
     *
     * @return the settings
     */
    public static PostgresSettings standard() {
        return new PostgresSettings(SCHEMA, Duration.ofMillis(250), 10, true, true, null);
    }

    /**
     * These settings with another schema.
     *
     * @param name its name: lower-case letters, digits and {@code _}
     * @return new settings
     */
    public PostgresSettings withSchema(String name) {
        return new PostgresSettings(name, lockLimit, connections, migrate, listen, clock);
    }

    /**
     * These settings with another limit for waiting. A submission whose identity somebody else's open transaction holds for
     * longer is answered as busy, and the others of its batch go on.
     *
     * @param limit the limit
     * @return new settings
     */
    public PostgresSettings withLockLimit(Duration limit) {
        return new PostgresSettings(schema, limit, connections, migrate, listen, clock);
    }

    /**
     * These settings with another size of the pool that is made for a URL. It means nothing where a data source is given.
     *
     * @param number how many operations can run at the same time
     * @return new settings
     */
    public PostgresSettings withConnections(int number) {
        return new PostgresSettings(schema, lockLimit, number, migrate, listen, clock);
    }

    /**
     * These settings for a program that makes and changes tables, or one that may not and only checks their version.
     *
     * @param mayMigrate whether to make and change tables
     * @return new settings
     */
    public PostgresSettings withMigration(boolean mayMigrate) {
        return new PostgresSettings(schema, lockLimit, connections, mayMigrate, listen, clock);
    }

    /**
     * These settings with or without hints of other processes, for which a store keeps one connection of its own. Without
     * them, or behind a pooler that does not let them through, workers find new tasks by looking from time to time.
     *
     * @param hints whether
     * @return new settings
     */
    public PostgresSettings withHints(boolean hints) {
        return new PostgresSettings(schema, lockLimit, connections, migrate, hints, clock);
    }

    /** For tests: a clock that decides time instead of the database's. */
    PostgresSettings withClock(InstantSource newClock) {
        return new PostgresSettings(schema, lockLimit, connections, migrate, listen, newClock);
    }

    /**
     * The name of the schema.
     *
     * @return the name
     */
    public String schema() {
        return schema;
    }

    Duration lockLimit() {
        return lockLimit;
    }

    int connections() {
        return connections;
    }

    boolean migrate() {
        return migrate;
    }

    boolean listen() {
        return listen;
    }

    @Nullable
    InstantSource clock() {
        return clock;
    }
}
