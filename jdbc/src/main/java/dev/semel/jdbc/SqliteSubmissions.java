package dev.semel.jdbc;

import dev.semel.jdbc.SqliteNames.Lane;
import dev.semel.jdbc.SqliteRecords.Found;
import dev.semel.jdbc.SqliteRecords.Holder;
import dev.semel.jdbc.SqliteRecords.Look;
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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Submitting, in the writer's transaction or in a caller's own.
 *
 * <p>A batch is done in parts, and a part with a few statements for all its items. The first part with keys is looked up.
 * After a part that was all new, the next is inserted without looking; only if one of its items turns out to be there is
 * that undone, and the part looked up.
 */
final class SqliteSubmissions {

    private static final SqliteMany INSERT_NEW = new SqliteMany(
            "INSERT INTO semel_task (id, lane, state, priority, order_at, due_at, created_at, input, retry, timeout,"
                    + " mutex, scope, key, ttl) VALUES ",
            "(?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            " ON CONFLICT (id) DO NOTHING");

    private static final String INSERT = """
            INSERT INTO semel_task (id, lane, priority, order_at, due_at, created_at, input, retry, timeout, mutex, scope,
              key, ttl, state, run, series, lineage, after_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String HAS_MUTEXES = "UPDATE semel_lane SET mutexes = 1 WHERE id = ? AND mutexes = 0";

    private static final String SAVEPOINT = "SAVEPOINT semel_unseen";
    private static final String RELEASE = "RELEASE semel_unseen";
    private static final String UNDO = "ROLLBACK TO semel_unseen";

    private static final String FIND_REPEATED = "SELECT run, state, created_at FROM semel_task WHERE id = ?";
    private static final String INPUT = "SELECT input FROM semel_task WHERE seq = ?";

    private static final long PRIORITY_STEP = Limits.PRIORITY_STEP.toMillis();

    private final SqliteTransaction tx;
    private final SqliteSession session;

    // Known to be new and answered as created, not inserted yet.
    private final List<Asked> fresh = new ArrayList<>();

    // Whether an item has changed the state of a task that a later one of its part may have been looked up with.
    private boolean outdated;

    SqliteSubmissions(SqliteTransaction tx, SqliteSession session) {
        this.tx = tx;
        this.session = session;
    }

    List<Submitted> submit(List<NewTask> batch) throws SQLException {
        List<Submitted> answers = new ArrayList<>(batch.size());
        while (answers.size() < batch.size()) {
            List<Asked> part = part(batch.subList(answers.size(), batch.size()));
            boolean keyed = part.get(0).task().key() != null;
            answers.addAll(keyed ? withKey(part, answers.isEmpty()) : withoutKey(part));
        }
        return answers;
    }

    /**
     * A submission with the numbers that stand for its names.
     *
     * @param scope that of its key; 0 without one
     */
    record Asked(NewTask task, Lane lane, int scope) {

        NewTask.KeyRequest request() {
            return Objects.requireNonNull(task.key());
        }
    }

    /** The first items of a batch that do not meet one another, so that they can be looked up and inserted together. */
    private List<Asked> part(List<NewTask> batch) throws SQLException {
        boolean keyed = batch.get(0).key() != null;
        List<Asked> part = new ArrayList<>();
        Set<Object> met = new HashSet<>();
        for (NewTask task : batch.subList(0, Math.min(batch.size(), SqliteMany.MOST))) {
            NewTask.KeyRequest key = task.key();
            boolean meets = !met.add(task.id())
                    || (key != null && !met.add(key.identity().key()));
            if (meets || (key != null) != keyed) {
                break;
            }
            Lane lane = tx.names().lane(task.tenant(), task.queue(), task.type());
            part.add(new Asked(task, lane, key == null ? 0 : tx.names().scope(key.identity())));
        }
        return part;
    }

    /** What becomes of a task in the table: everything that the submission itself does not say. */
    private record Place(
            int run,
            @Nullable TaskId series,
            @Nullable TaskId continued,
            @Nullable TaskId after) {

        static final Place FIRST = new Place(1, null, null, null);

        TaskState state() {
            return after == null ? TaskState.PENDING : TaskState.WAITING;
        }
    }

    private List<Submitted> withoutKey(List<Asked> part) throws SQLException {
        boolean allNew = insertNew(part) == part.size();
        claimable(part);
        List<Submitted> answers = new ArrayList<>(part.size());
        for (Asked asked : part) {
            TaskId id = asked.task().id();
            answers.add(allNew ? created(id, Place.FIRST) : accepted(id));
        }
        return answers;
    }

    private List<Submitted> withKey(List<Asked> part, boolean first) throws SQLException {
        // Duplicates come in swarms: what the last part met, this one probably meets as well. Nothing is known of the
        // first
        // part, and looking it up costs less than inserting it for nothing.
        if (first || tx.expectsDuplicates() || !insertUnseen(part)) {
            return lookedUp(part);
        }
        List<Submitted> answers = new ArrayList<>(part.size());
        for (Asked asked : part) {
            answers.add(created(asked.task().id(), Place.FIRST));
        }
        return answers;
    }

    /** Inserts tasks and records without looking; if any of them is there already, this inserts nothing and gives false. */
    private boolean insertUnseen(List<Asked> part) throws SQLException {
        tx.sql(SAVEPOINT).update();
        boolean allNew = SqliteRecords.addAll(tx, part) == part.size() && insertNew(part) == part.size();
        if (!allNew) {
            tx.sql(UNDO).update();
        }
        tx.sql(RELEASE).update();
        if (allNew) {
            claimable(part);
        }
        return allNew;
    }

    private List<Submitted> lookedUp(List<Asked> part) throws SQLException {
        List<Look> looks = SqliteRecords.findAll(session, part);
        outdated = false;
        List<Submitted> answers = new ArrayList<>(part.size());
        boolean duplicates = false;
        for (int i = 0; i < looks.size(); i++) {
            Look look = outdated
                    ? SqliteRecords.findAll(session, part.subList(i, i + 1)).get(0)
                    : looks.get(i);
            boolean isNew = look.record() == null && !look.taskThere();
            answers.add(isNew ? later(part.get(i)) : met(part.get(i), look));
            duplicates |= !isNew;
        }
        insertFresh();
        tx.expectDuplicates(duplicates);
        return answers;
    }

    private Submitted later(Asked asked) {
        fresh.add(asked);
        return created(asked.task().id(), Place.FIRST);
    }

    private void insertFresh() throws SQLException {
        if (SqliteRecords.addAll(tx, fresh) != fresh.size() || insertNew(fresh) != fresh.size()) {
            throw new IllegalStateException("Of " + fresh.size() + " new tasks some were not new a moment later");
        }
        claimable(fresh);
        fresh.clear();
    }

    private Submitted met(Asked asked, Look look) throws SQLException {
        TaskId id = asked.task().id();
        Found found = look.record();
        if (found != null && found.taskId().equals(id)) {
            return new Submitted.Created(id, found.run(), found.state(), Instant.ofEpochMilli(found.createdAt()));
        }
        // Without a record: its key was released since, and stays free.
        return found == null || look.taskThere() ? accepted(id) : decided(asked, found);
    }

    private Submitted decided(Asked asked, Found found) throws SQLException {
        NewTask.KeyRequest key = asked.request();
        Decision decision = Decision.decide(
                new Decision.Existing(
                        tx.names().lane(found.lane()).type(),
                        found.inputHash(),
                        found.state(),
                        found.run(),
                        found.windowPassed(tx.now())),
                new Decision.Request(asked.task().type(), key.inputHash()),
                key.policy());
        return switch (decision) {
            case Decision.Create() -> takeOver(asked, found, new Place(1, null, null, openFormer(asked)));
            case Decision.Rerun(int run, boolean sameLineage) -> {
                TaskId continued = sameLineage ? found.lineage() : null;
                yield takeOver(asked, found, new Place(run, found.seriesOrOwn(), continued, openFormer(asked)));
            }
            case Decision.Replace(int run) -> replace(asked, found, run);
            case Decision.Return(boolean differs) -> new Submitted.Returned(existing(found, null), differs);
            case Decision.Reject(boolean differs) -> new Submitted.Rejected(existing(found, null), differs);
            case Decision.Conflict() -> new Submitted.Conflicted(existing(found, input(found)));
        };
    }

    private @Nullable TaskId openFormer(Asked asked) throws SQLException {
        return SqliteRecords.openFormer(
                tx, asked.scope(), asked.request().identity().key());
    }

    private Submitted takeOver(Asked asked, Found found, Place place) throws SQLException {
        // Tasks are inserted in the order of their batch: that is their order of creation.
        insertFresh();
        insert(asked, place);
        String key = asked.request().identity().key();
        SqliteRecords.takeOver(tx, asked.scope(), key, found, holder(asked, place));
        if (!found.lineage().equals(place.continued())) {
            SqliteEffects.forgetUnlessContinued(tx, found.lineage(), asked.scope(), key, null);
        }
        return created(asked.task().id(), place);
    }

    /** The old task ends first. Only a running one cannot at once: then the new one waits for it. */
    private Submitted replace(Asked asked, Found found, int run) throws SQLException {
        long seq = Objects.requireNonNull(found.seq(), "an open task is stored");
        if (found.state() == TaskState.RUNNING) {
            SqliteTasks.askToCancel(tx, seq);
            return takeOver(asked, found, new Place(run, found.seriesOrOwn(), null, found.taskId()));
        }
        // It may wait for one that still runs; that one is an open former holder, so the new one waits for it as well.
        TaskId former = openFormer(asked);
        outdated |= SqliteTasks.cancel(tx, seq, found.taskId(), found.state());
        return takeOver(asked, found, new Place(run, found.seriesOrOwn(), null, former));
    }

    /** Inserts tasks that have no history, in their order; tells how many were not there before. */
    private int insertNew(List<Asked> all) throws SQLException {
        int inserted = 0;
        for (int from = 0; from < all.size(); ) {
            List<Asked> part = all.subList(from, from + SqliteMany.rows(all.size() - from));
            SqliteStatement insert = tx.sql(INSERT_NEW.text(part.size()));
            for (Asked asked : part) {
                bind(insert, asked, true);
            }
            inserted += insert.update();
            from += part.size();
        }
        return inserted;
    }

    private void claimable(List<Asked> all) throws SQLException {
        for (Asked asked : all) {
            tx.claimable(asked.lane(), dueAt(asked.task()));
        }
    }

    private long dueAt(NewTask task) {
        return SqliteValues.millis(task.start().dueAt(tx.nowInstant()));
    }

    private void insert(Asked asked, Place place) throws SQLException {
        boolean pending = place.state() == TaskState.PENDING;
        SqliteStatement insert = tx.sql(INSERT);
        bind(insert, asked, pending);
        insert.with(SqliteWords.word(place.state()))
                .with(place.run())
                .with(place.series() == null ? null : SqliteValues.bytes(place.series()))
                .with(place.continued() == null ? null : SqliteValues.bytes(place.continued()))
                .with(place.after() == null ? null : SqliteValues.bytes(place.after()))
                .updateOne();
        if (pending) {
            tx.claimable(asked.lane(), dueAt(asked.task()));
        }
    }

    private void bind(SqliteStatement insert, Asked asked, boolean pending) throws SQLException {
        NewTask task = asked.task();
        NewTask.KeyRequest key = task.key();
        TaskOptions options = task.options();
        if (options.mutex() != null) {
            tx.sql(HAS_MUTEXES).with(asked.lane().id()).update();
        }
        long dueAt = dueAt(task);
        insert.with(task.id())
                .with(asked.lane().id())
                .with(options.priority())
                .with(pending ? (Long) (dueAt - options.priority() * PRIORITY_STEP) : null)
                .with(dueAt)
                .with(tx.now())
                .with(task.input())
                .with(options.retry() == null ? null : options.retry().text())
                .with(
                        options.timeout() == null
                                ? null
                                : (Long) options.timeout().toMillis())
                .with(SqliteTasks.mutex(asked.lane(), options.mutex()))
                .with(key == null ? null : (Long) (long) asked.scope())
                .with(key == null ? null : key.identity().key())
                .with(key == null ? null : (Long) key.ttl().toMillis());
    }

    private Holder holder(Asked asked, Place place) {
        NewTask.KeyRequest key = asked.request();
        return new Holder(
                asked.task().id(),
                asked.lane().id(),
                key.inputHash(),
                place.run(),
                place.series(),
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

    private @Nullable String input(Found found) throws SQLException {
        if (found.seq() == null) {
            return null;
        }
        try (ResultSet row = tx.sql(INPUT).with(found.seq()).query()) {
            row.next();
            return row.getString(1);
        }
    }

    private ExistingTask existing(Found found, @Nullable String input) throws SQLException {
        return new ExistingTask(
                found.taskId(),
                tx.names().lane(found.lane()).type(),
                found.run(),
                found.state(),
                found.inputHash(),
                Instant.ofEpochMilli(found.createdAt()),
                found.finishedAt(),
                found.dataGone(),
                input,
                found.result());
    }
}
