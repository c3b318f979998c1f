package dev.semel.sqlite;

import dev.semel.sqlite.transaction.Database;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link SqliteTaskStore} behaves.
 *
 * @param clock this process's clock. The store uses the file's time, which follows the clocks of the processes on the file
 *     as far as they agree
 * @param create whether to create a file that is not there
 * @param joinedLimit how long a caller's own transaction may take submissions, counted from its first one: it holds
 *     SQLite's only write lock, and the heartbeats of all workers wait for that
 * @param lockLimit how long an operation waits for a lock that another connection holds before it fails
 * @param readers how many reads can run at the same time; they never wait for writes
 * @param foreignKeys whether foreign keys are enforced in the transactions in which handlers complete their tasks; SQLite
 *     does not allow to change that inside a transaction
 * @param elapsed what measures how much time has passed, whatever the clock shows; null for the machine's uptime
 * @param permissions the permissions of a file that the store creates, and of the files beside it. A file that exists keeps its
 *     own. Without effect where the file system has no POSIX permissions
 */
public record SqliteSettings(
        InstantSource clock,
        boolean create,
        Duration joinedLimit,
        Duration lockLimit,
        int readers,
        boolean foreignKeys,
        @Nullable InstantSource elapsed,
        Set<PosixFilePermission> permissions) {

    /** The most reads at the same time. */
    public static final int MAX_READERS = 64;

    // Inputs and results are in the file: of all users of the machine only the one who created it may read them.
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    /** Checks each setting. */
    public SqliteSettings {
        Limits.notNull("clock", clock);
        Limits.notNull("set of permissions", permissions)
                .forEach(permission -> Limits.notNull("permission", permission));
        permissions = Set.copyOf(permissions);
        if (!permissions.containsAll(OWNER_ONLY)) {
            throw new InvalidInput("The owner of a SQLite file reads and writes it, but got the permissions \""
                    + PosixFilePermissions.toString(permissions) + "\". Add rw for the owner.");
        }
        Limits.positive("limit of joined transactions", joinedLimit);
        Limits.positive("limit of waiting for a lock", lockLimit);
        if (readers < 1 || readers > MAX_READERS) {
            throw new InvalidInput("A SQLite store has 1 to " + MAX_READERS + " readers, but got \"" + readers + "\".");
        }
    }

    /**
     * The system's clock, a file that is created, 5 s for joined transactions, 30 s for locks, 2 readers, foreign keys as
     * SQLite has them by default: not enforced. A new file can be read and written by its owner only.
     *
     * @return the settings
     */
    public static SqliteSettings standard() {
        return new SqliteSettings(
                InstantSource.system(),
                true,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                2,
                false,
                null,
                OWNER_ONLY);
    }

    /**
     * These settings with another clock.
     *
     * @param newClock the clock
     * @return new settings
     */
    public SqliteSettings withClock(InstantSource newClock) {
        return new SqliteSettings(newClock, create, joinedLimit, lockLimit, readers, foreignKeys, elapsed, permissions);
    }

    /**
     * These settings for a file that must be there, or may be created.
     *
     * @param mayCreate whether to create a file that is not there
     * @return new settings
     */
    public SqliteSettings withCreate(boolean mayCreate) {
        return new SqliteSettings(clock, mayCreate, joinedLimit, lockLimit, readers, foreignKeys, elapsed, permissions);
    }

    /**
     * These settings with another limit for joined transactions.
     *
     * @param limit the limit
     * @return new settings
     */
    public SqliteSettings withJoinedLimit(Duration limit) {
        return new SqliteSettings(clock, create, limit, lockLimit, readers, foreignKeys, elapsed, permissions);
    }

    /**
     * These settings with another limit for waiting for a lock.
     *
     * @param limit the limit
     * @return new settings
     */
    public SqliteSettings withLockLimit(Duration limit) {
        return new SqliteSettings(clock, create, joinedLimit, limit, readers, foreignKeys, elapsed, permissions);
    }

    /**
     * These settings with another number of readers.
     *
     * @param number how many reads can run at the same time
     * @return new settings
     */
    public SqliteSettings withReaders(int number) {
        return new SqliteSettings(clock, create, joinedLimit, lockLimit, number, foreignKeys, elapsed, permissions);
    }

    /**
     * These settings with foreign keys enforced in transactions of handlers, or not.
     *
     * @param enforced whether they are
     * @return new settings
     */
    public SqliteSettings withForeignKeys(boolean enforced) {
        return new SqliteSettings(clock, create, joinedLimit, lockLimit, readers, enforced, elapsed, permissions);
    }

    /**
     * These settings with another measure of elapsed time. For tests that move a clock by hand: they pass the same clock to
     * this method and to {@link #withClock}, so that a moved clock is time that has passed, and not a clock that was set.
     *
     * @param newElapsed a source that shows how much time has passed since an arbitrary moment
     * @return new settings
     */
    public SqliteSettings withElapsed(InstantSource newElapsed) {
        return new SqliteSettings(
                clock,
                create,
                joinedLimit,
                lockLimit,
                readers,
                foreignKeys,
                Limits.notNull("measure of elapsed time", newElapsed),
                permissions);
    }

    /**
     * These settings with other permissions for a file that the store creates, for example for programs of several users of
     * one group: {@code PosixFilePermissions.fromString("rw-rw----")}.
     *
     * @param newPermissions the permissions; the owner reads and writes
     * @return new settings
     */
    public SqliteSettings withPermissions(Set<PosixFilePermission> newPermissions) {
        return new SqliteSettings(clock, create, joinedLimit, lockLimit, readers, foreignKeys, elapsed, newPermissions);
    }

    Database.Options options() {
        return new Database.Options(clock, elapsed, create, permissions, lockLimit, readers);
    }
}
