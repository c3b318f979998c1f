package dev.semel.jdbc;

import dev.semel.jdbc.SqliteRecords.Found;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sweeping, without an index that every submission or completion would have to pay for.
 *
 * <p>A reader walks the tables and notes what may go; the writer looks at each of these again and removes it. Tasks lie in
 * order of creation, and a task that was made after the shortest retention began cannot have ended before it, so the walk
 * ends there: it meets what goes, and the little that is kept longer. Records have no such order and are walked as a whole.
 * Both walks go on where the last call ended, so a round of many calls is one walk of each, and ends.
 */
final class SqliteSweeps {

    // Rows that one call walks past: some tens of milliseconds, on a reader.
    private static final int MOST_ROWS = 50_000;

    // Rows of one step. If all of a step are too young, so are all that follow; one alone may owe its place to a clock
    // that
    // was wrong.
    private static final int STEP = 1_000;

    private static final String WALK_TASKS =
            "SELECT seq, lane, state, created_at, finished_at FROM semel_task WHERE seq > ? ORDER BY seq LIMIT ?";

    private static final String WALK_RECORDS = """
            SELECT scope, key, expires_at <= ?3
              AND NOT EXISTS (
                SELECT 1 FROM semel_task WHERE id = r.task_id AND state IN ('pending', 'running', 'waiting'))
              AND NOT EXISTS (
                SELECT 1 FROM semel_task INDEXED BY semel_task_former
                WHERE former_hash IS NOT NULL AND scope = r.scope AND key = r.key
                  AND state IN ('pending', 'running', 'waiting'))
            FROM semel_record r WHERE (scope, key) > (?1, ?2) ORDER BY scope, key LIMIT ?4
            """;

    private static final String REMOVE_TASK = """
            DELETE FROM semel_task WHERE seq = ? AND finished_at = ?
            RETURNING id, state, scope, key, former_hash IS NULL, coalesce(lineage, id)
            """;

    private static final String REMOVE_ATTEMPTS = "DELETE FROM semel_attempt WHERE task = ?";

    /**
     * How far a round has come: one walk through all tasks and one through all records. Two sweeps at the same time may walk
     * the same way: what one removes the other does not find.
     */
    private record Place(long seq, boolean tasksDone, int scope, String key, boolean recordsDone) {

        static final Place START = new Place(0, false, 0, "", false);
    }

    private final AtomicReference<Place> place = new AtomicReference<>(Place.START);

    /** A task that may go. */
    private record OldTask(long seq, long finishedAt) {}

    /** A record that may go. */
    private record OldRecord(int scope, String key) {}

    /**
     * What a walk found.
     *
     * @param more whether it ended before it had seen everything
     */
    record Old(List<OldTask> tasks, List<OldRecord> records, boolean more) {}

    /** Notes what may go. */
    Old walk(SqliteSession session, SqliteNames names, SweepRequest request, long now) throws SQLException {
        Place from = place.get();
        TaskWalk tasks = new TaskWalk(request, now, from.seq());
        RecordWalk records = new RecordWalk(now, from);
        boolean tasksDone = from.tasksDone() || tasks.walk(session, names);
        boolean recordsDone = from.recordsDone() || records.walk(session, request.limit());
        boolean more = !(tasksDone && recordsDone);
        place.set(more ? new Place(tasks.position, tasksDone, records.scope, records.key, recordsDone) : Place.START);
        return new Old(tasks.old, records.old, more);
    }

    /** Removes what may still go. */
    Swept remove(SqliteTransaction tx, SqliteSession session, Old old) throws SQLException {
        boolean effects = SqliteEffects.any(tx);
        int tasks = 0;
        for (OldTask task : old.tasks()) {
            tasks += removeTask(tx, task, effects) ? 1 : 0;
        }
        int records = 0;
        for (OldRecord record : old.records()) {
            records += removeRecord(tx, session, record, effects) ? 1 : 0;
        }
        return new Swept(tasks, records, old.more());
    }

    private static boolean removeTask(SqliteTransaction tx, OldTask task, boolean effects) throws SQLException {
        TaskId lineage;
        int scope;
        String key;
        try (ResultSet row =
                tx.sql(REMOVE_TASK).with(task.seq()).with(task.finishedAt()).query()) {
            if (!row.next()) {
                return false;
            }
            scope = row.getInt(3);
            key = row.getString(4);
            lineage = SqliteValues.taskId(row, 6);
            if (key != null && row.getBoolean(5)) {
                TaskId id = SqliteValues.taskId(row, 1);
                TaskState state = SqliteWords.state(row.getString(2));
                SqliteRecords.remember(tx, scope, key, id, state, task.finishedAt());
            }
        }
        tx.sql(REMOVE_ATTEMPTS).with(task.seq()).update();
        if (effects) {
            SqliteEffects.forgetUnlessContinued(tx, lineage, scope, key, null);
        }
        return true;
    }

    private static boolean removeRecord(SqliteTransaction tx, SqliteSession session, OldRecord old, boolean effects)
            throws SQLException {
        Found found = SqliteRecords.find(session, old.scope(), old.key());
        if (found == null
                || !found.windowPassed(tx.now())
                || found.state().isOpen()
                || SqliteRecords.openFormer(tx, old.scope(), old.key()) != null) {
            return false;
        }
        SqliteRecords.remove(tx, old.scope(), old.key(), found);
        if (effects) {
            SqliteEffects.forgetUnlessContinued(tx, found.lineage(), old.scope(), old.key(), null);
        }
        return true;
    }

    /** Walks tasks from a place towards the end. */
    private static final class TaskWalk {

        private final SweepRequest request;
        private final long now;
        private final long shortest;
        private final List<OldTask> old = new ArrayList<>();
        private long position;

        TaskWalk(SweepRequest request, long now, long start) {
            this.request = request;
            this.now = now;
            this.position = start;
            Duration shortestKept = request.byQueue().values().stream().reduce(request.retention(), TaskWalk::shorter);
            this.shortest = shorter(shortestKept, request.deadRetention()).toMillis();
        }

        private static Duration shorter(Duration a, Duration b) {
            return a.compareTo(b) < 0 ? a : b;
        }

        /** Walks as far as one call may; true at the end of the table. */
        boolean walk(SqliteSession session, SqliteNames names) throws SQLException {
            for (int rows = 0; rows < MOST_ROWS; rows += STEP) {
                boolean end = step(session, names);
                if (old.size() > request.limit()) {
                    // The one too many only shows that there is more; the next call finds it again.
                    OldTask last = old.remove(old.size() - 1);
                    position = last.seq() - 1;
                    return false;
                }
                if (end) {
                    return true;
                }
            }
            return false;
        }

        /** Walks some rows; true if there is nothing behind them. */
        private boolean step(SqliteSession session, SqliteNames names) throws SQLException {
            int rows = 0;
            boolean allYoung = true;
            try (ResultSet row =
                    session.sql(WALK_TASKS).with(position).with(STEP).query()) {
                while (row.next() && old.size() <= request.limit()) {
                    rows++;
                    position = row.getLong(1);
                    allYoung &= row.getLong(4) + shortest > now;
                    long finishedAt = row.getLong(5);
                    if (finishedAt != 0 && now >= finishedAt + kept(row, names)) {
                        old.add(new OldTask(position, finishedAt));
                    }
                }
            }
            return rows < STEP || allYoung;
        }

        private long kept(ResultSet row, SqliteNames names) throws SQLException {
            Duration kept = SqliteWords.state(row.getString(3)).isDead()
                    ? request.deadRetention()
                    : request.byQueue().getOrDefault(names.lane(row.getInt(2)).queue(), request.retention());
            return kept.toMillis();
        }
    }

    /** Walks records in the same way. */
    private static final class RecordWalk {

        private final long now;
        private final List<OldRecord> old = new ArrayList<>();
        private int scope;
        private String key;

        RecordWalk(long now, Place start) {
            this.now = now;
            this.scope = start.scope();
            this.key = start.key();
        }

        boolean walk(SqliteSession session, int limit) throws SQLException {
            for (int rows = 0; rows < MOST_ROWS; rows += STEP) {
                boolean end = step(session, limit);
                if (old.size() > limit) {
                    // The one too many only shows that there is more; the next call finds it again.
                    old.remove(old.size() - 1);
                    scope = old.get(old.size() - 1).scope();
                    key = old.get(old.size() - 1).key();
                    return false;
                }
                if (end) {
                    return true;
                }
            }
            return false;
        }

        private boolean step(SqliteSession session, int limit) throws SQLException {
            int rows = 0;
            try (ResultSet row = session.sql(WALK_RECORDS)
                    .with(scope)
                    .with(key)
                    .with(now)
                    .with(STEP)
                    .query()) {
                while (row.next() && old.size() <= limit) {
                    rows++;
                    scope = row.getInt(1);
                    key = row.getString(2);
                    if (row.getBoolean(3)) {
                        old.add(new OldRecord(scope, key));
                    }
                }
            }
            return rows < STEP;
        }
    }
}
