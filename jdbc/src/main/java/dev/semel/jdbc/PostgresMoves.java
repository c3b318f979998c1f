package dev.semel.jdbc;

import dev.semel.jdbc.PostgresQueues.Layer;
import dev.semel.jdbc.PostgresRecords.Found;
import dev.semel.jdbc.PostgresRecords.Holder;
import dev.semel.jdbc.PostgresRecords.Locked;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import dev.semel.store.Applied;
import dev.semel.store.Attempt.Outcome;
import dev.semel.store.DeadLetter;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Series;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Moving tasks, keys and queues, in order. Moves that follow one another and do not meet are made together. */
final class PostgresMoves {

    private static final String FIND = """
            SELECT t.lane, t.scope, t.key, t.ttl, t.run, t.lineage, t.created_at, t.input_hash,
              CASE WHEN d.task IS NOT NULL THEN d.state ELSE\s""" + PostgresTasks.OPEN_STATE + """
              END, d.attempt
            FROM semel.task t
            LEFT JOIN LATERAL (SELECT x.task, x.state, x.attempt FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
            WHERE t.id = ?
            """;

    private static final String OUTCOME =
            "SELECT outcome, given_up IS NOT NULL FROM semel.attempt WHERE task = ? AND number = ?";

    private static final String REDRIVE = """
            WITH dead AS (
              DELETE FROM semel.done WHERE task = ? AND attempt = ? AND state IN ('failed', 'timed_out')
              RETURNING task, finished_at, started_at, lane, attempt, outcome, worker, error
            ), kept AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker, error)
              SELECT task, attempt, started_at, finished_at, outcome, worker, error FROM dead WHERE worker IS NOT NULL
            ), given_up AS (
              UPDATE semel.attempt a SET given_up = d.error FROM dead d
              WHERE d.worker IS NULL AND a.task = ANY (ARRAY[d.task]) AND a.number = d.attempt
            )
            INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
            SELECT d.task, t.seq, ? - t.priority * 60000::bigint, d.lane, d.attempt, 0, 0, t.priority, false,
              CASE WHEN t.mutex IS NOT NULL THEN
                (SELECT l.tenant || chr(31) || l.type || chr(31) || t.mutex FROM semel.lane l WHERE l.id = t.lane) END
            FROM dead d CROSS JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = d.task LIMIT 1) t
            """;

    private final PostgresTransaction tx;
    private final Set<TaskId> searched;

    /**
     * For one transaction.
     *
     * @param searched tasks of which an earlier transaction of the same moves has found out that it is not known here whether
     *     they share a lease; added to if there are more
     */
    PostgresMoves(PostgresTransaction tx, Set<TaskId> searched) {
        this.tx = tx;
        this.searched = searched;
    }

    /**
     * The parts of a batch that are made in one transaction each, in order. Locks are taken in one order in each of them, so
     * together are only: moves of workers, of each task one that ends or extends its attempt and before that any number that
     * record its effects; cancellations; and counts.
     */
    static List<List<Transition>> together(List<Transition> moves) {
        List<List<Transition>> parts = new ArrayList<>();
        Set<TaskId> met = new HashSet<>();
        for (Transition move : moves) {
            boolean first = parts.isEmpty() || !isAlike(parts.getLast().getFirst(), move);
            boolean again = move instanceof Transition.ByWorker worker
                    && met.contains(worker.lease().taskId());
            if (first || again) {
                parts.add(new ArrayList<>());
                met.clear();
            }
            parts.getLast().add(move);
            if (move instanceof Transition.ByWorker worker && !isOfEffect(worker)) {
                met.add(worker.lease().taskId());
            }
        }
        return parts;
    }

    private static boolean isAlike(Transition one, Transition other) {
        return (one instanceof Transition.ByWorker && other instanceof Transition.ByWorker)
                || (one instanceof Transition.Cancel && other instanceof Transition.Cancel)
                || (one instanceof Transition.CountDuplicates && other instanceof Transition.CountDuplicates);
    }

    /** Makes one of the parts that {@link #together} gives. */
    List<Applied> apply(List<Transition> part) throws SQLException {
        return switch (part.getFirst()) {
            case Transition.ByWorker first -> work(cast(part, Transition.ByWorker.class));
            case Transition.Cancel first -> cancel(cast(part, Transition.Cancel.class));
            case Transition.CountDuplicates first -> count(cast(part, Transition.CountDuplicates.class));
            case Transition other -> List.of(apply(other));
        };
    }

    private static <T extends Transition> List<T> cast(List<Transition> part, Class<T> type) {
        return part.stream().map(type::cast).toList();
    }

    /** Moves of workers: a worker's outbox, in which outcomes and intents lie between ends, is few statements. */
    private List<Applied> work(List<Transition.ByWorker> moves) throws SQLException {
        List<Transition.ByWorker> effects = new ArrayList<>();
        List<Transition.ByWorker> others = new ArrayList<>();
        moves.forEach(move -> (isOfEffect(move) ? effects : others).add(move));
        PostgresSharing sharing = new PostgresSharing(tx);
        sharing.lock(moves, searched);
        sharing.takeOut(effects);
        if (lockInPasses(effects, others)) {
            SortedSet<TaskId> ids = new TreeSet<>();
            moves.forEach(move -> ids.add(move.lease().taskId()));
            List<TaskId> unused = PostgresTaskLocks.running(tx, ids);
        }
        Iterator<Applied> ofEffects = effects.isEmpty()
                ? Collections.emptyIterator()
                : new PostgresEffects(tx, searched).apply(effects).iterator();
        Iterator<Applied> ofOthers =
                new PostgresSettling(tx, sharing, searched).apply(others).iterator();
        return moves.stream()
                .map(move -> isOfEffect(move) ? ofEffects.next() : ofOthers.next())
                .toList();
    }

    /** Whether the rows of running tasks would be locked in several passes, each sorted, but not all of them together. */
    private static boolean lockInPasses(List<Transition.ByWorker> effects, List<Transition.ByWorker> others) {
        long extensions =
                others.stream().filter(Transition.Extend.class::isInstance).count();
        boolean parks = others.stream().anyMatch(Transition.Park.class::isInstance);
        return effects.size() + others.size() > 1
                && (parks
                        || (!effects.isEmpty() && !others.isEmpty())
                        || (extensions > 0 && extensions < others.size()));
    }

    private static boolean isOfEffect(Transition.ByWorker move) {
        return move instanceof Transition.Intend || move instanceof Transition.Conclude;
    }

    private Applied apply(Transition move) throws SQLException {
        return switch (move) {
            case Transition.ByWorker worker -> throw new IllegalStateException("Made together: " + worker);
            case Transition.Cancel cancel -> throw new IllegalStateException("Made together: " + cancel);
            case Transition.Resolve resolve -> new PostgresEffects(tx, searched).resolve(resolve);
            case Transition.Redrive(TaskId id, int attempt) -> redrive(id, attempt);
            case Transition.ReleaseKey(Identity identity, TaskId id) -> release(identity, id);
            case Transition.CountDuplicates count -> throw new IllegalStateException("Made together: " + count);
            case Transition.DeclareQueue(String queue, QueueSettings settings) ->
                change(queue, Layer.DECLARED, before -> new QueueSetUp(settings, before.set()));
            case Transition.SetQueue(String queue, QueueSettings changes) ->
                change(queue, Layer.SET, before -> new QueueSetUp(before.declared(), changes.or(before.set())));
            case Transition.ResetQueue(String queue) ->
                change(queue, Layer.SET, before -> new QueueSetUp(before.declared(), QueueSettings.NONE));
        };
    }

    /**
     * What a move needs to know of a task.
     *
     * @param endedAt the number of the newest attempt, once the task has ended
     */
    private record Row(
            int lane,
            @Nullable RecordKey key,
            long ttl,
            int run,
            @Nullable TaskId lineage,
            long createdAt,
            @Nullable InputHash inputHash,
            TaskState state,
            int endedAt) {}

    private @Nullable Row find(TaskId id) throws SQLException {
        return tx.sql(FIND).with(id).first(PostgresMoves::row);
    }

    private static Row row(ResultSet row) throws SQLException {
        String key = row.getString(3);
        byte[] hash = row.getBytes(8);
        return new Row(
                row.getInt(1),
                key == null ? null : new RecordKey(row.getInt(2), key),
                row.getLong(4),
                row.getInt(5),
                PostgresStatement.idOrNull(row, 6),
                row.getLong(7),
                hash == null ? null : InputHash.ofBytes(hash),
                TaskState.parse(row.getString(9)),
                row.getInt(10));
    }

    private List<Applied> cancel(List<Transition.Cancel> moves) throws SQLException {
        Set<TaskId> open = PostgresTaskLocks.lock(
                tx, moves.stream().map(Transition.Cancel::taskId).toList(), List.of());
        List<Applied> answers = new ArrayList<>(moves.size());
        for (Transition.Cancel move : moves) {
            answers.add(cancel(move.taskId(), open));
        }
        return answers;
    }

    private Applied cancel(TaskId id, Set<TaskId> locked) throws SQLException {
        Row task = find(id);
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        if (task.state().isOpen() && !locked.contains(id)) {
            throw new PostgresFailures.Race("a task moved on while it was to be locked");
        }
        return switch (task.state()) {
            case PENDING, WAITING -> {
                if (!PostgresEnds.cancel(tx, id, task.state())) {
                    throw new IllegalStateException("Expected locked task " + id + " to be open, but it has ended");
                }
                yield Applied.APPLIED;
            }
            case RUNNING -> {
                if (!PostgresEnds.ask(tx, id)) {
                    throw new IllegalStateException("Expected locked task " + id + " to run, but it does not");
                }
                yield Applied.CANCEL_REQUESTED;
            }
            case CANCELLED -> Applied.APPLIED;
            case COMPLETED, FAILED, TIMED_OUT -> Applied.STALE;
        };
    }

    private Applied redrive(TaskId id, int attempt) throws SQLException {
        Row first = find(id);
        if (first == null) {
            return Applied.NOT_FOUND;
        }
        RecordKey key = first.key();
        // First the record, as every change of a key's owner does; what it depends on is read after that.
        Locked record =
                key == null ? null : PostgresRecords.lock(tx, List.of(key)).get(key);
        Row task = find(id);
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        if (!task.state().isDead() || task.endedAt() != attempt) {
            return diedBefore(id, attempt) ? Applied.APPLIED : Applied.STALE;
        }
        if (key != null && !takeKey(task, id, key, record)) {
            return Applied.SUPERSEDED;
        }
        int rows = tx.sql(REDRIVE).with(id).with(attempt).with(tx.now()).update();
        if (rows != 1) {
            throw new PostgresFailures.Race("a dead letter was redriven or swept at the same moment");
        }
        tx.news().due(tx.lane(task.lane()).queue());
        return Applied.APPLIED;
    }

    /**
     * An attempt that was the death of a task is in the history only if the task was redriven from there. One that parked is
     * always there, so it is marked.
     */
    private boolean diedBefore(TaskId id, int attempt) throws SQLException {
        return Boolean.TRUE.equals(tx.sql(OUTCOME)
                .with(id)
                .with(attempt)
                .first(row -> row.getBoolean(2)
                        || Outcome.FAILED.word().equals(row.getString(1))
                        || Outcome.TIMED_OUT.word().equals(row.getString(1))));
    }

    /** Makes a task hold its key, if it does still or the key is free. */
    private boolean takeKey(Row task, TaskId id, RecordKey key, @Nullable Locked record) throws SQLException {
        // A task that was replaced and still runs has lost the key, but the two must not run at the same time.
        if (!PostgresRecords.openFormers(tx, List.of(key)).isEmpty()) {
            return false;
        }
        if (record != null && record.found().taskId().equals(id)) {
            if (record.found().windowPassed(tx.now())) {
                PostgresRecords.renew(tx, record, tx.now() + task.ttl());
            }
            return true;
        }
        if (record != null
                && (record.found().state().isOpen() || !record.found().windowPassed(tx.now()))) {
            return false;
        }
        long expiresAt = task.createdAt() + task.ttl();
        Holder holder = new Holder(
                id,
                task.lane(),
                Objects.requireNonNull(task.inputHash(), "a task with a key has an input hash"),
                task.run(),
                Series.begunByRedrive(id, task.endedAt()),
                task.lineage(),
                task.createdAt(),
                expiresAt <= tx.now() ? tx.now() + task.ttl() : expiresAt);
        if (record != null) {
            Locked unused = PostgresRecords.takeOver(tx, record, holder, TaskState.PENDING);
            return true;
        }
        SortedMap<RecordKey, Holder> one = new TreeMap<>();
        one.put(key, holder);
        Map<RecordKey, Locked> unused = PostgresRecords.add(tx, one);
        PostgresRecords.removeFormer(tx, key, id);
        return true;
    }

    private Applied release(Identity identity, TaskId id) throws SQLException {
        OptionalInt scope = tx.names().findScope(tx.session(), identity);
        if (scope.isEmpty()) {
            return Applied.NOT_FOUND;
        }
        RecordKey key = new RecordKey(scope.getAsInt(), identity.key());
        Locked record = PostgresRecords.lock(tx, List.of(key)).get(key);
        if (record == null) {
            Row task = find(id);
            return task != null && key.equals(task.key()) ? Applied.APPLIED : Applied.NOT_FOUND;
        }
        if (!record.found().taskId().equals(id)) {
            return Applied.SUPERSEDED;
        }
        if (record.found().state().isOpen()
                || !PostgresRecords.openFormers(tx, List.of(key)).isEmpty()) {
            return Applied.HELD;
        }
        PostgresRecords.remove(tx, record);
        return Applied.APPLIED;
    }

    /** Counts duplicates, those of all keys together. */
    private List<Applied> count(List<Transition.CountDuplicates> moves) throws SQLException {
        List<Applied> answers = new ArrayList<>(moves.size());
        List<RecordKey> keys = new ArrayList<>(moves.size());
        for (Transition.CountDuplicates move : moves) {
            // A scope without a number has no records.
            int scope = tx.names().findScope(tx.session(), move.identity()).orElse(0);
            keys.add(new RecordKey(scope, move.identity().key()));
        }
        Map<RecordKey, Found> found = PostgresRecords.find(tx.session(), new TreeSet<>(keys));
        Map<RecordKey, Long> counted = new TreeMap<>();
        for (int i = 0; i < moves.size(); i++) {
            Found holder = found.get(keys.get(i));
            boolean holds =
                    holder != null && holder.taskId().equals(moves.get(i).taskId());
            if (holds) {
                counted.merge(keys.get(i), (long) moves.get(i).count(), Long::sum);
            }
            answers.add(holder == null ? Applied.NOT_FOUND : holds ? Applied.APPLIED : Applied.SUPERSEDED);
        }
        PostgresRecords.count(tx, counted, found);
        return answers;
    }

    private Applied change(String queue, Layer layer, UnaryOperator<QueueSetUp> change) throws SQLException {
        PostgresQueues.lock(tx.session());
        tx.rereadQueues();
        QueueSetUp next = change.apply(tx.queues().setUp(queue));
        String deadLetters = next.effective().deadLettersTo();
        PostgresQueues queues = tx.queues();
        if (deadLetters != null
                && DeadLetter.isCircle(queue, deadLetters, at -> queues.of(at).deadLettersTo())) {
            return Applied.CIRCLE;
        }
        PostgresQueues.save(tx.session(), queue, layer, layer == Layer.DECLARED ? next.declared() : next.set());
        tx.rereadQueues();
        PostgresAllowances.setBackMark(tx, queue);
        tx.news().due(queue);
        return Applied.APPLIED;
    }
}
