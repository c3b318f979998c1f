package dev.semel.postgresql;

import dev.semel.postgresql.schema.Migration;
import dev.semel.postgresql.sql.SchemaName;
import dev.semel.postgresql.transaction.StoreClock;
import dev.semel.postgresql.transaction.StoreSettings;
import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** How a {@link PostgresTaskStore} behaves. Immutable; each method gives a copy with one thing changed. */
public final class PostgresSettings {

    /** The name of Semel's schema, unless it is set otherwise. */
    public static final String SCHEMA = SchemaName.STANDARD;

    // The driver's own limits are in whole seconds; and a shorter one would take a busy server for a dead one.
    private static final Duration SHORTEST_ANSWER_LIMIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_ANSWER_LIMIT = Duration.ofDays(1);

    // Fewer tasks of a lane than this get leases of their own, which cost less then.
    private static final int SHARED_FROM = 4;

    private final String schema;
    private final Duration lockLimit;
    private final Duration answerLimit;
    private final int connections;
    private final boolean migrate;
    private final boolean listen;
    private final boolean joinedHints;
    private final int sharedFrom;
    private final @Nullable InstantSource clock;

    private PostgresSettings(
            String schema,
            Duration lockLimit,
            Duration answerLimit,
            int connections,
            boolean migrate,
            boolean listen,
            boolean joinedHints,
            int sharedFrom,
            @Nullable InstantSource clock) {
        this.schema = Limits.notNull("schema name", schema);
        this.lockLimit = Limits.positive("lock limit", lockLimit);
        this.answerLimit = Limits.positive("answer limit", answerLimit);
        this.connections = connections;
        this.migrate = migrate;
        this.listen = listen;
        this.joinedHints = joinedHints;
        this.sharedFrom = sharedFrom;
        this.clock = clock;
        String unused = SchemaName.checked(schema);
        if (answerLimit.compareTo(SHORTEST_ANSWER_LIMIT) < 0 || answerLimit.compareTo(LONGEST_ANSWER_LIMIT) > 0) {
            throw new InvalidInput(
                    "An answer limit is 1 second to 1 day, but got \"" + Durations.shown(answerLimit) + "\".");
        }
        if (connections < 1 || connections > 1_000) {
            throw new InvalidInput("A pool has 1 to 1000 connections, but got \"" + connections + "\".");
        }
    }

    /**
     * The standard settings: schema {@code semel}, 250 ms for an identity that somebody else's transaction holds, 15 seconds
     * for an answer of the server, ten connections, tables made when they are not there, and hints of other processes.
     *
     * @return the settings
     */
    public static PostgresSettings standard() {
        return new PostgresSettings(
                SCHEMA, Duration.ofMillis(250), Duration.ofSeconds(15), 10, true, true, false, SHARED_FROM, null);
    }

    /**
     * These settings with another schema.
     *
     * @param name its name: lower-case letters, digits and {@code _}
     * @return new settings
     */
    public PostgresSettings withSchema(String name) {
        return new PostgresSettings(
                name, lockLimit, answerLimit, connections, migrate, listen, joinedHints, sharedFrom, clock);
    }

    /**
     * These settings with another limit for waiting. A submission whose identity somebody else's open transaction holds for
     * longer is answered as busy, and the others of its batch go on.
     *
     * @param limit the limit
     * @return new settings
     */
    public PostgresSettings withLockLimit(Duration limit) {
        return new PostgresSettings(
                schema, limit, answerLimit, connections, migrate, listen, joinedHints, sharedFrom, clock);
    }

    /**
     * These settings with another limit for the server's answers. A statement that is not answered for so long, and for the
     * time that it may wait for locks, ends with {@link dev.semel.task.StoreUnavailable}, and its connection is given up: the
     * server or the network is taken for dead. Sweeps, counts and listings may read whole tables and get five minutes at the
     * least. A connection that comes with a limit of its own ({@code socketTimeout}) keeps that instead.
     *
     * <p>A worker needs two thirds of its lease to be longer than this, or it cannot extend its leases in time when a
     * connection dies.
     *
     * @param limit the limit, 1 second to 1 day
     * @return new settings
     */
    public PostgresSettings withAnswerLimit(Duration limit) {
        return new PostgresSettings(
                schema, lockLimit, limit, connections, migrate, listen, joinedHints, sharedFrom, clock);
    }

    /**
     * These settings with another size of the pool that is made for a URL. It means nothing where a data source is given.
     *
     * @param number how many operations can run at the same time
     * @return new settings
     */
    public PostgresSettings withConnections(int number) {
        return new PostgresSettings(
                schema, lockLimit, answerLimit, number, migrate, listen, joinedHints, sharedFrom, clock);
    }

    /**
     * These settings for a program that makes and changes tables, or one that may not and only checks their version.
     *
     * @param mayMigrate whether to make and change tables
     * @return new settings
     */
    public PostgresSettings withMigration(boolean mayMigrate) {
        return new PostgresSettings(
                schema, lockLimit, answerLimit, connections, mayMigrate, listen, joinedHints, sharedFrom, clock);
    }

    /**
     * These settings with or without hints of other processes, for which a store keeps one connection of its own. Without
     * them, or behind a pooler that does not let them through, workers find new tasks by looking from time to time.
     *
     * @param hints whether
     * @return new settings
     */
    public PostgresSettings withHints(boolean hints) {
        return new PostgresSettings(
                schema, lockLimit, answerLimit, connections, migrate, hints, joinedHints, sharedFrom, clock);
    }

    /**
     * These settings with or without hints in transactions of callers ({@link PostgresTaskStore#joining}). With them a
     * submission in such a transaction wakes workers as soon as it commits; without them they find the task when they look
     * the next time. They are off unless this is called, because {@code NOTIFY} in a transaction makes the commits of all such
     * transactions of the database wait for each other: fine for some hundreds in a second, not for thousands.
     *
     * @param hints whether
     * @return new settings
     */
    public PostgresSettings withJoinedHints(boolean hints) {
        return new PostgresSettings(
                schema, lockLimit, answerLimit, connections, migrate, listen, hints, sharedFrom, clock);
    }

    /** For tests: how many tasks of a lane share a lease at the least. */
    PostgresSettings withSharedLeasesFrom(int tasks) {
        return new PostgresSettings(
                schema, lockLimit, answerLimit, connections, migrate, listen, joinedHints, tasks, clock);
    }

    /** For tests: a clock that decides time instead of the database's. */
    PostgresSettings withClock(InstantSource newClock) {
        return new PostgresSettings(
                schema, lockLimit, answerLimit, connections, migrate, listen, joinedHints, sharedFrom, newClock);
    }

    /**
     * The name of the schema.
     *
     * @return the name
     */
    public String schema() {
        return schema;
    }

    Duration answerLimit() {
        return answerLimit;
    }

    int connections() {
        return connections;
    }

    Migration migration() {
        return migrate ? Migration.ALLOWED : Migration.FORBIDDEN;
    }

    boolean listen() {
        return listen;
    }

    int sharedFrom() {
        return sharedFrom;
    }

    /** What the store's operations need to know. */
    StoreSettings forOperations() {
        return new StoreSettings(schema, lockLimit, joinedHints, new StoreClock(clock));
    }
}
