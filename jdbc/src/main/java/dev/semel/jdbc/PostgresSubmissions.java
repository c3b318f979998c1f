package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Asked;
import dev.semel.jdbc.PostgresFailures.Race;
import dev.semel.jdbc.PostgresInserts.Place;
import dev.semel.jdbc.PostgresRecords.Found;
import dev.semel.jdbc.PostgresRecords.Holder;
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
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Submitting, in a transaction of the store's or of a caller's own.
 *
 * <p>The batch is looked up without locks: a batch of duplicates ends there. What it would change is locked, sorted: first
 * the records that are there, then those that are new, by inserting them. Who comes second waits for the first one's commit
 * or rollback. If the look-up turns out to be outdated, everything is undone and decided again ({@link Race}). Then the items
 * are carried out in order, those that only insert together.
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

    // Times that a decision is taken anew because the task went on meanwhile: pending, running, ended.
    private static final int MOST_TURNS = 20;

    private final PostgresTransaction tx;
    private final PostgresHeld held;

    private final Set<RecordKey> keys = new TreeSet<>();
    private final List<TaskId> ids = new ArrayList<>();
    private final Map<RecordKey, Found> view = new HashMap<>();
    // Inputs of tasks that this batch made: the look-up cannot have them.
    private final Map<TaskId, NewTask> made = new HashMap<>();
    private final Map<TaskId, Submitted> accepted = new HashMap<>();
    private final Set<RecordKey> fresh = new TreeSet<>();
    // Answered as created, not inserted yet.
    private final Map<TaskId, Place> uninserted = new LinkedHashMap<>();
    private final Set<TaskId> inserted = new HashSet<>();

    PostgresSubmissions(PostgresTransaction tx, PostgresHeld held) {
        this.tx = tx;
        this.held = held;
    }

    List<Submitted> submit(List<Asked> batch) throws SQLException {
        lookUp(batch);
        lockWhatChanges(batch);
        addRecords(batch);
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
            } else if (held.expectsRepeats()) {
                ids.add(asked.task().id());
            }
        }
        // Where nobody holds any of the keys, and no two items are about the same, each item is new, or its task is
        // there already: then inserting it tells.
        boolean mayBeNew = !held.expectsRepeats() && keyed == keys.size();
        if (!mayBeNew || (!held.expectsOnlyNew() && PostgresRecords.isAnyHeld(tx, keys))) {
            look();
        }
    }

    private void look() throws SQLException {
        if (!ids.isEmpty()) {
            readAccepted(ids);
            view.putAll(PostgresRecords.find(tx.session(), keys));
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

    /** Locks the records of which a first look says that they will change hands, and looks again at those. */
    private void lockWhatChanges(List<Asked> batch) throws SQLException {
        Set<RecordKey> changing = new TreeSet<>();
        for (Asked asked : batch) {
            if (asked.task().key() != null) {
                RecordKey key = RecordKey.of(asked);
                Found found = view.get(key);
                if (found != null && repeated(asked, found) == null && changes(decide(tx, asked, found))) {
                    changing.add(key);
                }
            }
        }
        changing.removeIf(held::isBusy);
        if (!changing.isEmpty()) {
            held.lock(tx, changing);
            changing.removeIf(held::isBusy);
            Map<RecordKey, Found> now = PostgresRecords.find(tx.session(), changing);
            if (now.size() != changing.size()) {
                throw new Race("a record went while it was waited for");
            }
            view.putAll(now);
        }
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
        Map<RecordKey, Holder> adding = new TreeMap<>();
        Set<TaskId> creators = new HashSet<>();
        for (Asked asked : batch) {
            if (asked.task().key() != null) {
                RecordKey key = RecordKey.of(asked);
                boolean isNew = !view.containsKey(key)
                        && !adding.containsKey(key)
                        && !held.isBusy(key)
                        && !accepted.containsKey(asked.task().id());
                if (isNew && creators.add(asked.task().id())) {
                    adding.put(key, PostgresRecords.holder(tx, asked, 1, null));
                }
            }
        }
        if (!adding.isEmpty()) {
            held.add(tx, adding);
            adding.keySet().removeIf(held::isBusy);
            fresh.addAll(adding.keySet());
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
        Found found = view.get(key);
        Submitted before = repeated(asked, found);
        if (before != null) {
            return before;
        }
        if (held.isBusy(key)) {
            return new Submitted.Busy();
        }
        if (found == null) {
            if (!fresh.remove(key)) {
                throw new IllegalStateException("A new identity has no record");
            }
            Place place = Place.first(asked);
            add(place);
            return takes(key, place);
        }
        return decided(asked, key, found);
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

    private Submitted decided(Asked asked, RecordKey key, Found first) throws SQLException {
        Found found = first;
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            Decision decision = decide(tx, asked, found);
            if (changes(decision)) {
                // Tasks are inserted in the order of their batch: that is their order of creation.
                insert();
            }
            Submitted answer = switch (decision) {
                case Decision.Create() -> takeOver(asked, key, found, new Place(asked, 1, null, former(key)));
                case Decision.Rerun(int run, boolean same) ->
                    takeOver(asked, key, found, new Place(asked, run, same ? found.lineageOrOwn() : null, former(key)));
                case Decision.Replace(int run) -> replace(asked, key, found, run);
                case Decision.Return(boolean differs) -> new Submitted.Returned(existing(tx, found, null), differs);
                case Decision.Reject(boolean differs) -> new Submitted.Rejected(existing(tx, found, null), differs);
                case Decision.Conflict() -> new Submitted.Conflicted(existing(tx, found, input(found)));
            };
            if (answer != null) {
                return answer;
            }
            // The task went on between the look and the step. The record is locked, so it is still this task's.
            found = Objects.requireNonNull(PostgresRecords.find(tx.session(), key), "a locked record is there");
            view.put(key, found);
        }
        throw new Race("a task moved on " + MOST_TURNS + " times while it was to be replaced");
    }

    private @Nullable TaskId former(RecordKey key) throws SQLException {
        return PostgresRecords.openFormer(tx, key);
    }

    /** The old task ends first. Only a running one cannot at once: then the new one waits for it. Null if it went on. */
    private @Nullable Submitted replace(Asked asked, RecordKey key, Found found, int run) throws SQLException {
        if (found.state() == TaskState.RUNNING) {
            return PostgresEnds.ask(tx, found.taskId())
                    ? takeOver(asked, key, found, new Place(asked, run, null, found.taskId()))
                    : null;
        }
        if (!PostgresEnds.cancel(tx, found.taskId(), found.state())) {
            return null;
        }
        // Later items may be about the task that has ended, or about one that its mutex let go.
        keys.removeAll(fresh);
        look();
        keys.addAll(fresh);
        // It may wait for one that still runs; that one is an open former holder, so the new one waits for it as well.
        return takeOver(asked, key, found, new Place(asked, run, null, former(key)));
    }

    private Submitted takeOver(Asked asked, RecordKey key, Found found, Place place) throws SQLException {
        PostgresInserts.one(tx, place, held);
        PostgresRecords.takeOver(tx, key, found, PostgresRecords.holder(tx, asked, place.run(), place.lineage()));
        return takes(key, place);
    }

    /** Notes that a new task holds the key, for the later items of the batch. */
    private Submitted takes(RecordKey key, Place place) {
        NewTask task = place.asked().task();
        TaskState state = place.after() == null ? TaskState.PENDING : TaskState.WAITING;
        Holder holder = PostgresRecords.holder(tx, place.asked(), place.run(), place.lineage());
        view.put(
                key,
                new Found(
                        task.id(),
                        holder.lane(),
                        holder.inputHash(),
                        holder.run(),
                        holder.lineage(),
                        holder.createdAt(),
                        holder.expiresAt(),
                        state,
                        null,
                        true,
                        false,
                        null,
                        0,
                        null));
        made.put(task.id(), task);
        Submitted answer = created(task.id(), place);
        accepted.put(task.id(), answer);
        return answer;
    }

    private Submitted created(TaskId id, Place place) {
        return new Submitted.Created(
                id, place.run(), place.after() == null ? TaskState.PENDING : TaskState.WAITING, tx.nowInstant());
    }

    /** Inserts what is new so far. */
    private void insert() throws SQLException {
        PostgresInserts.pending(tx, uninserted.values(), held);
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
