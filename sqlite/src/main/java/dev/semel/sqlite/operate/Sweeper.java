package dev.semel.sqlite.operate;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.table.EffectRows;
import dev.semel.sqlite.table.FlowRows;
import dev.semel.sqlite.table.KeyRecords;
import dev.semel.sqlite.table.KeyRecords.Found;
import dev.semel.sqlite.table.TagRows;
import dev.semel.sqlite.transaction.Catalog;
import dev.semel.sqlite.transaction.Names;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.Operated;
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
 * The sweep, without an index that every submission or completion would have to pay for.
 *
 * <p>A reader walks the tables and collects what may be deleted; the writer reads each of these rows again and deletes it.
 * Tasks are stored in order of creation, and a task that was created after the shortest retention began cannot have ended
 * before it, so the walk ends there: it meets what is deleted, and the little that is kept longer. Records have no such order
 * and are walked as a whole. Both walks continue where the last call ended, so a round of many calls is one walk of each, and
 * ends.
 */
public final class Sweeper {

    // Rows that one call walks past: some tens of milliseconds, on a reader.
    private static final int MOST_ROWS = 50_000;

    // Rows of one step. If all of a step are too young, so are all that follow; one alone may owe its position to a
    // clock that was wrong.
    private static final int STEP = 1_000;

    private static final String WALK_TASKS = """
            SELECT seq, lane, state, created_at, finished_at,
              substr(retry, 1, 1) = '~' OR EXISTS (SELECT 1 FROM semel_flow WHERE task = semel_task.id)
            FROM semel_task WHERE seq > ? ORDER BY seq LIMIT ?
            """;

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
            RETURNING id, state, scope, key, former_hash IS NULL, coalesce(lineage, id), retry
            """;

    private static final String FIND_TASK = """
            SELECT seq, finished_at, scope, key, coalesce(lineage, id) FROM semel_task WHERE id = ?
            """;

    private static final String REMOVE_ATTEMPTS = "DELETE FROM semel_attempt WHERE task = ?";

    /**
     * The position of a round: one walk through all tasks and one through all records. Two sweeps at the same time may walk
     * the same rows: what one deletes the other does not find.
     */
    private record Place(long seq, boolean tasksDone, int scope, String key, boolean recordsDone) {

        static final Place START = new Place(0, false, 0, "", false);
    }

    private final AtomicReference<Place> place = new AtomicReference<>(Place.START);

    /** A task that may be deleted. */
    private record OldTask(long seq, long finishedAt) {}

    /** A record that may be deleted. */
    private record OldRecord(int scope, String key) {}

    /**
     * What a walk found.
     *
     * @param more whether it ended before it had seen everything
     */
    public record Old(List<OldTask> tasks, List<OldRecord> records, boolean more) {}

    /** Collects what may be deleted. */
    public Old walk(Catalog catalog, SweepRequest request, long now) throws SQLException {
        Place from = place.get();
        TaskWalk tasks = new TaskWalk(request, now, from.seq());
        RecordWalk records = new RecordWalk(now, from);
        boolean tasksDone = from.tasksDone() || tasks.walk(catalog);
        boolean recordsDone = from.recordsDone() || records.walk(catalog.session(), request.limit());
        boolean more = !(tasksDone && recordsDone);
        place.set(more ? new Place(tasks.position, tasksDone, records.scope, records.key, recordsDone) : Place.START);
        return new Old(tasks.old, records.old, more);
    }

    /** Deletes what may still be deleted. */
    public Swept remove(Transaction tx, Old old) throws SQLException {
        boolean effects = EffectRows.any(tx);
        boolean histories = FlowRows.any(tx);
        int tasks = 0;
        for (OldTask task : old.tasks()) {
            tasks += removeTask(tx, task, effects, histories) ? 1 : 0;
        }
        int records = 0;
        for (OldRecord record : old.records()) {
            records += removeRecord(tx, record, effects) ? 1 : 0;
        }
        return new Swept(tasks, records, old.more());
    }

    /** Deletes the data of one task that has ended. */
    static Operated erase(Transaction tx, TaskId id) throws SQLException {
        OldTask task;
        int scope;
        String key;
        TaskId lineage;
        try (ResultSet row = tx.sql(FIND_TASK).with(id).query()) {
            if (!row.next()) {
                return Operated.NOT_FOUND;
            }
            task = new OldTask(row.getLong(1), row.getLong(2));
            if (row.wasNull()) {
                return Operated.HELD;
            }
            scope = row.getInt(3);
            key = row.getString(4);
            lineage = ColumnValues.taskId(row, 5);
        }
        boolean effects = EffectRows.any(tx);
        if (!removeTask(tx, task, effects, FlowRows.any(tx))) {
            throw new IllegalStateException("Expected task " + id + " to be there in its own transaction");
        }
        if (effects) {
            EffectRows.eraseUnlessStored(tx, lineage, scope, key);
        }
        return Operated.APPLIED;
    }

    private static boolean removeTask(Transaction tx, OldTask task, boolean effects, boolean histories)
            throws SQLException {
        TaskId id;
        TaskId lineage;
        int scope;
        String key;
        String options;
        try (ResultSet row =
                tx.sql(REMOVE_TASK).with(task.seq()).with(task.finishedAt()).query()) {
            if (!row.next()) {
                return false;
            }
            id = ColumnValues.taskId(row, 1);
            scope = row.getInt(3);
            key = row.getString(4);
            lineage = ColumnValues.taskId(row, 6);
            options = row.getString(7);
            if (key != null && row.getBoolean(5)) {
                TaskState state = StoredEnums.state(row.getString(2));
                KeyRecords.remember(tx, scope, key, id, state, task.finishedAt());
            }
        }
        tx.sql(REMOVE_ATTEMPTS).with(task.seq()).update();
        TagRows.remove(tx, id, options);
        if (effects) {
            EffectRows.forgetUnlessContinued(tx, lineage, scope, key, null);
        }
        if (histories) {
            FlowRows.forget(tx, id);
        }
        return true;
    }

    private static boolean removeRecord(Transaction tx, OldRecord old, boolean effects) throws SQLException {
        Found found = KeyRecords.find(tx.session(), old.scope(), old.key());
        if (found == null
                || !found.windowPassed(tx.now())
                || found.state().isOpen()
                || KeyRecords.openFormer(tx, old.scope(), old.key()) != null) {
            return false;
        }
        KeyRecords.remove(tx, old.scope(), old.key(), found);
        if (effects) {
            EffectRows.forgetUnlessContinued(tx, found.lineage(), old.scope(), old.key(), null);
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
            this.shortest = shorter(shorter(shortestKept, request.deadRetention()), request.workflowRetention())
                    .toMillis();
        }

        private static Duration shorter(Duration a, Duration b) {
            return a.compareTo(b) < 0 ? a : b;
        }

        /** Walks as far as one call may; true at the end of the table. */
        boolean walk(Catalog catalog) throws SQLException {
            for (int rows = 0; rows < MOST_ROWS; rows += STEP) {
                boolean end = step(catalog);
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
        private boolean step(Catalog catalog) throws SQLException {
            int rows = 0;
            boolean allYoung = true;
            try (ResultSet row =
                    catalog.session().sql(WALK_TASKS).with(position).with(STEP).query()) {
                while (row.next() && old.size() <= request.limit()) {
                    rows++;
                    position = row.getLong(1);
                    allYoung &= row.getLong(4) + shortest > now;
                    long finishedAt = row.getLong(5);
                    if (finishedAt != 0 && now >= finishedAt + kept(row, catalog.names())) {
                        old.add(new OldTask(position, finishedAt));
                    }
                }
            }
            return rows < STEP || allYoung;
        }

        private long kept(ResultSet row, Names names) throws SQLException {
            return request.retentionOf(
                            names.lane(row.getInt(2)).queue(), StoredEnums.state(row.getString(3)), row.getBoolean(6))
                    .toMillis();
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

        boolean walk(Session session, int limit) throws SQLException {
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

        private boolean step(Session session, int limit) throws SQLException {
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
