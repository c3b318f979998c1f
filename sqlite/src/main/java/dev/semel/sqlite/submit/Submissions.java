package dev.semel.sqlite.submit;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.MultiRowStatement;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.sql.StoredEnums;
import dev.semel.sqlite.table.EffectRows;
import dev.semel.sqlite.table.FlowRows;
import dev.semel.sqlite.table.KeyRecords;
import dev.semel.sqlite.table.KeyRecords.Found;
import dev.semel.sqlite.table.KeyRecords.Holder;
import dev.semel.sqlite.table.KeyRecords.Look;
import dev.semel.sqlite.table.NumberedTask;
import dev.semel.sqlite.table.TagRows;
import dev.semel.sqlite.table.TaskEnds;
import dev.semel.sqlite.table.TaskMapper;
import dev.semel.sqlite.table.TimeLimitRows;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.CancelDecision;
import dev.semel.store.NewTask;
import dev.semel.store.OptionsText;
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
 * Submissions, in the writer's transaction or in a caller's own.
 *
 * <p>A batch is executed in parts, each with a few statements for all its items. The first part with keys is looked up.
 * After a part that was all new, the next is inserted speculatively; only if one of its items is stored already is
 * that undone, and the part looked up.
 */
public final class Submissions {

    private static final MultiRowStatement INSERT_NEW =
            new MultiRowStatement("""
            INSERT INTO semel_task (id, lane, state, priority, order_at, due_at, created_at, input, retry, timeout, mutex,
              scope, key, ttl)
            VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """, "(?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

    private static final String INSERT = """
            INSERT INTO semel_task (id, lane, priority, order_at, due_at, created_at, input, retry, timeout, mutex, scope,
              key, ttl, state, run, series, lineage, after_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """;

    private static final String HAS_MUTEXES = "UPDATE semel_lane SET mutexes = 1 WHERE id = ? AND mutexes = 0";

    private static final String SAVEPOINT = "SAVEPOINT semel_speculative";
    private static final String RELEASE = "RELEASE semel_speculative";
    private static final String UNDO = "ROLLBACK TO semel_speculative";

    private static final String FIND_REPEATED = "SELECT run, state, created_at FROM semel_task WHERE id = ?";
    private static final String INPUT = "SELECT input FROM semel_task WHERE seq = ?";

    private static final long PRIORITY_STEP = Limits.PRIORITY_STEP.toMillis();

    private final Transaction tx;

    // Known to be new and answered as created, but not inserted yet.
    private final List<NumberedTask> fresh = new ArrayList<>();

    // Whether an item has changed the state of a task that a later one of its part may have been looked up with.
    private boolean outdated;

    public Submissions(Transaction tx) {
        this.tx = tx;
    }

    public List<Submitted> submit(List<NewTask> batch) throws SQLException {
        List<Submitted> answers = new ArrayList<>(batch.size());
        while (answers.size() < batch.size()) {
            List<NumberedTask> part = part(batch.subList(answers.size(), batch.size()));
            boolean keyed = part.get(0).task().key() != null;
            answers.addAll(keyed ? withKey(part, answers.isEmpty()) : withoutKey(part));
        }
        return answers;
    }

    /** The first items of a batch that have different ids and keys, so that they can be looked up and inserted together. */
    private List<NumberedTask> part(List<NewTask> batch) throws SQLException {
        boolean keyed = batch.get(0).key() != null;
        List<NumberedTask> part = new ArrayList<>();
        Set<Object> met = new HashSet<>();
        for (NewTask task : batch.subList(0, Math.min(batch.size(), MultiRowStatement.MOST))) {
            NewTask.KeyRequest key = task.key();
            boolean meets = !met.add(task.id())
                    || (key != null && !met.add(key.identity().key()));
            if (meets || (key != null) != keyed) {
                break;
            }
            Lane lane = tx.names().lane(task.tenant(), task.queue(), task.type());
            part.add(new NumberedTask(task, lane, key == null ? 0 : tx.names().scope(key.identity())));
        }
        return part;
    }

    /** What a row of a task holds in addition to the submission. */
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

    private List<Submitted> withoutKey(List<NumberedTask> part) throws SQLException {
        boolean allNew = insertNew(part) == part.size();
        claimable(part);
        List<Submitted> answers = new ArrayList<>(part.size());
        for (NumberedTask asked : part) {
            TaskId id = asked.task().id();
            Submitted.Created answer = allNew ? created(id, Place.FIRST) : accepted(id);
            answers.add(answer);
            // One that was stored before has its limits, and perhaps passed them.
            if (answer.createdAt().equals(tx.nowInstant())) {
                addRows(asked);
            }
        }
        return answers;
    }

    private List<Submitted> withKey(List<NumberedTask> part, boolean first) throws SQLException {
        // Duplicates arrive together: if the last part had some, this one probably has some too. Nothing is known of
        // the first part, and looking it up costs less than inserting it in vain.
        if (first || tx.expectsDuplicates() || !insertSpeculatively(part)) {
            return lookedUp(part);
        }
        List<Submitted> answers = new ArrayList<>(part.size());
        for (NumberedTask asked : part) {
            answers.add(created(asked.task().id(), Place.FIRST));
        }
        return answers;
    }

    /** Inserts tasks and records speculatively; if any of them is stored already, inserts nothing and returns false. */
    private boolean insertSpeculatively(List<NumberedTask> part) throws SQLException {
        tx.sql(SAVEPOINT).update();
        boolean allNew = KeyRecords.addAll(tx, part) == part.size() && insertNew(part) == part.size();
        if (!allNew) {
            tx.sql(UNDO).update();
        }
        tx.sql(RELEASE).update();
        if (allNew) {
            claimable(part);
            addRows(part);
        }
        return allNew;
    }

    private List<Submitted> lookedUp(List<NumberedTask> part) throws SQLException {
        List<Look> looks = KeyRecords.findAll(tx.session(), part);
        outdated = false;
        List<Submitted> answers = new ArrayList<>(part.size());
        boolean duplicates = false;
        for (int i = 0; i < looks.size(); i++) {
            Look look = outdated
                    ? KeyRecords.findAll(tx.session(), part.subList(i, i + 1)).get(0)
                    : looks.get(i);
            boolean isNew = look.record() == null && !look.taskThere();
            answers.add(isNew ? later(part.get(i)) : met(part.get(i), look));
            duplicates |= !isNew;
        }
        insertFresh();
        tx.expectDuplicates(duplicates);
        return answers;
    }

    private Submitted later(NumberedTask asked) {
        fresh.add(asked);
        return created(asked.task().id(), Place.FIRST);
    }

    private void insertFresh() throws SQLException {
        if (KeyRecords.addAll(tx, fresh) != fresh.size() || insertNew(fresh) != fresh.size()) {
            throw new IllegalStateException("Expected " + fresh.size() + " new tasks, but some of them are stored");
        }
        claimable(fresh);
        addRows(fresh);
        fresh.clear();
    }

    private Submitted met(NumberedTask asked, Look look) throws SQLException {
        TaskId id = asked.task().id();
        Found found = look.record();
        if (found != null && found.taskId().equals(id)) {
            return new Submitted.Created(id, found.run(), found.state(), Instant.ofEpochMilli(found.createdAt()));
        }
        // Without a record: its key was released since, and stays free.
        return found == null || look.taskThere() ? accepted(id) : decided(asked, found);
    }

    private Submitted decided(NumberedTask asked, Found found) throws SQLException {
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

    private @Nullable TaskId openFormer(NumberedTask asked) throws SQLException {
        return KeyRecords.openFormer(
                tx, asked.scope(), asked.request().identity().key());
    }

    private Submitted takeOver(NumberedTask asked, Found found, Place place) throws SQLException {
        // Tasks are inserted in the order of their batch: that is their order of creation.
        insertFresh();
        insert(asked, place);
        String key = asked.request().identity().key();
        KeyRecords.takeOver(tx, asked.scope(), key, found, holder(asked, place));
        if (!found.lineage().equals(place.continued())) {
            EffectRows.forgetUnlessContinued(tx, found.lineage(), asked.scope(), key, null);
        }
        return created(asked.task().id(), place);
    }

    /** The old task ends first. A running one, and a workflow that has begun, cannot at once: then the new one waits for it. */
    private Submitted replace(NumberedTask asked, Found found, int run) throws SQLException {
        long seq = Objects.requireNonNull(found.seq(), "an open task is stored");
        if (FlowRows.requestCancellation(tx, found.taskId())) {
            return takeOver(asked, found, new Place(run, found.seriesOrOwn(), null, found.taskId()));
        }
        if (CancelDecision.of(found.state()) == CancelDecision.ASK) {
            TaskEnds.askToCancel(tx, seq);
            return takeOver(asked, found, new Place(run, found.seriesOrOwn(), null, found.taskId()));
        }
        // It may wait for one that still runs; that one is an open former holder, so the new one waits for it as well.
        TaskId former = openFormer(asked);
        outdated |= TaskEnds.cancel(tx, seq, found.taskId(), found.state());
        return takeOver(asked, found, new Place(run, found.seriesOrOwn(), null, former));
    }

    /** Inserts tasks that have no history, in their order; returns how many were not stored before. */
    private int insertNew(List<NumberedTask> all) throws SQLException {
        int inserted = 0;
        for (int from = 0; from < all.size(); ) {
            List<NumberedTask> part = all.subList(from, from + MultiRowStatement.rows(all.size() - from));
            SqlStatement insert = tx.sql(INSERT_NEW.text(part.size()));
            for (NumberedTask asked : part) {
                bind(insert, asked, true);
            }
            inserted += insert.update();
            from += part.size();
        }
        return inserted;
    }

    private void claimable(List<NumberedTask> all) throws SQLException {
        for (NumberedTask asked : all) {
            tx.claimable(asked.lane(), dueAt(asked.task()));
        }
    }

    private void addRows(List<NumberedTask> all) throws SQLException {
        for (NumberedTask asked : all) {
            addRows(asked);
        }
    }

    /** Adds what only some tasks have, in tables of their own. */
    private void addRows(NumberedTask asked) throws SQLException {
        TimeLimitRows.add(tx, asked);
        TagRows.add(tx, asked);
    }

    private long dueAt(NewTask task) {
        return ColumnValues.millis(task.start().dueAt(tx.nowInstant()));
    }

    private void insert(NumberedTask asked, Place place) throws SQLException {
        boolean pending = place.state() == TaskState.PENDING;
        SqlStatement insert = tx.sql(INSERT);
        bind(insert, asked, pending);
        insert.with(StoredEnums.word(place.state()))
                .with(place.run())
                .with(place.series() == null ? null : ColumnValues.bytes(place.series()))
                .with(place.continued() == null ? null : ColumnValues.bytes(place.continued()))
                .with(place.after() == null ? null : ColumnValues.bytes(place.after()))
                .updateOne();
        addRows(asked);
        if (pending) {
            tx.claimable(asked.lane(), dueAt(asked.task()));
        }
    }

    private void bind(SqlStatement insert, NumberedTask asked, boolean pending) throws SQLException {
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
                .with(OptionsText.of(options))
                .with(
                        options.timeout() == null
                                ? null
                                : (Long) options.timeout().toMillis())
                .with(TaskMapper.mutex(asked.lane(), options.mutex()))
                .with(key == null ? null : (Long) (long) asked.scope())
                .with(key == null ? null : key.identity().key())
                .with(key == null ? null : (Long) key.ttl().toMillis());
    }

    private Holder holder(NumberedTask asked, Place place) {
        NewTask.KeyRequest key = asked.request();
        return new Holder(
                asked.task().id(),
                asked.lane().id(),
                key.inputHash(),
                place.run(),
                place.series(),
                place.continued(),
                tx.now(),
                ColumnValues.after(tx.now(), key.ttl()));
    }

    private Submitted.Created created(TaskId id, Place place) {
        return new Submitted.Created(id, place.run(), place.state(), tx.nowInstant());
    }

    /** The answer to a task that was accepted before, whatever its state and its key are now. */
    private Submitted.Created accepted(TaskId id) throws SQLException {
        try (ResultSet row = tx.sql(FIND_REPEATED).with(id).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Expected task " + id + " to be stored, but it is not");
            }
            return new Submitted.Created(
                    id, row.getInt(1), StoredEnums.state(row.getString(2)), ColumnValues.instant(row, 3));
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
