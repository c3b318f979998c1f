package dev.semel.jdbc;

import dev.semel.jdbc.SqliteNames.Lane;
import dev.semel.jdbc.SqliteRecords.Found;
import dev.semel.jdbc.SqliteRecords.Holder;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.TaskOptions;
import dev.semel.task.Decision;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Submitting, in the writer's transaction or in a caller's own.
 *
 * <p>The common case is written for: a task that is new is inserted without looking whether it is there, and its record as
 * well. Only where one of the inserts finds something is anything read. So a task costs one statement, with a key two.
 */
final class SqliteSubmissions {

    private static final String INSERT_PLAIN = """
            INSERT INTO semel_task (id, lane, state, priority, order_at, due_at, created_at, input)
            VALUES (?, ?, 'pending', ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String INSERT = """
            INSERT INTO semel_task (id, lane, state, priority, order_at, due_at, created_at, input, run, lineage, after_id,
              retry, timeout, scope, key, ttl)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String FIND_REPEATED = "SELECT run, state, created_at FROM semel_task WHERE id = ?";
    private static final String INPUT_AND_RESULT = "SELECT input, result FROM semel_task WHERE seq = ?";
    private static final String RESULT = "SELECT NULL, result FROM semel_task WHERE seq = ?";

    private static final long PRIORITY_STEP = Limits.PRIORITY_STEP.toMillis();

    private final SqliteTransaction tx;
    private final SqliteSession session;

    SqliteSubmissions(SqliteTransaction tx, SqliteSession session) {
        this.tx = tx;
        this.session = session;
    }

    List<Submitted> submit(List<NewTask> batch) throws SQLException {
        List<Submitted> answers = new ArrayList<>(batch.size());
        for (NewTask task : batch) {
            NewTask.KeyRequest key = task.key();
            answers.add(key == null ? withoutKey(task) : withKey(task, key));
        }
        return answers;
    }

    /** What becomes of a task in the table: everything that the submission itself does not say. */
    private record Place(
            int run,
            @Nullable TaskId continued,
            @Nullable TaskId after,
            @Nullable Integer scope) {

        static final Place FIRST = new Place(1, null, null, null);

        TaskState state() {
            return after == null ? TaskState.PENDING : TaskState.WAITING;
        }
    }

    private Submitted withoutKey(NewTask task) throws SQLException {
        Lane lane = tx.names().lane(task.tenant(), task.queue(), task.type());
        return insert(task, lane, Place.FIRST) ? created(task.id(), Place.FIRST) : accepted(task.id());
    }

    private Submitted withKey(NewTask task, NewTask.KeyRequest key) throws SQLException {
        Lane lane = tx.names().lane(task.tenant(), task.queue(), task.type());
        int scope = tx.names().scope(key.identity());
        String text = key.identity().key();
        // Duplicates come in swarms: where the last one was found, this one is looked for before anything is inserted.
        Found found = tx.expectsDuplicates() ? SqliteRecords.find(session, scope, text, task.id()) : null;
        Place first = new Place(1, null, null, scope);
        if (found == null && SqliteRecords.add(tx, scope, text, holder(task, lane, first))) {
            tx.expectDuplicates(false);
            if (insert(task, lane, first)) {
                return created(task.id(), first);
            }
            // Sent before, and the key was released since: it stays free.
            SqliteRecords.undoAdd(tx, scope, text);
            return accepted(task.id());
        }
        tx.expectDuplicates(true);
        if (found == null) {
            found = Objects.requireNonNull(SqliteRecords.find(session, scope, text, task.id()));
        }
        if (found.taskId().equals(task.id())) {
            return new Submitted.Created(
                    task.id(), found.run(), found.state(), Instant.ofEpochMilli(found.createdAt()));
        }
        return found.otherThere() ? accepted(task.id()) : decided(task, key, lane, scope, found);
    }

    private Submitted decided(NewTask task, NewTask.KeyRequest key, Lane lane, int scope, Found found)
            throws SQLException {
        Decision decision = Decision.decide(
                new Decision.Existing(
                        tx.names().lane(found.lane()).type(),
                        found.inputHash(),
                        found.state(),
                        found.run(),
                        found.windowPassed(tx.now())),
                new Decision.Request(task.type(), key.inputHash()),
                key.policy());
        return switch (decision) {
            case Decision.Create() -> takeOver(task, lane, found, place(1, null, key, scope));
            case Decision.Rerun(int run, boolean sameLineage) ->
                takeOver(task, lane, found, place(run, sameLineage ? found.lineage() : null, key, scope));
            case Decision.Replace(int run) -> replace(task, lane, found, place(run, null, key, scope));
            case Decision.Return(boolean differs) -> new Submitted.Returned(existing(found, false), differs);
            case Decision.Reject(boolean differs) -> new Submitted.Rejected(existing(found, false), differs);
            case Decision.Conflict() -> new Submitted.Conflicted(existing(found, true));
        };
    }

    private Place place(int run, @Nullable TaskId continued, NewTask.KeyRequest key, int scope) throws SQLException {
        return new Place(
                run,
                continued,
                SqliteRecords.openFormer(tx, scope, key.identity().key()),
                scope);
    }

    private Submitted takeOver(NewTask task, Lane lane, Found found, Place place) throws SQLException {
        if (!insert(task, lane, place)) {
            throw new IllegalStateException("Task " + task.id() + " was not there a moment ago");
        }
        NewTask.KeyRequest key = Objects.requireNonNull(task.key());
        int scope = Objects.requireNonNull(place.scope());
        SqliteRecords.takeOver(tx, scope, key.identity().key(), found, holder(task, lane, place));
        return created(task.id(), place);
    }

    /** The old task ends first. Only a running one cannot at once: then the new one waits for it. */
    private Submitted replace(NewTask task, Lane lane, Found found, Place place) throws SQLException {
        long seq = Objects.requireNonNull(found.seq(), "an open task is stored");
        if (found.state() == TaskState.RUNNING) {
            SqliteTasks.askToCancel(tx, seq);
            return takeOver(task, lane, found, new Place(place.run(), null, found.taskId(), place.scope()));
        }
        // It may wait for one that still runs; that one is an open former holder, so the new one waits for it as well.
        SqliteTasks.cancel(tx, seq, found.taskId());
        return takeOver(task, lane, found, place);
    }

    /** Inserts a task; false if this id was accepted before. */
    private boolean insert(NewTask task, Lane lane, Place place) throws SQLException {
        TaskOptions options = task.options();
        long dueAt = SqliteValues.millis(task.start().dueAt(tx.nowInstant()));
        long orderAt = dueAt - options.priority() * PRIORITY_STEP;
        boolean plain = place.scope() == null && options.retry() == null && options.timeout() == null;
        boolean pending = place.state() == TaskState.PENDING;
        SqliteStatement insert =
                tx.sql(plain ? INSERT_PLAIN : INSERT).with(task.id()).with(lane.id());
        if (!plain) {
            insert.with(SqliteWords.word(place.state()));
        }
        insert.with(options.priority())
                .with(pending ? (Long) orderAt : null)
                .with(dueAt)
                .with(tx.now())
                .with(task.input());
        if (!plain) {
            rest(insert, task, place);
        }
        if (insert.update() == 0) {
            return false;
        }
        if (pending) {
            tx.claimable(lane, dueAt);
        }
        return true;
    }

    private static void rest(SqliteStatement insert, NewTask task, Place place) throws SQLException {
        TaskOptions options = task.options();
        NewTask.KeyRequest key = task.key();
        insert.with(place.run())
                .with(place.continued() == null ? null : SqliteValues.bytes(place.continued()))
                .with(place.after() == null ? null : SqliteValues.bytes(place.after()))
                .with(options.retry() == null ? null : options.retry().text())
                .with(
                        options.timeout() == null
                                ? null
                                : (Long) options.timeout().toMillis())
                .with(place.scope() == null ? null : Long.valueOf(place.scope()))
                .with(key == null ? null : key.identity().key())
                .with(key == null ? null : (Long) key.ttl().toMillis());
    }

    private Holder holder(NewTask task, Lane lane, Place place) {
        NewTask.KeyRequest key = Objects.requireNonNull(task.key());
        return new Holder(
                task.id(),
                lane.id(),
                key.inputHash(),
                place.run(),
                place.continued(),
                tx.now(),
                SqliteValues.after(tx.now(), key.ttl()));
    }

    private Submitted created(TaskId id, Place place) {
        return new Submitted.Created(id, place.run(), place.state(), tx.nowInstant());
    }

    /** The answer to a task that was accepted before, whatever became of it and of its key since. */
    private Submitted accepted(TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(FIND_REPEATED).with(id).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Task " + id + " is there and cannot be found");
            }
            return new Submitted.Created(
                    id, row.getInt(1), SqliteWords.state(row.getString(2)), SqliteValues.instant(row, 3));
        }
    }

    private ExistingTask existing(Found found, boolean withInput) throws SQLException {
        String input = null;
        String result = null;
        if (found.seq() != null && (withInput || !found.state().isOpen())) {
            try (ResultSet row = tx.sql(withInput ? INPUT_AND_RESULT : RESULT)
                    .with(found.seq())
                    .query()) {
                row.next();
                input = row.getString(1);
                result = row.getString(2);
            }
        }
        return new ExistingTask(
                found.taskId(),
                tx.names().lane(found.lane()).type(),
                found.run(),
                found.state(),
                found.inputHash(),
                Instant.ofEpochMilli(found.createdAt()),
                found.finishedAt(),
                found.seq() == null,
                input,
                result);
    }
}
