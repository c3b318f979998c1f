package dev.semel.sqlite.time;

import dev.semel.jdbc.SqlScript;
import dev.semel.sqlite.sql.Session;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file's time, by which a store on SQLite decides what is due and what has expired.
 *
 * <p>It advances with the time that passes, and follows the clocks of the processes. It never falls. It jumps ahead only as far
 * as the clocks of all processes at work on the file agree; a process whose clock is further ahead, or behind, uses the
 * file's time. A jump moves the leases that are live along with it, so that no lease ends because a clock was set.
 */
public final class FileClock {

    private static final Logger LOG = LoggerFactory.getLogger(FileClock.class);

    private static final String ROW = "SELECT time, boot, uptime, repairs FROM semel_clock WHERE id = 1";
    private static final String WRITE = """
            INSERT INTO semel_clock (id, time, boot, uptime) VALUES (1, ?1, ?2, ?3)
            ON CONFLICT (id) DO UPDATE SET time = ?1, boot = ?2, uptime = ?3
            """;

    // Keeps the distance of time and uptime.
    private static final String RAISE =
            "UPDATE semel_clock SET uptime = uptime + ?1 - time, time = ?1 WHERE id = 1 AND time < ?1";

    // A process of another boot of this machine is dead. Where boots are not known, anyone may be alive.
    private static final String LEAST_AHEAD = """
            SELECT min(ahead) FROM semel_process
            WHERE id <> ?1 AND until > ?2 AND (boot = '' OR boot = ?3)
            """;
    private static final String ENTER = """
            INSERT INTO semel_process (id, boot, ahead, until) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET ahead = ?3, until = ?4
            """;
    private static final String LEAVE = "DELETE FROM semel_process WHERE id = ?";
    private static final String FORGET_DEAD = "DELETE FROM semel_process WHERE until < ?";

    private static final String MOVE_PROCESSES =
            "UPDATE semel_process SET ahead = max(ahead - ?1, 0), until = until + ?1 WHERE until > ?2";
    private static final String MOVE_LEASES = """
            UPDATE semel_task SET due_at = due_at + ?1, order_at = order_at + ?1
            WHERE state = 'running' AND due_at > ?2
            """;
    private static final String MOVE_GUARD =
            "UPDATE semel_guard SET lease_until = lease_until + ?1 WHERE lease_until > ?2";
    private static final String HAS_TABLE = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?";

    /** How far clocks may be apart and still agree, where it is known how much time has passed. */
    private static final long TOLERANCE = 1_000;

    /** The same where it is not known: the file may simply not have been used for so long. */
    private static final long WIDE_TOLERANCE = 60_000;

    /** From this difference on it is reported that a clock is wrong. */
    public static final long REPORTED = 60_000;

    private static final long REPORT_EVERY = Duration.ofMinutes(10).toMillis();

    // The time is written this often at the most. In between it follows from the uptime.
    private static final long GRAIN = 250;

    // How long a process counts as at work after a write. Where uptimes are known this only delays a step of a clock
    // after a crash, so it is long; otherwise it also delays every restart after a crash.
    private static final long PRESENT = Duration.ofMinutes(10).toMillis();
    private static final long SHORTLY_PRESENT = Duration.ofMinutes(1).toMillis();

    private final Path file;
    private final InstantSource clock;
    private final Uptime uptime;
    private final long id = new SplittableRandom().nextLong();

    // What this process last saw as the file's time, at which uptime, and after how many repairs.
    private long seen;
    private long seenAt;
    private int repairs = -1;
    private long reportedAt = Long.MIN_VALUE;

    // What the file records of this process. Used by the writer only.
    private long presentUntil = Long.MIN_VALUE;
    private long recordedAhead;

    public FileClock(Path file, InstantSource clock, @Nullable InstantSource elapsed) {
        this.file = file;
        this.clock = clock;
        this.uptime = new Uptime(elapsed);
    }

    /** Whether the file has the tables of the file's time. */
    public static boolean isMade(Session session) throws SQLException {
        return hasTable(session, "semel_process");
    }

    /** The time in the file; 0 if it has none. */
    public static long stored(Session session) throws SQLException {
        Row row = isMade(session) ? row(session) : null;
        return row == null ? 0 : row.time();
    }

    /** The statements that create the tables of the file's time, unless they are there. */
    public static String script() {
        return SqlScript.read(FileClock.class, "clock.sql");
    }

    /**
     * What the time is.
     *
     * @param now the file's time
     * @param step how far the file's time jumps ahead with it
     * @param ahead how far this process's own clock is ahead of it; negative if it is behind
     */
    private record Reading(long now, long step, long ahead) {}

    private record Row(long time, String boot, long uptime, int repairs) {}

    /** The file's time, for a transaction that only reads. */
    public long read(Session session) throws SQLException {
        return reading(session, row(session)).now();
    }

    /** The file's time, for a transaction that holds the write lock and may roll back unnoticed. */
    public long advance(Session session) throws SQLException {
        Row row = row(session);
        Reading reading = reading(session, row);
        write(session, row, reading, GRAIN);
        return reading.now();
    }

    /** The file's time, for a transaction of the writer, which also records that this process is at work. */
    public Now begin(Session session) throws SQLException {
        Row row = row(session);
        Reading reading = reading(session, row);
        // The first write of a process always counts, so that it is noticed if it gets lost.
        boolean written = write(session, row, reading, isPresent() ? GRAIN : 1);
        long now = reading.now();
        if (reading.step() > 0
                || Math.abs(reading.ahead() - recordedAhead) > TOLERANCE
                || presentUntil < now + present() / 2) {
            if (presentUntil == Long.MIN_VALUE) {
                session.sql(FORGET_DEAD)
                        .with(now - Duration.ofDays(1).toMillis())
                        .update();
            }
            present(session, reading.ahead(), Math.max(presentUntil + reading.step(), now + present()));
        }
        return new Now(now, written);
    }

    /**
     * The time of a transaction.
     *
     * @param millis the file's time
     * @param written whether the transaction writes it to the file
     */
    public record Now(long millis, boolean written) {}

    /**
     * Writes the time of a transaction whatever the grain, because it decided something by the millisecond: the clocks of two
     * processes differ by a few, and the time must not fall between them.
     */
    public static void raise(Session session, long now) throws SQLException {
        session.sql(RAISE).with(now).update();
    }

    /** Records in the writer's transaction that this process has given a lease until this time. */
    public void leased(Session session, long until) throws SQLException {
        if (until > presentUntil) {
            // A little more, so that not every claim and heartbeat writes it.
            present(session, recordedAhead, until + SHORTLY_PRESENT);
        }
    }

    /** Forgets what the writer's transaction recorded, because it was rolled back. */
    public void rolledBack() {
        presentUntil = Long.MIN_VALUE;
    }

    /** Records in a transaction of the writer that this process ends. */
    public boolean leave(Session session) throws SQLException {
        return session.sql(LEAVE).with(id).update() > 0;
    }

    /** Whether the file may know of this process. */
    public boolean isPresent() {
        return presentUntil != Long.MIN_VALUE;
    }

    /** The file's time as far as it is known without reading the file: for waiting and for hints. */
    public synchronized long estimate() {
        return repairs < 0 ? clock.millis() : seen + Math.max(0, uptime.millis() - seenAt);
    }

    private void present(Session session, long ahead, long until) throws SQLException {
        session.sql(ENTER).with(id).with(uptime.boot()).with(ahead).with(until).updateOne();
        presentUntil = until;
        recordedAhead = ahead;
    }

    private long present() {
        return uptime.boot().isEmpty() ? SHORTLY_PRESENT : PRESENT;
    }

    private static @Nullable Row row(Session session) throws SQLException {
        try (ResultSet row = session.sql(ROW).query()) {
            return row.next() ? new Row(row.getLong(1), row.getString(2), row.getLong(3), row.getInt(4)) : null;
        }
    }

    private boolean write(Session session, @Nullable Row row, Reading reading, long grain) throws SQLException {
        if (row != null && reading.now() < row.time() + grain && row.boot().equals(uptime.boot())) {
            return false;
        }
        if (reading.step() > 0) {
            moveLeases(session, reading.step(), reading.now() - reading.step());
        }
        session.sql(WRITE)
                .with(reading.now())
                .with(uptime.boot())
                .with(uptime.millis())
                .updateOne();
        return true;
    }

    private synchronized Reading reading(Session session, @Nullable Row row) throws SQLException {
        long own = clock.millis();
        long passed = uptime.millis();
        Reading reading = row == null ? new Reading(own, 0, 0) : reading(session, row, own, passed);
        // Without the jump: it counts once it is committed and read again, and moves leases only then.
        seen = reading.now() - reading.step();
        seenAt = passed;
        repairs = row == null ? 0 : row.repairs();
        return reading;
    }

    private Reading reading(Session session, Row row, long own, long passed) throws SQLException {
        boolean known = repairs == row.repairs();
        long floor = known ? Math.max(row.time(), seen + passed - seenAt) : row.time();
        boolean comparable = !row.boot().isEmpty() && row.boot().equals(uptime.boot());
        // The uptime only explains why a clock is ahead. It never moves the time beyond the clock, because containers
        // exist that show an uptime of their own.
        long explained = comparable ? row.time() + Math.max(0, passed - row.uptime()) : row.time();
        long expected = Math.max(floor, Math.min(explained, own));
        long ahead = own - expected;
        if (ahead <= (comparable || known ? TOLERANCE : WIDE_TOLERANCE)) {
            if (ahead < -REPORTED && isToBeReported(passed)) {
                LOG.warn(
                        "Clock is behind the time of the SQLite file, which Semel uses: file=\"{}\" clock={} file_time={}."
                                + " Correct the clock; if the file's time is wrong, run \"semel doctor\".",
                        file,
                        Instant.ofEpochMilli(own),
                        Instant.ofEpochMilli(expected));
            }
            long now = Math.max(own, expected);
            return new Reading(now, 0, own - now);
        }
        return ahead(session, row, own, expected);
    }

    /** Whether a clock that is ahead is followed: only as far as those of all others at work agree. */
    private Reading ahead(Session session, Row row, long own, long expected) throws SQLException {
        long ahead = own - expected;
        Long agreed = null;
        try (ResultSet least = session.sql(LEAST_AHEAD)
                .with(id)
                .with(expected)
                .with(uptime.boot())
                .query()) {
            if (least.next()) {
                long millis = least.getLong(1);
                agreed = least.wasNull() ? null : (Long) millis;
            }
        }
        if (agreed != null && agreed + TOLERANCE < ahead) {
            if (ahead > REPORTED && isToBeReported(uptime.millis())) {
                LOG.warn(
                        "Clock is ahead of the time of the SQLite file and other processes at work on it do not agree, so Semel"
                                + " uses the file's time: file=\"{}\" clock={} file_time={}. Correct the clocks.",
                        file,
                        Instant.ofEpochMilli(own),
                        Instant.ofEpochMilli(expected));
            }
            return new Reading(expected, 0, ahead);
        }
        boolean sameBoot = row.boot().equals(uptime.boot());
        if (ahead > REPORTED && sameBoot && isToBeReported(uptime.millis())) {
            LOG.warn(
                    "Time of the SQLite file jumps ahead with the clock, more than time has passed: file=\"{}\" from={} to={}."
                            + " Windows and delays end earlier by as much. If the clock is wrong, correct it and run"
                            + " \"semel doctor\".",
                    file,
                    Instant.ofEpochMilli(expected),
                    Instant.ofEpochMilli(own));
        }
        // After a start of the machine all leases are those of the dead, and need not last longer.
        return new Reading(own, sameBoot ? ahead : 0, 0);
    }

    private boolean isToBeReported(long passed) {
        if (reportedAt != Long.MIN_VALUE && passed - reportedAt < REPORT_EVERY) {
            return false;
        }
        reportedAt = passed;
        return true;
    }

    /** Moves leases that were live before a jump along with it. */
    private static void moveLeases(Session session, long step, long before) throws SQLException {
        session.sql(MOVE_PROCESSES).with(step).with(before).update();
        if (hasTable(session, "semel_task")) {
            session.sql(MOVE_LEASES).with(step).with(before).update();
        }
        if (hasTable(session, "semel_guard")) {
            session.sql(MOVE_GUARD).with(step).with(before).update();
        }
    }

    public static boolean hasTable(Session session, String name) throws SQLException {
        try (ResultSet count = session.sql(HAS_TABLE).with(name).query()) {
            return count.next() && count.getInt(1) > 0;
        }
    }
}
