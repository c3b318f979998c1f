package dev.semel.sqlite.operate;

import dev.semel.sqlite.claim.QueueAllowances;
import dev.semel.sqlite.submit.Submissions;
import dev.semel.sqlite.table.AttemptHistory;
import dev.semel.sqlite.table.EffectRows;
import dev.semel.sqlite.table.FlowRows;
import dev.semel.sqlite.table.KeyRecords;
import dev.semel.sqlite.table.KeyRecords.Found;
import dev.semel.sqlite.table.KeyRecords.Holder;
import dev.semel.sqlite.table.ScheduleRows;
import dev.semel.sqlite.table.TaskEnds;
import dev.semel.sqlite.table.TaskRow;
import dev.semel.sqlite.table.TimeLimitRows;
import dev.semel.sqlite.transaction.QueueSettingsCache;
import dev.semel.sqlite.transaction.QueueSettingsCache.Layer;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.CancelDecision;
import dev.semel.store.DeadLetter;
import dev.semel.store.KeyHolder;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.RedriveDecision;
import dev.semel.store.StoredFlow;
import dev.semel.store.Submitted;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Carries out operations on tasks, keys, effects, queues and schedules. */
public final class Operations {

    private static final String REDRIVE = """
            UPDATE semel_task SET state = 'pending', order_at = ?2 - priority * 60000, due_at = ?2, finished_at = NULL,
              failures = 0, vanished = 0, claim = NULL, worker = NULL, started_at = NULL, outcome = NULL,
              former_hash = NULL, cancel_requested = 0
            WHERE seq = ?1
            RETURNING retry
            """;

    private static final String RESTART = """
            UPDATE semel_task SET state = 'pending', order_at = ?2 - priority * 60000, due_at = ?2, finished_at = NULL,
              failures = 0, vanished = 0, claim = NULL, worker = NULL, started_at = NULL, outcome = NULL,
              former_hash = NULL, after_id = NULL, cancel_requested = 0, result = NULL
            WHERE seq = ?1
            RETURNING retry
            """;

    private final Transaction tx;

    public Operations(Transaction tx) {
        this.tx = tx;
    }

    public List<Operated> operate(List<Operation> batch) throws SQLException {
        List<Operated> answers = new ArrayList<>(batch.size());
        for (Operation operation : batch) {
            answers.add(operate(operation));
        }
        return answers;
    }

    private Operated operate(Operation operation) throws SQLException {
        return switch (operation) {
            case Operation.Cancel(TaskId id) -> cancel(id);
            case Operation.Redrive(TaskId id, int attempt) -> redrive(id, attempt);
            case Operation.Restart restart -> restart(restart);
            case Operation.ReleaseKey(Identity identity, TaskId id) -> release(identity, id);
            case Operation.Erase(TaskId id) -> Sweeper.erase(tx, id);
            case Operation.Resolve resolve -> EffectResolver.resolve(tx, resolve);
            case Operation.ChangeSchedule change -> change(change);
            case Operation.DeclareQueue(String queue, QueueSettings settings) ->
                change(
                        queue,
                        Layer.DECLARED,
                        new QueueSetUp(settings, tx.queues().setUp(queue).set()));
            case Operation.SetQueue(String queue, QueueSettings changes) -> {
                QueueSetUp before = tx.queues().setUp(queue);
                yield change(queue, Layer.SET, new QueueSetUp(before.declared(), changes.or(before.set())));
            }
            case Operation.ResetQueue(String queue) ->
                change(queue, Layer.SET, new QueueSetUp(tx.queues().setUp(queue).declared(), QueueSettings.NONE));
        };
    }

    Operated cancel(TaskId id) throws SQLException {
        TaskRow task = TaskRow.find(tx, id);
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        CancelDecision decision = CancelDecision.of(task.state());
        switch (decision) {
            case END -> TaskEnds.cancel(tx, task.seq(), id, task.state());
            case ASK -> TaskEnds.askToCancel(tx, task.seq());
            case DONE_BEFORE, TOO_LATE -> {}
        }
        return decision.answer();
    }

    private Operated redrive(TaskId id, int attempt) throws SQLException {
        TaskRow task = TaskRow.find(tx, id);
        if (task == null) {
            return Operated.NOT_FOUND;
        }
        Found found = found(task);
        RedriveDecision decision = RedriveDecision.decide(letter(task, id), attempt, key(task, found), tx.nowInstant());
        if (decision instanceof RedriveDecision.NotDead notDead) {
            return notDead.answer(AttemptHistory.wasRedriven(tx, task.seq(), attempt));
        }
        Operated answer = decided(task, id, found, decision);
        if (answer == Operated.APPLIED) {
            keepDeath(task);
            TimeLimitRows.redrive(tx, id, task, again(REDRIVE, task));
            tx.claimable(tx.names().lane(task.lane()), tx.now());
        }
        return answer;
    }

    private Operated restart(Operation.Restart restart) throws SQLException {
        TaskId id = restart.taskId();
        TaskRow task = TaskRow.find(tx, id);
        if (task == null || !FlowRows.isWorkflow(tx, id)) {
            return Operated.NOT_FOUND;
        }
        switch (FlowRows.decide(tx, restart)) {
            case DONE_BEFORE -> {
                return Operated.APPLIED;
            }
            case STALE, FULL -> {
                return Operated.STALE;
            }
            case ADD -> {}
        }
        if (!StoredFlow.mayRestart(task.state(), task.attempt() > 0, FlowRows.isListening(tx, id))) {
            return Operated.HELD;
        }
        Found found = found(task);
        Operated answer =
                decided(task, id, found, RedriveDecision.decide(letter(task, id), key(task, found), tx.nowInstant()));
        if (answer == Operated.APPLIED) {
            if (task.state().isDead()) {
                keepDeath(task);
            } else if (task.attemptHere()) {
                AttemptHistory.addEnd(tx, task.seq());
            }
            FlowRows.restart(tx, restart);
            TimeLimitRows.restart(tx, id, task, again(RESTART, task));
            tx.claimable(tx.names().lane(task.lane()), tx.now());
        }
        return answer;
    }

    /** Makes a task pending, and returns its rarely used options. */
    private @Nullable String again(String update, TaskRow task) throws SQLException {
        try (ResultSet row = tx.sql(update).with(task.seq()).with(tx.now()).query()) {
            if (!row.next()) {
                throw new IllegalStateException("Expected a task that is to run again to be stored, but it is not");
            }
            return row.getString(1);
        }
    }

    private void keepDeath(TaskRow task) throws SQLException {
        if (task.attemptHere()) {
            AttemptHistory.addDeath(tx, task.seq());
        } else if (task.state() == TaskState.TIMED_OUT) {
            AttemptHistory.addExpiry(tx, task.seq());
        } else {
            AttemptHistory.markRedriven(tx, task.seq());
        }
    }

    private static RedriveDecision.Letter letter(TaskRow task, TaskId id) {
        return new RedriveDecision.Letter(id, task.state(), task.attempt(), Instant.ofEpochMilli(task.createdAt()));
    }

    private @Nullable Found found(TaskRow task) throws SQLException {
        String key = task.key();
        return key == null ? null : KeyRecords.find(tx.session(), task.scope(), key);
    }

    private RedriveDecision.@Nullable Key key(TaskRow task, @Nullable Found found) throws SQLException {
        String key = task.key();
        return key == null
                ? null
                : new RedriveDecision.Key(
                        Duration.ofMillis(task.ttl()),
                        found == null ? null : found.holder(),
                        KeyRecords.openFormer(tx, task.scope(), key) != null);
    }

    /** Does to the key of a task what was decided; applied unless another task has it. */
    private Operated decided(TaskRow task, TaskId id, @Nullable Found found, RedriveDecision decision)
            throws SQLException {
        switch (decision) {
            case RedriveDecision.Superseded superseded -> {
                return Operated.SUPERSEDED;
            }
            case RedriveDecision.NotDead notDead -> throw new IllegalStateException("Decided before: " + notDead);
            case RedriveDecision.Run run -> {}
            case RedriveDecision.RunRenewing(Instant expiresAt) ->
                KeyRecords.renew(tx, task.scope(), Objects.requireNonNull(task.key()), id, expiresAt.toEpochMilli());
            case RedriveDecision.RunTaking taking ->
                takeKey(task, id, Objects.requireNonNull(task.key()), found, taking);
        }
        return Operated.APPLIED;
    }

    private void takeKey(TaskRow task, TaskId id, String key, @Nullable Found found, RedriveDecision.RunTaking taking)
            throws SQLException {
        Holder holder = new Holder(
                id,
                task.lane(),
                Objects.requireNonNull(task.formerHash(), "a task without its record keeps its hash"),
                task.run(),
                taking.series(),
                task.continued(),
                task.createdAt(),
                taking.expiresAt().toEpochMilli());
        if (found != null) {
            KeyRecords.takeOver(tx, task.scope(), key, found, holder);
            EffectRows.forgetUnlessContinued(tx, found.lineage(), task.scope(), key, null);
        } else if (!KeyRecords.add(tx, task.scope(), key, holder)) {
            throw new IllegalStateException("Expected the key of task " + id + " to be free, but it is held");
        }
    }

    private Operated release(Identity identity, TaskId id) throws SQLException {
        OptionalInt scope = tx.names().findScope(identity);
        Found found = scope.isEmpty() ? null : KeyRecords.find(tx.session(), scope.getAsInt(), identity.key());
        if (found == null) {
            TaskRow task = TaskRow.find(tx, id);
            boolean its = task != null
                    && scope.isPresent()
                    && task.scope() == scope.getAsInt()
                    && identity.key().equals(task.key());
            return KeyHolder.releaseFree(its);
        }
        boolean formerOpen = KeyRecords.openFormer(tx, scope.getAsInt(), identity.key()) != null;
        Operated answer = found.holder().release(id, formerOpen);
        if (answer == Operated.APPLIED) {
            KeyRecords.remove(tx, scope.getAsInt(), identity.key(), found);
            EffectRows.forgetUnlessContinued(tx, found.lineage(), scope.getAsInt(), identity.key(), null);
        }
        return answer;
    }

    private Operated change(Operation.ChangeSchedule change) throws SQLException {
        switch (change.decide(ScheduleRows.version(tx, change.id()), tx.nowInstant())) {
            case DONE_BEFORE -> {
                return Operated.APPLIED;
            }
            case STALE -> {
                return Operated.STALE;
            }
            case CHANGE -> {}
        }
        ScheduleRows.write(tx, change);
        for (TaskId id : change.cancel()) {
            Operated unused = cancel(id);
        }
        List<Submitted> unused = new Submissions(tx).submit(change.create());
        return Operated.APPLIED;
    }

    private Operated change(String queue, Layer layer, QueueSetUp next) throws SQLException {
        QueueSettingsCache queues = tx.queues();
        String deadLetters = next.effective().deadLettersTo();
        if (deadLetters != null
                && DeadLetter.isCircle(queue, deadLetters, at -> queues.of(at).deadLettersTo())) {
            return Operated.CIRCLE;
        }
        queues.save(queue, layer, layer == Layer.DECLARED ? next.declared() : next.set());
        QueueAllowances.setBackMark(tx, queue);
        tx.news().due(queue);
        return Operated.APPLIED;
    }
}
