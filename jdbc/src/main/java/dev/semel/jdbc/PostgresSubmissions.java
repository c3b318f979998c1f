package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.jdbc.PostgresFailures.Race;
import dev.semel.jdbc.PostgresInserts.Place;
import dev.semel.jdbc.PostgresRecords.Found;
import dev.semel.jdbc.PostgresRecords.Holder;
import dev.semel.jdbc.PostgresRecords.Locked;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
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
 * Submitting, in a transaction of the store's or of a caller's own.
 *
 * <p>The batch is looked up without locks: a batch of duplicates ends there. What it would change is locked in the order of
 * {@link PostgresLock}: first the records that are there, then those that are new, by inserting them, then the open tasks that
 * lose their key. Who comes second waits for the first one's commit or rollback. Then the items are carried out in order,
 * those that only insert together. A key changes hands only by a {@link Locked} record. Where an item wants to change one that
 * is not locked, because the first look is outdated by then, everything is undone, and the next transaction locks it with the
 * others ({@link Race}).
 */
final class PostgresSubmissions {

    private static final String INPUT = "SELECT input FROM semel.task WHERE id = ?";

    // What a repeated send is answered with. The state is looked up where the record does not say it.
    private static final String ACCEPTED = """
            SELECT t.id, t.run, t.created_at,
              CASE WHEN d.task IS NOT NULL THEN d.state ELSE\s""" + PostgresTasks.OPEN_STATE + """
              END
            FROM unnest(?) AS m (task)
            CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            LEFT JOIN LATERAL (SELECT x.task, x.state FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
            """;

    private final PostgresTransaction tx;
    private final PostgresFindings findings;

    private final Set<RecordKey> keys = new TreeSet<>();
    private final List<TaskId> ids = new ArrayList<>();
    // What a look without locks has found: it answers duplicates, and decides nothing else.
    private final Map<RecordKey, Found> seen = new HashMap<>();
    private final Map<RecordKey, Locked> locked = new HashMap<>();
    // Of locked identities: the task that was replaced and still runs.
    private final Map<RecordKey, TaskId> openFormers = new HashMap<>();
    // Records that this batch has added, until the item comes for which they were.
    private final Map<RecordKey, Locked> fresh = new HashMap<>();
    // Inputs of tasks that this batch made: the look-up cannot have them.
    private final Map<TaskId, NewTask> made = new HashMap<>();
    private final Map<TaskId, Submitted> accepted = new HashMap<>();
    // Answered as created, not inserted yet.
    private final Map<TaskId, Place> uninserted = new LinkedHashMap<>();
    private final Set<TaskId> inserted = new HashSet<>();

    PostgresSubmissions(PostgresTransaction tx, PostgresFindings findings) {
        this.tx = tx;
        this.findings = findings;
    }

    List<Submitted> submit(List<Asked> batch) throws SQLException {
        lookUp(batch);
        lockRecords(batch);
        addRecords(batch);
        lockTasks(batch);
        List<Submitted> answers = new ArrayList<>(batch.size());
        for (Asked asked : batch) {
            answers.add(asked.task().key() == null ? withoutKey(asked) : withKey(asked));
        }
        insert();
        return answers;
    }

    private void lookUp(List<Asked> batch) throws SQLException {
        int keyed = 0;
        for (Asked asked : batch) {
            if (asked.task().key() != null) {
                keyed++;
                keys.add(RecordKey.of(asked));
                ids.add(asked.task().id());
            } else if (findings.expectsRepeats()) {
                ids.add(asked.task().id());
            }
        }
        // Where nobody holds any of the keys, and no two items are about the same, each item is new, or its task is
        // there already: then inserting it tells.
        boolean mayBeNew = !findings.expectsRepeats() && keyed == keys.size();
        if (!mayBeNew || (!findings.expectsOnlyNew() && PostgresRecords.isAnyHeld(tx, keys))) {
            look();
        }
    }

    private void look() throws SQLException {
        if (!ids.isEmpty()) {
            readAccepted(ids);
            seen.putAll(PostgresRecords.find(tx.session(), keys));
        }
    }

    private void readAccepted(List<TaskId> ids) throws SQLException {
        tx.sql(ACCEPTED)
                .ids(ids)
                .list(row -> accepted.put(
                        PostgresStatement.id(row, 1),
                        new Submitted.Created(
                                PostgresStatement.id(row, 1),
                                row.getInt(2),
                                TaskState.parse(row.getString(4)),
                                Instant.ofEpochMilli(row.getLong(3)))));
    }

    /** Locks the records of which a look says, or an earlier transaction has found out, that they will change hands. */
    private void lockRecords(List<Asked> batch) throws SQLException {
        Set<RecordKey> changing = new HashSet<>();
        for (Asked asked : batch) {
            if (asked.task().key() != null) {
                RecordKey key = RecordKey.of(asked);
                Found found = seen.get(key);
                if (found != null && repeated(asked, found) == null && changes(decide(tx, asked, found))) {
                    changing.add(key);
                }
                if (findings.isChanging(key)) {
                    changing.add(key);
                }
            }
        }
        changing.removeIf(findings::isBusy);
        locked.putAll(PostgresRecords.lock(tx, changing));
        // Those that went while they were waited for are new now.
        changing.removeAll(locked.keySet());
        seen.keySet().removeAll(changing);
    }

    /** Locks the tasks that may lose their keys: they stand still from then on. */
    private void lockTasks(List<Asked> batch) throws SQLException {
        if (locked.isEmpty()) {
            return;
        }
        openFormers.putAll(PostgresRecords.openFormers(tx, locked.keySet()));
        Set<TaskId> open = new HashSet<>(openFormers.values());
        locked.values().stream()
                .map(Locked::found)
                .filter(found -> found.state().isOpen())
                .forEach(found -> open.add(found.taskId()));
        if (open.isEmpty()) {
            return;
        }
        Set<TaskId> still = PostgresTaskLocks.lock(tx, open, mutexesMadeTwice(batch));
        Map<RecordKey, Locked> now = PostgresRecords.reread(tx, locked.values());
        locked.putAll(now);
        openFormers.values().removeIf(former -> !still.contains(former));
        if (now.values().stream()
                .map(Locked::found)
                .anyMatch(found -> found.state().isOpen() && !still.contains(found.taskId()))) {
            throw new Race("a task moved on while it was to be locked");
        }
    }

    /** The mutexes of tasks that a later item of this batch may replace: to cancel them frees those. */
    private static Set<String> mutexesMadeTwice(List<Asked> batch) {
        Set<RecordKey> met = new HashSet<>();
        Set<RecordKey> twice = new HashSet<>();
        for (Asked asked : batch) {
            if (asked.task().key() != null && !met.add(RecordKey.of(asked))) {
                twice.add(RecordKey.of(asked));
            }
        }
        Set<String> mutexes = new HashSet<>();
        for (Asked asked : batch) {
            String mutex =
                    PostgresTasks.mutex(asked.lane(), asked.task().options().mutex());
            if (mutex != null && asked.task().key() != null && twice.contains(RecordKey.of(asked))) {
                mutexes.add(mutex);
            }
        }
        return mutexes;
    }

    private static boolean changes(Decision decision) {
        return switch (decision) {
            case Decision.Create create -> true;
            case Decision.Rerun rerun -> true;
            case Decision.Replace replace -> true;
            case Decision.Return returned -> false;
            case Decision.Reject rejected -> false;
            case Decision.Conflict conflict -> false;
        };
    }

    /** Adds the records of identities that have none, each for the first item that is new. */
    private void addRecords(List<Asked> batch) throws SQLException {
        SortedMap<RecordKey, Holder> adding = new TreeMap<>();
        Set<TaskId> creators = new HashSet<>();
        for (Asked asked : batch) {
            if (asked.task().key() != null) {
                RecordKey key = RecordKey.of(asked);
                boolean isNew = !seen.containsKey(key)
                        && !locked.containsKey(key)
                        && !adding.containsKey(key)
                        && !findings.isBusy(key)
                        && !accepted.containsKey(asked.task().id());
                if (isNew && creators.add(asked.task().id())) {
                    adding.put(key, PostgresRecords.holder(tx, Place.first(asked)));
                }
            }
        }
        if (!adding.isEmpty()) {
            // If one is not new the transaction is over, and the next one looks.
            findings.expectHolders();
            fresh.putAll(PostgresRecords.add(tx, adding));
        }
    }

    private Submitted withoutKey(Asked asked) {
        Submitted before = accepted.get(asked.task().id());
        if (before != null) {
            return before;
        }
        add(Place.first(asked));
        return created(asked.task().id(), Place.first(asked));
    }

    /** Notes that a task is to be inserted, unless an item before it was about the same task. */
    private void add(Place place) {
        TaskId id = place.asked().task().id();
        if (!inserted.contains(id)) {
            uninserted.putIfAbsent(id, place);
        }
    }

    private Submitted withKey(Asked asked) throws SQLException {
        RecordKey key = RecordKey.of(asked);
        Locked own = locked.get(key);
        Found found = own == null ? seen.get(key) : own.found();
        Submitted before = repeated(asked, found);
        if (before != null) {
            return before;
        }
        if (findings.isBusy(key)) {
            return new Submitted.Busy();
        }
        if (own != null) {
            return decided(asked, own);
        }
        if (found == null) {
            return created(asked, key);
        }
        Submitted answer = unchanged(tx, asked, found);
        if (answer == null) {
            findings.changes(key);
            throw new Race("a key changes hands that was not locked");
        }
        return answer;
    }

    private Submitted created(Asked asked, RecordKey key) {
        Locked added = fresh.remove(key);
        if (added == null || !added.found().taskId().equals(asked.task().id())) {
            throw new IllegalStateException(
                    "Expected a record that was added for task " + asked.task().id() + ", but there is none");
        }
        Place place = Place.first(asked);
        add(place);
        return takes(added, place);
    }

    /** The answer if this very task was accepted before, whatever became of it and of its key since; otherwise null. */
    private @Nullable Submitted repeated(Asked asked, @Nullable Found found) {
        TaskId id = asked.task().id();
        Submitted before = accepted.get(id);
        return before == null && found != null && found.taskId().equals(id) ? found.created() : before;
    }

    /** The answer to a duplicate that changes nothing, or null if it does. */
    static @Nullable Submitted unchanged(PostgresTransaction tx, Asked asked, Found found) throws SQLException {
        return switch (decide(tx, asked, found)) {
            case Decision.Return(boolean differs) -> new Submitted.Returned(existing(tx, found, null), differs);
            case Decision.Reject(boolean differs) -> new Submitted.Rejected(existing(tx, found, null), differs);
            case Decision.Conflict() -> new Submitted.Conflicted(existing(tx, found, storedInput(tx, found)));
            case Decision.Create create -> null;
            case Decision.Rerun rerun -> null;
            case Decision.Replace replace -> null;
        };
    }

    private static Decision decide(PostgresTransaction tx, Asked asked, Found found) throws SQLException {
        NewTask.KeyRequest key = asked.request();
        return Decision.decide(
                new Decision.Existing(
                        tx.lane(found.lane()).type(),
                        found.inputHash(),
                        found.state(),
                        found.run(),
                        found.windowPassed(tx.now())),
                new Decision.Request(asked.task().type(), key.inputHash()),
                key.policy());
    }

    private Submitted decided(Asked asked, Locked own) throws SQLException {
        Found found = own.found();
        Decision decision = decide(tx, asked, found);
        if (changes(decision)) {
            // Tasks are inserted in the order of their batch: that is their order of creation.
            insert();
        }
        TaskId former = openFormers.get(own.key());
        return switch (decision) {
            case Decision.Create() -> takeOver(own, new Place(asked, 1, null, null, former));
            case Decision.Rerun(int run, boolean same) ->
                takeOver(own, new Place(asked, run, found.series(), same ? found.lineageOrOwn() : null, former));
            case Decision.Replace(int run) -> replace(asked, own, run);
            case Decision.Return(boolean differs) -> new Submitted.Returned(existing(tx, found, null), differs);
            case Decision.Reject(boolean differs) -> new Submitted.Rejected(existing(tx, found, null), differs);
            case Decision.Conflict() -> new Submitted.Conflicted(existing(tx, found, input(found)));
        };
    }

    /** The old task ends first. Only a running one cannot at once: then the new one waits for it. */
    private Submitted replace(Asked asked, Locked own, int run) throws SQLException {
        Found found = own.found();
        if (found.state() == TaskState.RUNNING) {
            if (!PostgresEnds.ask(tx, found.taskId())) {
                throw moved(found);
            }
            openFormers.put(own.key(), found.taskId());
        } else {
            if (!PostgresEnds.cancel(tx, found.taskId(), found.state())) {
                throw moved(found);
            }
            // A later item may be about the task that has ended, or about one that its mutex let go.
            readAccepted(ids);
            locked.putAll(PostgresRecords.reread(tx, locked.values()));
            seen.putAll(PostgresRecords.find(tx.session(), seen.keySet()));
        }
        // A waiting one may have waited for one that still runs; that is an open former holder, and the new one waits
        // for it.
        Place place = new Place(asked, run, found.series(), null, openFormers.get(own.key()));
        return takeOver(own, place);
    }

    private static IllegalStateException moved(Found found) {
        return new IllegalStateException("Expected locked task " + found.taskId() + " to be "
                + found.state().word() + ", but it is not any more");
    }

    private Submitted takeOver(Locked own, Place place) throws SQLException {
        PostgresInserts.one(tx, place, findings);
        return takes(PostgresRecords.takeOver(tx, own, PostgresRecords.holder(tx, place), state(place)), place);
    }

    /** Notes that a new task holds the key, for the later items of the batch. */
    private Submitted takes(Locked own, Place place) {
        NewTask task = place.asked().task();
        locked.put(own.key(), own);
        made.put(task.id(), task);
        Submitted answer = created(task.id(), place);
        accepted.put(task.id(), answer);
        return answer;
    }

    private static TaskState state(Place place) {
        return place.after() == null ? TaskState.PENDING : TaskState.WAITING;
    }

    private Submitted created(TaskId id, Place place) {
        return new Submitted.Created(id, place.run(), state(place), tx.nowInstant());
    }

    /** Inserts what is new so far. */
    private void insert() throws SQLException {
        PostgresInserts.pending(tx, uninserted.values(), findings);
        uninserted.forEach((id, place) -> made.putIfAbsent(id, place.asked().task()));
        inserted.addAll(uninserted.keySet());
        uninserted.clear();
    }

    private @Nullable String input(Found found) throws SQLException {
        NewTask own = made.get(found.taskId());
        if (own != null) {
            return own.input();
        }
        return storedInput(tx, found);
    }

    private static @Nullable String storedInput(PostgresTransaction tx, Found found) throws SQLException {
        return found.stored() ? tx.session().planned(INPUT).with(found.taskId()).first(row -> row.getString(1)) : null;
    }

    private static ExistingTask existing(PostgresTransaction tx, Found found, @Nullable String input)
            throws SQLException {
        return new ExistingTask(
                found.taskId(),
                tx.lane(found.lane()).type(),
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
