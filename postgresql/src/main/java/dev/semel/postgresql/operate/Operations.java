package dev.semel.postgresql.operate;

import dev.semel.postgresql.claim.QueueAllowances;
import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.submit.LockedSubmit;
import dev.semel.postgresql.submit.RetryNotes;
import dev.semel.postgresql.table.FlowRows;
import dev.semel.postgresql.table.GenerationRows;
import dev.semel.postgresql.table.KeyRecords;
import dev.semel.postgresql.table.KeyRecords.Found;
import dev.semel.postgresql.table.KeyRecords.Holder;
import dev.semel.postgresql.table.KeyRecords.Locked;
import dev.semel.postgresql.table.ScheduleRows;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.table.TaskLocker;
import dev.semel.postgresql.table.TimeLimitRows;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.QueueSettingsSnapshot;
import dev.semel.postgresql.transaction.QueueSettingsSnapshot.Layer;
import dev.semel.postgresql.transaction.RecordKey;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Attempt.Outcome;
import dev.semel.store.CancelDecision;
import dev.semel.store.DeadLetter;
import dev.semel.store.DuplicateCounts;
import dev.semel.store.KeyHolder;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Operation.ChangeSchedule.Verdict;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.RedriveDecision;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Carries out operations on tasks, keys, effects, queues and schedules. */
public final class Operations {

    private static final String FIND = """
            SELECT t.lane, t.scope, t.key, t.ttl, t.run, t.lineage, t.created_at, t.input_hash, t.retry,
              CASE WHEN d.task IS NOT NULL THEN d.state
                WHEN (SELECT 1 FROM semel.ready q WHERE q.lane = t.lane AND NOT q.suspect AND q.seq = t.seq
                    AND q.order_at = coalesce(t.start_at, t.created_at) - t.priority * 60000::bigint LIMIT 1) = 1
                  OR (SELECT 1 FROM semel.ready m WHERE m.task = t.id AND m.attempt > 0 LIMIT 1) = 1 THEN 'pending'
                WHEN (SELECT 1 FROM semel.waiting w WHERE w.task = t.id LIMIT 1) = 1 THEN 'waiting'
                ELSE 'running' END AS state,
              d.attempt
            FROM semel.task t
            LEFT JOIN LATERAL (SELECT x.task, x.state, x.attempt FROM semel.done x WHERE x.task = t.id LIMIT 1) d ON true
            WHERE t.id = ?
            """;

    private static final String OUTCOME =
            "SELECT outcome, given_up IS NOT NULL AS gave_up FROM semel.attempt WHERE task = ? AND number = ?";

    private static final String REDRIVE = """
            WITH dead AS (
              DELETE FROM semel.done WHERE task = ? AND attempt = ? AND state IN ('failed', 'timed_out')
              RETURNING task, finished_at, started_at, lane, attempt, state, outcome, worker, error
            ), kept AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker, error, given_up)
              SELECT task, attempt, coalesce(started_at, finished_at), finished_at, coalesce(outcome, state), coalesce(worker, ''),
                error, CASE WHEN coalesce(outcome, state) NOT IN ('failed', 'timed_out') THEN error END
              FROM dead WHERE worker IS NOT NULL OR state = 'timed_out'
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

    private final Transaction tx;

    public Operations(Transaction tx) {
        this.tx = tx;
    }

    /**
     * The parts of a batch that are carried out in one transaction each, in order. Locks are taken in one order in each of
     * them, so only cancellations are together, changes of queues, which all begin with the same lock, and changes of different
     * schedules.
     */
    public static List<List<Operation>> together(List<Operation> batch) {
        List<List<Operation>> parts = new ArrayList<>();
        for (Operation operation : batch) {
            if (parts.isEmpty() || !joins(parts.getLast(), operation)) {
                parts.add(new ArrayList<>());
            }
            parts.getLast().add(operation);
        }
        return parts;
    }

    private static boolean joins(List<Operation> part, Operation next) {
        return switch (next) {
            case Operation.Cancel cancel -> part.getFirst() instanceof Operation.Cancel;
            case Operation.OfQueue change -> part.getFirst() instanceof Operation.OfQueue;
            case Operation.ChangeSchedule change ->
                part.stream()
                        .allMatch(other -> other instanceof Operation.ChangeSchedule earlier
                                && !earlier.id().equals(change.id()));
            default -> false;
        };
    }

    /** Carries out one of the parts that {@link #together} gives. */
    public List<Operated> operate(List<Operation> part) throws SQLException {
        return switch (part.getFirst()) {
            case Operation.Cancel first ->
                cancel(part.stream().map(Operation.Cancel.class::cast).toList());
            case Operation.Resolve resolve -> List.of(new EffectResolver(tx).resolve(resolve));
            case Operation.Redrive(TaskId id, int attempt) -> List.of(redrive(id, attempt));
            case Operation.Restart restart -> List.of(restart(restart));
            case Operation.ReleaseKey(Identity identity, TaskId id) -> List.of(release(identity, id));
            case Operation.Erase(TaskId id) -> List.of(erase(id));
            case Operation.ChangeSchedule first ->
                changeSchedules(
                        part.stream().map(Operation.ChangeSchedule.class::cast).toList());
            case Operation.OfQueue first ->
                changeQueues(part.stream().map(Operation.OfQueue.class::cast).toList());
        };
    }

    /** Adds counts of duplicates to the records of those tasks that still hold their key. */
    public void count(List<DuplicateCounts.Count> counts) throws SQLException {
        List<RecordKey> keys = new ArrayList<>(counts.size());
        for (DuplicateCounts.Count count : counts) {
            // A scope without a number has no records.
            int scope = tx.names().findScope(tx.session(), count.identity()).orElse(0);
            keys.add(new RecordKey(scope, count.identity().key()));
        }
        Map<RecordKey, Found> found = KeyRecords.find(tx.session(), new TreeSet<>(keys));
        Map<RecordKey, Long> counted = new TreeMap<>();
        for (int i = 0; i < counts.size(); i++) {
            Found holder = found.get(keys.get(i));
            if (holder != null && holder.taskId().equals(counts.get(i).taskId())) {
                counted.merge(keys.get(i), (long) counts.get(i).count(), Long::sum);
            }
        }
        KeyRecords.count(tx, counted, found);
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
            @Nullable String options,
            TaskState state,
            int endedAt) {}

    private @Nullable Row find(TaskId id) throws SQLException {
        return tx.sql(FIND).with(id).first(Operations::row);
    }

    private static Row row(ResultSet row) throws SQLException {
        String key = row.getString("key");
        byte[] hash = row.getBytes("input_hash");
        return new Row(
                row.getInt("lane"),
                key == null ? null : new RecordKey(row.getInt("scope"), key),
                row.getLong("ttl"),
                row.getInt("run"),
                SqlStatement.idOrNull(row, "lineage"),
                row.getLong("created_at"),
                hash == null ? null : InputHash.ofBytes(hash),
                row.getString("retry"),
                TaskState.parse(row.getString("state")),
                row.getInt("attempt"));
    }

    private List<Operated> cancel(List<Operation.Cancel> moves) throws SQLException {
        Set<TaskId> open =
                TaskLocker.lock(tx, moves.stream().map(Operation.Cancel::taskId).toList(), List.of());
        List<Operated> answers = new ArrayList<>(moves.size());
        for (Operation.Cancel move : moves) {
            answers.add(cancel(move.taskId(), open));
        }
        return answers;
    }

    private Operated cancel(TaskId id, Set<TaskId> locked) throws SQLException {
        Row task = find(id);
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        if (task.state().isOpen() && !locked.contains(id)) {
            throw new Race("a task moved on while it was to be locked");
        }
        CancelDecision decision = CancelDecision.of(task.state());
        boolean changed = switch (decision) {
            case END -> TaskEnds.cancel(tx, id, task.state());
            case ASK -> TaskEnds.ask(tx, id);
            case DONE_BEFORE, TOO_LATE -> true;
        };
        if (!changed) {
            throw new IllegalStateException(
                    "Expected locked task " + id + " to be " + task.state().word() + ", but it is not any more");
        }
        return decision.answer();
    }

    private Operated redrive(TaskId id, int attempt) throws SQLException {
        Row first = find(id);
        if (first == null) {
            return Operated.NOT_FOUND;
        }
        RecordKey key = first.key();
        // First the record, as every change of a key's owner does; what it depends on is read after that.
        Locked record = key == null ? null : KeyRecords.lock(tx, List.of(key)).get(key);
        Row task = find(id);
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        RedriveDecision decision =
                RedriveDecision.decide(letter(task, id), attempt, key(task, record), tx.nowInstant());
        if (decision instanceof RedriveDecision.NotDead notDead) {
            return notDead.answer(diedBefore(id, attempt));
        }
        Operated answer = decided(task, id, record, decision);
        if (answer == Operated.APPLIED) {
            int rows = tx.sql(REDRIVE).with(id).with(attempt).with(tx.now()).update();
            if (rows != 1) {
                throw new Race("a dead letter was redriven or swept at the same moment");
            }
            TimeLimitRows.redrive(tx, id, task.options(), Instant.ofEpochMilli(task.createdAt()), attempt);
            tx.news().due(tx.lane(task.lane()).queue());
        }
        return answer;
    }

    private Operated restart(Operation.Restart restart) throws SQLException {
        TaskId id = restart.taskId();
        Row first = find(id);
        if (first == null || !GenerationRows.isWorkflow(tx, id)) {
            return Operated.NOT_FOUND;
        }
        RecordKey key = first.key();
        Locked record = key == null ? null : KeyRecords.lock(tx, List.of(key)).get(key);
        // From here on no claim takes it, and nothing wakes it.
        Set<TaskId> locked = TaskLocker.lock(tx, List.of(id), List.of());
        // The counters before the key, which may have to be added: a restart that is stale adds none.
        Transaction rest = tx.unordered();
        StoredFlow flow = FlowRows.lock(rest, id);
        Row task = find(id);
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        if (task.state().isOpen() && !locked.contains(id)) {
            throw new Race("a workflow moved on while it was to be locked");
        }
        switch (GenerationRows.decide(rest, flow, restart)) {
            case DONE_BEFORE -> {
                return Operated.APPLIED;
            }
            case STALE, FULL -> {
                return Operated.STALE;
            }
            case ADD -> {}
        }
        if (!GenerationRows.mayRestart(rest, id, task.state())) {
            return Operated.HELD;
        }
        Operated answer =
                decided(task, id, record, RedriveDecision.decide(letter(task, id), key(task, record), tx.nowInstant()));
        if (answer == Operated.APPLIED) {
            GenerationRows.begin(rest, flow, restart);
            if (!GenerationRows.run(rest, id, task.state())) {
                throw new Race("a workflow was swept or moved on at the same moment");
            }
            TimeLimitRows.restart(tx, id, task.options());
            tx.news().due(tx.lane(task.lane()).queue());
        }
        return answer;
    }

    private static RedriveDecision.Letter letter(Row task, TaskId id) {
        return new RedriveDecision.Letter(id, task.state(), task.endedAt(), Instant.ofEpochMilli(task.createdAt()));
    }

    private RedriveDecision.@Nullable Key key(Row task, @Nullable Locked record) throws SQLException {
        RecordKey key = task.key();
        return key == null
                ? null
                : new RedriveDecision.Key(
                        Duration.ofMillis(task.ttl()),
                        record == null ? null : holder(record),
                        !KeyRecords.openFormers(tx, List.of(key)).isEmpty());
    }

    /** Does to the key of a task what was decided; applied unless another task has it. */
    private Operated decided(Row task, TaskId id, @Nullable Locked record, RedriveDecision decision)
            throws SQLException {
        switch (decision) {
            case RedriveDecision.Superseded superseded -> {
                return Operated.SUPERSEDED;
            }
            case RedriveDecision.NotDead notDead -> throw new IllegalStateException("Decided before: " + notDead);
            case RedriveDecision.Run run -> {}
            case RedriveDecision.RunRenewing(Instant expiresAt) ->
                KeyRecords.renew(tx, Objects.requireNonNull(record), expiresAt.toEpochMilli());
            case RedriveDecision.RunTaking taking ->
                takeKey(task, id, Objects.requireNonNull(task.key()), record, taking);
        }
        return Operated.APPLIED;
    }

    /**
     * An attempt that was the death of a task is in the history only if the task was redriven from there. One that parked is
     * always there, and one that was ended by a time limit has any outcome, so these are marked.
     */
    private boolean diedBefore(TaskId id, int attempt) throws SQLException {
        return Boolean.TRUE.equals(tx.sql(OUTCOME)
                .with(id)
                .with(attempt)
                .first(row -> row.getBoolean("gave_up")
                        || Outcome.FAILED.word().equals(row.getString("outcome"))
                        || Outcome.TIMED_OUT.word().equals(row.getString("outcome"))));
    }

    private static KeyHolder holder(Locked record) {
        Found found = record.found();
        return new KeyHolder(found.taskId(), found.state(), Instant.ofEpochMilli(found.expiresAt()));
    }

    private void takeKey(Row task, TaskId id, RecordKey key, @Nullable Locked record, RedriveDecision.RunTaking taking)
            throws SQLException {
        Holder holder = new Holder(
                id,
                task.lane(),
                Objects.requireNonNull(task.inputHash(), "a task with a key has an input hash"),
                task.run(),
                taking.series(),
                task.lineage(),
                task.createdAt(),
                taking.expiresAt().toEpochMilli());
        if (record != null) {
            Locked unused = KeyRecords.takeOver(tx, record, holder, TaskState.PENDING);
            return;
        }
        SortedMap<RecordKey, Holder> one = new TreeMap<>();
        one.put(key, holder);
        Map<RecordKey, Locked> unused = KeyRecords.add(tx, one);
        KeyRecords.removeFormer(tx, key, id);
    }

    private Operated release(Identity identity, TaskId id) throws SQLException {
        OptionalInt scope = tx.names().findScope(tx.session(), identity);
        if (scope.isEmpty()) {
            return Operated.NOT_FOUND;
        }
        RecordKey key = new RecordKey(scope.getAsInt(), identity.key());
        Locked record = KeyRecords.lock(tx, List.of(key)).get(key);
        if (record == null) {
            Row task = find(id);
            return KeyHolder.releaseFree(task != null && key.equals(task.key()));
        }
        boolean formerOpen = !KeyRecords.openFormers(tx, List.of(key)).isEmpty();
        Operated answer = holder(record).release(id, formerOpen);
        if (answer == Operated.APPLIED) {
            KeyRecords.remove(tx, record);
        }
        return answer;
    }

    private Operated erase(TaskId id) throws SQLException {
        Row first = find(id);
        if (first == null) {
            return Operated.NOT_FOUND;
        }
        RecordKey key = first.key();
        // First the record, as every change of a key's owner does; whether the task has ended is read after that.
        if (key != null) {
            Map<RecordKey, Locked> unused = KeyRecords.lock(tx, List.of(key));
        }
        Row task = find(id);
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        if (task.state().isOpen()) {
            return Operated.HELD;
        }
        if (!Sweeper.erase(tx, id, task.lineage() == null ? id : task.lineage())) {
            throw new Race("a task was redriven or swept while it was to be erased");
        }
        return Operated.APPLIED;
    }

    /** Carries out changes of different schedules: locks them in order, then creates tasks, then cancels tasks. */
    private List<Operated> changeSchedules(List<Operation.ChangeSchedule> changes) throws SQLException {
        SortedSet<ScheduleId> ids = new TreeSet<>();
        changes.forEach(change -> ids.add(change.id()));
        Map<ScheduleId, UUID> versions = ScheduleRows.lock(tx, ids);
        List<Operated> answers = new ArrayList<>(changes.size());
        List<NumberedTask> create = new ArrayList<>();
        List<Operation.Cancel> cancel = new ArrayList<>();
        for (Operation.ChangeSchedule change : changes) {
            Verdict verdict = change.decide(versions.get(change.id()), tx.nowInstant());
            answers.add(verdict == Verdict.STALE ? Operated.STALE : Operated.APPLIED);
            if (verdict == Verdict.CHANGE) {
                ScheduleRows.write(tx, change);
                change.create().forEach(task -> create.add(tx.numbered(task)));
                change.cancel().forEach(id -> cancel.add(new Operation.Cancel(id)));
            }
        }
        if (!create.isEmpty()) {
            List<Submitted> unused = new LockedSubmit(tx, RetryNotes.expectingRepeats()).submit(create);
        }
        if (!cancel.isEmpty()) {
            List<Operated> unused = cancel(cancel);
        }
        return answers;
    }

    /** Changes queues in order. Settings are read before the first and after the last change, however many there are. */
    private List<Operated> changeQueues(List<Operation.OfQueue> changes) throws SQLException {
        QueueSettingsSnapshot.lock(tx.session());
        tx.rereadQueues();
        Map<String, QueueSetUp> setUps = new HashMap<>(tx.queues().all());
        Set<String> changed = new TreeSet<>();
        List<Operated> answers = new ArrayList<>(changes.size());
        for (Operation.OfQueue change : changes) {
            String queue = change.queue();
            QueueSetUp before = setUps.getOrDefault(queue, QueueSetUp.NONE);
            QueueSetUp next = switch (change) {
                case Operation.DeclareQueue declare -> new QueueSetUp(declare.settings(), before.set());
                case Operation.SetQueue set ->
                    new QueueSetUp(before.declared(), set.changes().or(before.set()));
                case Operation.ResetQueue reset -> new QueueSetUp(before.declared(), QueueSettings.NONE);
            };
            String deadLetters = next.effective().deadLettersTo();
            if (deadLetters != null
                    && DeadLetter.isCircle(
                            queue,
                            deadLetters,
                            at -> setUps.getOrDefault(at, QueueSetUp.NONE)
                                    .effective()
                                    .deadLettersTo())) {
                answers.add(Operated.CIRCLE);
                continue;
            }
            boolean declared = change instanceof Operation.DeclareQueue;
            QueueSettingsSnapshot.save(
                    tx.session(),
                    queue,
                    declared ? Layer.DECLARED : Layer.SET,
                    declared ? next.declared() : next.set());
            setUps.put(queue, next);
            changed.add(queue);
            answers.add(Operated.APPLIED);
        }
        tx.rereadQueues();
        for (String queue : changed) {
            QueueAllowances.setBackMark(tx, queue);
            tx.news().due(queue);
        }
        return answers;
    }
}
