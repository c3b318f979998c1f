package dev.semel.jdbc;

import dev.semel.jdbc.PostgresQueues.Layer;
import dev.semel.jdbc.PostgresRecords.Found;
import dev.semel.jdbc.PostgresRecords.Holder;
import dev.semel.jdbc.PostgresRecords.RecordKey;
import dev.semel.store.Applied;
import dev.semel.store.Attempt.Outcome;
import dev.semel.store.DeadLetter;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Moving tasks, keys and queues, in order. Moves of workers that follow one another and do not meet are made together. */
final class PostgresMoves {

    // Times that a move looks again because the task went on between the look and the step.
    private static final int MOST_TURNS = 20;

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

    PostgresMoves(PostgresTransaction tx) {
        this.tx = tx;
    }

    List<Applied> apply(List<Transition> batch) throws SQLException {
        List<Applied> answers = new ArrayList<>(batch.size());
        Together together = new Together();
        List<Transition.CountDuplicates> counts = new ArrayList<>();
        for (Transition move : batch) {
            if (!(move instanceof Transition.CountDuplicates)) {
                count(counts, answers);
            }
            if (move instanceof Transition.ByWorker worker) {
                if (!together.takes(worker)) {
                    together.make(answers);
                }
                together.add(worker);
                continue;
            }
            together.make(answers);
            if (move instanceof Transition.CountDuplicates count) {
                counts.add(count);
            } else {
                answers.add(apply(move));
            }
        }
        together.make(answers);
        count(counts, answers);
        return answers;
    }

    /**
     * Moves of workers that can be made together: one of each task that ends or extends its attempt, and before that any
     * number that record its effects. So a worker's outbox, in which outcomes and intents lie between ends, is few statements.
     */
    private final class Together {

        private final List<Transition.ByWorker> all = new ArrayList<>();
        private final List<Transition.ByWorker> effects = new ArrayList<>();
        private final List<Transition.ByWorker> others = new ArrayList<>();
        private final Set<TaskId> met = new HashSet<>();

        boolean takes(Transition.ByWorker move) {
            return !met.contains(move.lease().taskId());
        }

        void add(Transition.ByWorker move) {
            all.add(move);
            if (isOfEffect(move)) {
                effects.add(move);
            } else {
                others.add(move);
                met.add(move.lease().taskId());
            }
        }

        void make(List<Applied> answers) throws SQLException {
            Iterator<Applied> ofEffects =
                    (effects.isEmpty() ? List.<Applied>of() : new PostgresEffects(tx).apply(effects)).iterator();
            Iterator<Applied> ofOthers =
                    (others.isEmpty() ? List.<Applied>of() : new PostgresSettling(tx).apply(others)).iterator();
            for (Transition.ByWorker move : all) {
                answers.add(isOfEffect(move) ? ofEffects.next() : ofOthers.next());
            }
            all.clear();
            effects.clear();
            others.clear();
            met.clear();
        }

        private static boolean isOfEffect(Transition.ByWorker move) {
            return move instanceof Transition.Intend || move instanceof Transition.Conclude;
        }
    }

    private Applied apply(Transition move) throws SQLException {
        return switch (move) {
            case Transition.ByWorker worker -> throw new IllegalStateException("Made together: " + worker);
            case Transition.Resolve resolve -> new PostgresEffects(tx).resolve(resolve);
            case Transition.Cancel(TaskId id) -> cancel(id);
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

    private Applied cancel(TaskId id) throws SQLException {
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            Row task = find(id);
            if (task == null) {
                return Applied.NOT_FOUND;
            }
            Applied answer = switch (task.state()) {
                case PENDING, WAITING -> PostgresEnds.cancel(tx, id, task.state()) ? Applied.APPLIED : null;
                case RUNNING -> PostgresEnds.ask(tx, id) ? Applied.CANCEL_REQUESTED : null;
                case CANCELLED -> Applied.APPLIED;
                case COMPLETED, FAILED, TIMED_OUT -> Applied.STALE;
            };
            if (answer != null) {
                return answer;
            }
        }
        throw new PostgresFailures.Race(
                "task " + id + " went on " + MOST_TURNS + " times while it was to be cancelled");
    }

    private Applied redrive(TaskId id, int attempt) throws SQLException {
        Row first = find(id);
        if (first == null) {
            return Applied.NOT_FOUND;
        }
        RecordKey key = first.key();
        if (key != null) {
            // First the record, as everybody does who changes hands of a key; what it depends on is read after that.
            PostgresRecords.lock(tx, List.of(key));
        }
        Row task = find(id);
        if (task == null) {
            return Applied.NOT_FOUND;
        }
        if (!task.state().isDead() || task.endedAt() != attempt) {
            return diedBefore(id, attempt) ? Applied.APPLIED : Applied.STALE;
        }
        if (key != null && !takeKey(task, id, key)) {
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
    private boolean takeKey(Row task, TaskId id, RecordKey key) throws SQLException {
        // A task that was replaced and still runs has lost the key, but the two must not run at the same time.
        if (PostgresRecords.openFormer(tx, key) != null) {
            return false;
        }
        Found found = PostgresRecords.find(tx.session(), key);
        if (found != null && found.taskId().equals(id)) {
            if (found.windowPassed(tx.now())) {
                PostgresRecords.renew(tx, key, tx.now() + task.ttl());
            }
            return true;
        }
        if (found != null && (found.state().isOpen() || !found.windowPassed(tx.now()))) {
            return false;
        }
        long expiresAt = task.createdAt() + task.ttl();
        Holder holder = new Holder(
                id,
                task.lane(),
                Objects.requireNonNull(task.inputHash(), "a task with a key has an input hash"),
                task.run(),
                task.lineage(),
                task.createdAt(),
                expiresAt <= tx.now() ? tx.now() + task.ttl() : expiresAt);
        if (found != null) {
            PostgresRecords.takeOver(tx, key, found, holder);
            return true;
        }
        SortedMap<RecordKey, Holder> one = new TreeMap<>();
        one.put(key, holder);
        PostgresRecords.add(tx, one);
        PostgresRecords.removeFormer(tx, key, id);
        return true;
    }

    private Applied release(Identity identity, TaskId id) throws SQLException {
        OptionalInt scope = tx.names().findScope(tx.session(), identity);
        if (scope.isEmpty()) {
            return Applied.NOT_FOUND;
        }
        RecordKey key = new RecordKey(scope.getAsInt(), identity.key());
        PostgresRecords.lock(tx, List.of(key));
        Found found = PostgresRecords.find(tx.session(), key);
        if (found == null) {
            Row task = find(id);
            return task != null && key.equals(task.key()) ? Applied.APPLIED : Applied.NOT_FOUND;
        }
        if (!found.taskId().equals(id)) {
            return Applied.SUPERSEDED;
        }
        if (found.state().isOpen() || PostgresRecords.openFormer(tx, key) != null) {
            return Applied.HELD;
        }
        PostgresRecords.remove(tx, key, found);
        return Applied.APPLIED;
    }

    /** Counts duplicates, those of all keys together. */
    private void count(List<Transition.CountDuplicates> moves, List<Applied> answers) throws SQLException {
        if (moves.isEmpty()) {
            return;
        }
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
        moves.clear();
        PostgresRecords.count(tx, counted, found);
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
