package dev.semel.postgresql.submit;

import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.table.FlowChanges;
import dev.semel.postgresql.table.KeyRecords;
import dev.semel.postgresql.table.KeyRecords.Found;
import dev.semel.postgresql.table.KeyRecords.Holder;
import dev.semel.postgresql.table.KeyRecords.Locked;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.table.TaskLocker;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.Decision;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Submits a batch in a transaction, of the store or of a caller.
 *
 * <p>First it looks up the keys without locks: a batch of duplicates ends there. What the batch would change is locked in the
 * order of {@link LockKind}: first the records that exist, then those that are new, by inserting them, then the open tasks
 * that lose their key. A second transaction waits for the commit or rollback of the first. Then the items are carried out in
 * order, those that only insert together. A key changes its owner only through a {@link Locked} record. If an item has to change
 * the owner of a key that is not locked, because the first look is outdated by then, everything is undone, and the next
 * transaction locks that key with the others ({@link Race}).
 */
public final class LockedSubmit {

    // The answers to repeated submissions.
    private static final String ACCEPTED = """
            SELECT t.id, t.run, t.created_at,
              CASE WHEN d.task IS NOT NULL THEN d.state
                WHEN (SELECT 1 FROM semel.ready q WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                    AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) = 1
                  OR (SELECT 1 FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0 LIMIT 1) = 1 THEN 'pending'
                WHEN (SELECT 1 FROM semel.waiting w WHERE w.task = t.id LIMIT 1) = 1 THEN 'waiting'
                ELSE 'running' END AS state
            FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            LEFT JOIN LATERAL (SELECT x.task, x.state FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
            """;

    private final Transaction tx;
    private final RetryNotes notes;
    private final Decider decider;

    private final List<TaskId> ids = new ArrayList<>();
    // What a look without locks has found: it answers duplicates, and decides nothing else.
    private final Map<RecordKey, Found> seen = new HashMap<>();
    private final Map<RecordKey, Locked> locked = new HashMap<>();
    // Of locked identities: the task that was replaced and still runs.
    private final Map<RecordKey, TaskId> openFormers = new HashMap<>();
    // Records that this batch has added, until their item is carried out.
    private final Map<RecordKey, Locked> fresh = new HashMap<>();
    // Inputs of tasks that this batch made: the look cannot have found them.
    private final Map<TaskId, NewTask> made = new HashMap<>();
    private final Map<TaskId, Submitted> accepted = new HashMap<>();
    // Answered as created, not inserted yet.
    private final Map<TaskId, NewRun> uninserted = new LinkedHashMap<>();
    private final Set<TaskId> inserted = new HashSet<>();
    private final Set<TaskId> lockedTasks = new HashSet<>();
    private boolean watches;
    private boolean insertsWatched;

    public LockedSubmit(Transaction tx, RetryNotes notes) {
        this.tx = tx;
        this.notes = notes;
        this.decider = new Decider(tx.session(), tx.names(), tx.now());
    }

    public List<Submitted> submit(List<NumberedTask> batch) throws SQLException {
        return submit(batch, Set.of());
    }

    /**
     * Submits the steps of a workflow. The tasks that have their keys already are locked too, because they will be watched.
     *
     * @param others more tasks that this transaction has to lock, together with those that it locks for the batch
     */
    public List<Submitted> submitSteps(List<NumberedTask> batch, Set<TaskId> others) throws SQLException {
        watches = true;
        return submit(batch, others);
    }

    /** Submits steps without keys, which are inserted as watched. */
    public List<Submitted> submitWatched(List<NumberedTask> batch) throws SQLException {
        insertsWatched = true;
        return submit(batch, Set.of());
    }

    /** Returns whether all of these tasks were new. */
    public boolean hasInserted(Set<TaskId> tasks) {
        return inserted.containsAll(tasks);
    }

    /** Returns the open tasks that were locked. */
    public Set<TaskId> lockedTasks() {
        return lockedTasks;
    }

    private List<Submitted> submit(List<NumberedTask> batch, Set<TaskId> others) throws SQLException {
        lookUp(batch);
        lockRecords(batch);
        addRecords(batch);
        lockTasks(batch, others);
        List<Submitted> answers = new ArrayList<>(batch.size());
        for (NumberedTask submission : batch) {
            answers.add(submit(submission));
        }
        insert();
        return answers;
    }

    private void lookUp(List<NumberedTask> batch) throws SQLException {
        Set<RecordKey> keys = new TreeSet<>();
        boolean keyTwice = false;
        for (NumberedTask submission : batch) {
            RecordKey key = submission.key();
            if (key != null || notes.expectsRepeats()) {
                ids.add(submission.id());
            }
            if (key != null && !notes.expectsNew()) {
                keyTwice |= !keys.add(key);
            }
        }
        seen.putAll(KeyRecords.find(tx.session(), keys));
        // If all keys are different and free, each item is new, or its task is stored already: then inserting it shows.
        if (notes.expectsRepeats() || keyTwice || !seen.isEmpty()) {
            readAccepted();
        }
    }

    private void readAccepted() throws SQLException {
        tx.sql(ACCEPTED)
                .ids(ids)
                .list(row -> accepted.put(
                        SqlStatement.id(row, "id"),
                        new Submitted.Created(
                                SqlStatement.id(row, "id"),
                                row.getInt("run"),
                                TaskState.parse(row.getString("state")),
                                Instant.ofEpochMilli(row.getLong("created_at")))));
    }

    /** Locks the records that will change their owner, as the look or an earlier transaction has shown. */
    private void lockRecords(List<NumberedTask> batch) throws SQLException {
        Set<RecordKey> changing = new HashSet<>();
        for (NumberedTask submission : batch) {
            RecordKey key = submission.key();
            if (key != null && !notes.isBusy(key) && (notes.isChanging(key) || changesSeenOwner(submission, key))) {
                changing.add(key);
            }
        }
        locked.putAll(KeyRecords.lock(tx, changing));
        // Records that were removed while this transaction waited for them are new now.
        changing.removeAll(locked.keySet());
        seen.keySet().removeAll(changing);
    }

    private boolean changesSeenOwner(NumberedTask submission, RecordKey key) throws SQLException {
        Found found = seen.get(key);
        return found != null
                && repeated(submission, found) == null
                && Decider.changesOwner(decider.decide(submission, found));
    }

    /** Locks the tasks that may lose their keys: they stand still from then on. */
    private void lockTasks(List<NumberedTask> batch, Set<TaskId> others) throws SQLException {
        Set<TaskId> open = new HashSet<>(others);
        if (watches) {
            seen.values().stream().filter(found -> found.state().isOpen()).forEach(found -> open.add(found.taskId()));
        }
        if (!locked.isEmpty()) {
            openFormers.putAll(KeyRecords.openFormers(tx, locked.keySet()));
        }
        open.addAll(openFormers.values());
        locked.values().stream()
                .map(Locked::found)
                .filter(found -> found.state().isOpen())
                .forEach(found -> open.add(found.taskId()));
        if (open.isEmpty()) {
            return;
        }
        Set<TaskId> still = TaskLocker.lock(tx, open, mutexesMadeTwice(batch));
        lockedTasks.addAll(still);
        if (locked.isEmpty()) {
            return;
        }
        Map<RecordKey, Locked> now = KeyRecords.reread(tx, locked.values());
        locked.putAll(now);
        openFormers.values().removeIf(former -> !still.contains(former));
        if (now.values().stream()
                .map(Locked::found)
                .anyMatch(found -> found.state().isOpen() && !still.contains(found.taskId()))) {
            throw new Race("a task moved on while it was to be locked");
        }
    }

    /** The mutexes of tasks that a later item of this batch may replace: cancelling these tasks releases them. */
    private static Set<String> mutexesMadeTwice(List<NumberedTask> batch) {
        Set<RecordKey> met = new HashSet<>();
        Set<RecordKey> twice = new HashSet<>();
        for (NumberedTask submission : batch) {
            RecordKey key = submission.key();
            if (key != null && !met.add(key)) {
                twice.add(key);
            }
        }
        Set<String> mutexes = new HashSet<>();
        for (NumberedTask submission : batch) {
            String mutex = TaskReader.mutex(
                    submission.lane(), submission.task().options().mutex());
            RecordKey key = submission.key();
            if (mutex != null && key != null && twice.contains(key)) {
                mutexes.add(mutex);
            }
        }
        return mutexes;
    }

    /** Adds the records of identities that have none, each for the first item that is new. */
    private void addRecords(List<NumberedTask> batch) throws SQLException {
        SortedMap<RecordKey, Holder> adding = new TreeMap<>();
        Set<TaskId> creators = new HashSet<>();
        for (NumberedTask submission : batch) {
            RecordKey key = submission.key();
            if (key != null
                    && !seen.containsKey(key)
                    && !locked.containsKey(key)
                    && !adding.containsKey(key)
                    && !notes.isBusy(key)
                    && !accepted.containsKey(submission.id())
                    && creators.add(submission.id())) {
                adding.put(key, holder(NewRun.first(submission)));
            }
        }
        if (!adding.isEmpty()) {
            // If one of them is not new, this transaction is rolled back, and the next one looks.
            notes.lookFirst();
            fresh.putAll(KeyRecords.add(tx, adding));
        }
    }

    /** The record that a new task takes. */
    private Holder holder(NewRun next) {
        NewTask.KeyRequest request = next.submission().request();
        return new Holder(
                next.id(),
                next.submission().lane().id(),
                request.inputHash(),
                next.run(),
                next.series() == null ? next.id() : next.series(),
                next.lineage(),
                tx.now(),
                tx.after(request.ttl()));
    }

    private Submitted submit(NumberedTask submission) throws SQLException {
        RecordKey key = submission.key();
        return key == null ? submitWithoutKey(submission) : submitWithKey(submission, key);
    }

    private Submitted submitWithoutKey(NumberedTask submission) {
        Submitted before = accepted.get(submission.id());
        if (before != null) {
            return before;
        }
        NewRun next = NewRun.first(submission);
        insertLater(next);
        return created(next);
    }

    /** Notes that a task is to be inserted, unless an earlier item was about the same task. */
    private void insertLater(NewRun next) {
        if (!inserted.contains(next.id())) {
            uninserted.putIfAbsent(next.id(), next);
        }
    }

    private Submitted submitWithKey(NumberedTask submission, RecordKey key) throws SQLException {
        Locked own = locked.get(key);
        Found found = own == null ? seen.get(key) : own.found();
        Submitted before = repeated(submission, found);
        if (before != null) {
            return before;
        }
        if (notes.isBusy(key)) {
            return new Submitted.Busy();
        }
        if (own != null) {
            return submitUnderLock(submission, own);
        }
        if (found == null) {
            return submitUnderFreeKey(submission, key);
        }
        Decision decision = decider.decide(submission, found);
        if (Decider.changesOwner(decision)) {
            notes.changes(key);
            throw new Race("a key changes its owner that was not locked");
        }
        return decider.answer(decision, found, decider::storedInput);
    }

    /** The answer if this very task was accepted before, whatever became of it and of its key since; otherwise null. */
    private @Nullable Submitted repeated(NumberedTask submission, @Nullable Found found) {
        TaskId id = submission.id();
        Submitted before = accepted.get(id);
        return before == null && found != null && found.taskId().equals(id) ? found.created() : before;
    }

    private Submitted submitUnderFreeKey(NumberedTask submission, RecordKey key) {
        Locked added = fresh.remove(key);
        if (added == null || !added.found().taskId().equals(submission.id())) {
            throw new IllegalStateException(
                    "Expected a record that was added for task " + submission.id() + ", but there is none");
        }
        NewRun next = NewRun.first(submission);
        insertLater(next);
        return owns(added, next);
    }

    private Submitted submitUnderLock(NumberedTask submission, Locked own) throws SQLException {
        Found found = own.found();
        Decision decision = decider.decide(submission, found);
        if (Decider.changesOwner(decision)) {
            // Tasks are inserted in the order of their batch: that is their order of creation.
            insert();
        }
        TaskId former = openFormers.get(own.key());
        return switch (decision) {
            case Decision.Create() -> takeOver(own, new NewRun(submission, 1, null, null, former));
            case Decision.Rerun(int run, boolean same) ->
                takeOver(own, new NewRun(submission, run, found.series(), same ? found.lineageOrOwn() : null, former));
            case Decision.Replace(int run) -> replace(submission, own, run);
            case Decision.Return returned -> decider.answer(decision, found, this::input);
            case Decision.Reject rejected -> decider.answer(decision, found, this::input);
            case Decision.Conflict conflict -> decider.answer(decision, found, this::input);
        };
    }

    private @Nullable String input(Found found) throws SQLException {
        NewTask own = made.get(found.taskId());
        return own == null ? decider.storedInput(found) : own.input();
    }

    /** The old task ends first. A running one, and a workflow that has begun, cannot end at once: then the new one waits for it. */
    private Submitted replace(NumberedTask submission, Locked own, int run) throws SQLException {
        Found found = own.found();
        if (FlowChanges.requestCancellation(tx, found.taskId(), found.state())) {
            openFormers.put(own.key(), found.taskId());
        } else if (found.state() == TaskState.RUNNING) {
            if (!TaskEnds.ask(tx, found.taskId())) {
                throw moved(found);
            }
            openFormers.put(own.key(), found.taskId());
        } else {
            if (!TaskEnds.cancel(tx, found.taskId(), found.state())) {
                throw moved(found);
            }
            // A later item may be about the cancelled task, or about a task that got its mutex.
            readAccepted();
            locked.putAll(KeyRecords.reread(tx, locked.values()));
            seen.putAll(KeyRecords.find(tx.session(), seen.keySet()));
        }
        // A waiting holder may have waited for a task that still runs. That is an open former owner, and the new task
        // waits for it too.
        return takeOver(own, new NewRun(submission, run, found.series(), null, openFormers.get(own.key())));
    }

    private static IllegalStateException moved(Found found) {
        return new IllegalStateException("Expected locked task " + found.taskId() + " to be "
                + found.state().word() + ", but it is not any more");
    }

    private Submitted takeOver(Locked own, NewRun next) throws SQLException {
        TaskInserter.insertOne(tx, next, notes);
        return owns(KeyRecords.takeOver(tx, own, holder(next), next.state()), next);
    }

    /** Notes that a new task owns the key, for the later items of the batch. */
    private Submitted owns(Locked own, NewRun next) {
        locked.put(own.key(), own);
        made.put(next.id(), next.submission().task());
        Submitted answer = created(next);
        accepted.put(next.id(), answer);
        return answer;
    }

    private Submitted created(NewRun next) {
        return new Submitted.Created(next.id(), next.run(), next.state(), tx.nowInstant());
    }

    /** Inserts what is new so far. */
    private void insert() throws SQLException {
        if (insertsWatched) {
            TaskInserter.insertWatched(tx, uninserted.values(), notes);
        } else {
            TaskInserter.insertPending(tx, uninserted.values(), notes);
        }
        uninserted.forEach((id, next) -> made.putIfAbsent(id, next.submission().task()));
        inserted.addAll(uninserted.keySet());
        uninserted.clear();
    }
}
