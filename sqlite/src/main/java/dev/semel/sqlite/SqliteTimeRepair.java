package dev.semel.sqlite;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.hint.HintFile;
import dev.semel.sqlite.hint.HintFile.CommitMark;
import dev.semel.sqlite.sql.ErrorTranslator;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.sqlite.time.Uptime;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnavailable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The repair of a SQLite file whose time a wrong clock has moved ahead.
 *
 * <p>The file's time never falls by itself, so it stays ahead after the clock was set right: what is submitted then is due by
 * the file's time, but windows, delays and retention that were set before end too early.
 */
public final class SqliteTimeRepair {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteTimeRepair.class);

    // No process of another boot of this machine is alive.
    private static final String AT_WORK =
            "SELECT count(*) FROM semel_process WHERE until > ?1 AND (boot = '' OR boot = ?2)";
    private static final String SET_BACK =
            "UPDATE semel_clock SET time = ?1, boot = ?2, uptime = ?3, repairs = repairs + 1 WHERE id = 1";
    private static final String FORGET_PROCESSES = "DELETE FROM semel_process";

    // What was due at once, or was put off by an attempt, by the wrong time. A start that a caller named stays as it
    // is: late does less harm than early.
    private static final String MOVE_TASKS = """
            UPDATE semel_task SET due_at = due_at - ?2, order_at = order_at - ?2
            WHERE due_at > ?1 AND (state = 'running' OR state = 'pending' AND (
              (attempt = 0 AND created_at > ?1 AND due_at <= created_at)
              OR EXISTS (SELECT 1 FROM semel_attempt WHERE task = seq AND ended_at > ?1)))
            """;
    private static final String WAKE_LANES = "UPDATE semel_lane SET wake_at = ?1 WHERE wake_at > ?1";
    private static final String LOWER_MARKS = "UPDATE semel_mark SET mark = ?1 * 1000000 WHERE mark > ?1 * 1000000";
    private static final String MOVE_GUARD =
            "UPDATE semel_guard SET lease_until = lease_until - ?2 WHERE lease_until > ?1";

    private SqliteTimeRepair() {}

    /**
     * What was done.
     *
     * @param from the file's time before
     * @param to the file's time now: the same if it was not ahead of the clock by more than a minute
     * @param tasks how many tasks were moved with it
     */
    public record Repaired(Instant from, Instant to, int tasks) {}

    /**
     * Sets the time of a file to the clock's, if it is ahead of that by more than a minute. Leases end and tasks that were due
     * at once or wait for a retry are due as if the time had been right; windows that began under the wrong time end later.
     *
     * @param file the database file, which must be there
     * @param clock a clock that is right
     * @return what was done
     * @throws StoreUnavailable if another program is at work on the file
     * @throws dev.semel.task.StoreUnusable if the file cannot be used
     */
    public static Repaired repair(Path file, InstantSource clock) {
        Limits.notNull("clock", clock);
        DatabaseFile database = DatabaseFile.at(file, false);
        try (Session session = database.openWriter(false)) {
            if (!session.beginImmediate()) {
                throw atWork(database.path());
            }
            try {
                Repaired repaired = repair(session, database, clock.millis());
                session.commit();
                if (!repaired.from().equals(repaired.to())) {
                    writeMark(database, repaired.to());
                }
                return repaired;
            } catch (SQLException | RuntimeException e) {
                session.rollback(e);
                throw e;
            }
        } catch (SQLException e) {
            throw ErrorTranslator.translated(database.path(), e);
        }
    }

    private static Repaired repair(Session session, DatabaseFile file, long now) throws SQLException {
        long time = FileClock.stored(session);
        Instant from = Instant.ofEpochMilli(time);
        long ahead = time - now;
        if (ahead <= FileClock.REPORTED) {
            return new Repaired(from, from, 0);
        }
        Uptime uptime = new Uptime(null);
        try (ResultSet row = session.sql(AT_WORK).with(time).with(uptime.boot()).query()) {
            if (row.next() && row.getInt(1) > 0) {
                throw atWork(file.path());
            }
        }
        session.sql(SET_BACK)
                .with(now)
                .with(uptime.boot())
                .with(uptime.millis())
                .updateOne();
        session.sql(FORGET_PROCESSES).update();
        int tasks = 0;
        if (FileClock.hasTable(session, "semel_task")) {
            tasks = session.sql(MOVE_TASKS).with(now).with(ahead).update();
            for (String sql : List.of(WAKE_LANES, LOWER_MARKS)) {
                session.sql(sql).with(now).update();
            }
        }
        if (FileClock.hasTable(session, "semel_guard")) {
            session.sql(MOVE_GUARD).with(now).with(ahead).update();
        }
        return new Repaired(from, Instant.ofEpochMilli(now), tasks);
    }

    /** Writes the commit mark: otherwise the next opening would report that the commits of the wrong time are missing. */
    private static void writeMark(DatabaseFile file, Instant time) {
        try {
            new HintFile(file.path())
                    .commitMark(new CommitMark(
                            time.toEpochMilli(), CommitMark.named(file.health().key())));
        } catch (IOException e) {
            LOG.debug("Commit mark not written: file=\"{}\"", file.path(), e);
        }
    }

    private static StoreUnavailable atWork(Path file) {
        return new StoreUnavailable("The time of the SQLite file \"" + file
                + "\" is not set back while other programs are at work on it, because their leases and windows would change."
                + " Stop them and try again. A program that was killed counts for ten minutes more.");
    }
}
