package dev.semel.storetests.storm;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.DeadLetter;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting;
import dev.semel.storetests.storm.StormOperation.Certainty;
import dev.semel.storetests.storm.StormWeather.Condition;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One thread of a storm: submits, works, and meddles as an operator does, at random, and records it all. */
final class StormActor implements Runnable {

    private static final int MOST_HELD = 6;

    private final int number;
    private final StormWeather weather;
    private final StormStorage storage;
    private final StormBoard board;
    private final StormPlan plan;
    private final StormHistory history = new StormHistory();
    private final StormCaller caller;
    private final StormAttempts attempts;
    private final Predicate<StormHistory> isOver;
    private final List<NewTask> sent = new ArrayList<>();
    // In this process: others cannot join its transactions.
    private final List<TaskStore> near;
    private final boolean transacting;
    private final ScheduleActor schedules;
    private final FlowActor flows;
    private List<NewTask> lastBulk = List.of();
    private long claims;

    StormActor(
            int number,
            long seed,
            StormWeather weather,
            StormStorage storage,
            List<TaskStore> handles,
            StormClock clock,
            StormBoard board,
            Predicate<StormHistory> isOver) {
        this.number = number;
        this.near = handles.subList(0, StormRound.HANDLES);
        this.transacting = handles.getFirst().transacting().isPresent();
        this.weather = weather;
        this.storage = storage;
        this.board = board;
        this.isOver = isOver;
        this.plan = new StormPlan(seed, number, weather, clock);
        this.caller = new StormCaller(number, handles, clock, plan, history, weather.faults());
        this.attempts = new StormAttempts(plan, weather, board);
        this.schedules = new ScheduleActor(number, plan, clock, caller, history, board);
        this.flows = new FlowActor(number, plan, clock, caller, history, board);
    }

    StormHistory history() {
        return history;
    }

    @Override
    public void run() {
        while (!isOver.test(history)) {
            try {
                act();
            } catch (RuntimeException | Error | SQLException e) {
                history.failed("an actor failed: " + Failures.text(e));
                return;
            }
        }
    }

    private void act() throws SQLException {
        if (weather.has(Condition.WORKFLOWS) && plan.oneIn(3)) {
            flows.act();
            return;
        }
        if (weather.has(Condition.SCHEDULES) && plan.oneIn(8)) {
            schedules.act();
            return;
        }
        int choice = plan.random.nextInt(100);
        if (choice < 34) {
            submit();
        } else if (choice < 54) {
            claim();
        } else if (choice < 88 || !weather.has(Condition.OPERATORS)) {
            settle();
        } else {
            meddle();
        }
    }

    // ---- submitting

    private void submit() throws SQLException {
        if (weather.has(Condition.BULK) && plan.oneIn(25)) {
            submitManyAtOnce();
            return;
        }
        if (plan.oneIn(12) && !sent.isEmpty()) {
            // A caller that did not hear the answer, long after.
            send(List.of(plan.pick(sent)));
            return;
        }
        List<NewTask> batch = plan.submissions(true);
        if (weather.has(Condition.JOINS) && plan.oneIn(6)) {
            join(batch);
            return;
        }
        send(batch);
        if (batch.getFirst().type().equals(StormPlan.FLOW)) {
            return; // an id that was forgotten would be another workflow, with another history
        }
        sent.add(batch.getFirst());
        if (sent.size() > 20) {
            sent.removeFirst();
        }
    }

    /** Sends a large batch, in turn of new keys and of those of the one before, which may still be under way. */
    private void submitManyAtOnce() throws SQLException {
        if (!lastBulk.isEmpty() && plan.oneIn(8)) {
            send(lastBulk);
            return;
        }
        List<NewTask> batch = plan.bulk(plan.oneIn(4) ? board.recentBulk(plan.random) : board.nextBulk());
        if (weather.has(Condition.JOINS) && plan.oneIn(10)) {
            join(batch);
            return;
        }
        lastBulk = batch;
        send(batch);
    }

    private void send(List<NewTask> batch) {
        StormCaller.Answer<List<Submitted>> answer =
                caller.call(span -> record(batch, null, span), (store, again) -> store.submit(batch));
        if (answer != null) {
            record(batch, answer.value(), answer.span());
        }
    }

    private void record(List<NewTask> batch, @Nullable List<Submitted> answers, Span span) {
        if (answers != null && answers.size() != batch.size()) {
            history.failed(answers.size() + " answers to a batch of " + batch.size());
            return;
        }
        Map<Identity, StormOperation> earlier = new HashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            NewTask item = batch.get(i);
            Identity identity = item.key() == null ? null : item.key().identity();
            Submitted answer = answers == null ? null : answers.get(i);
            StormOperation operation = new StormOperation(
                    number,
                    span,
                    identity == null ? null : earlier.get(identity),
                    new StormOperation.Submit(item, answer),
                    answer == null ? Certainty.LOST : Certainty.ANSWERED);
            history.add(operation);
            if (identity != null) {
                earlier.put(identity, operation);
            }
            if (answer instanceof Submitted.Created) {
                board.seen(item.id(), identity, plan.random);
                if (item.type().equals(StormPlan.FLOW)) {
                    board.sawFlow(item.id(), plan.random);
                }
            }
        }
    }

    /** Submits inside a transaction of the caller's own, which is committed or rolled back. */
    private void join(List<NewTask> batch) throws SQLException {
        boolean commits = plan.random.nextInt(3) > 0;
        Connection connection = connect();
        if (connection == null) {
            send(batch);
            return;
        }
        boolean[] committing = {false};
        try (connection) {
            StormCaller.Answer<List<Submitted>> answer = caller.call(
                    1,
                    span -> {
                        if (committing[0]) {
                            record(batch, null, span);
                        } else {
                            batch.forEach(item -> history.rolledBack(item.id()));
                        }
                    },
                    (store, again) -> {
                        try {
                            connection.setAutoCommit(false);
                            List<Submitted> answers = plan.pick(near)
                                    .joining()
                                    .orElseThrow()
                                    .join(connection)
                                    .submit(batch);
                            if (commits) {
                                committing[0] = true;
                                connection.commit();
                            } else {
                                connection.rollback();
                            }
                            return answers;
                        } catch (SQLException e) {
                            throw new StoreUnavailable("the transaction was cut", e);
                        }
                    });
            if (answer != null && commits) {
                record(batch, answer.value(), answer.span());
            } else if (answer != null) {
                batch.forEach(item -> history.rolledBack(item.id()));
            }
        } catch (SQLException e) {
            // A connection that was cut cannot be closed either.
            history.lost();
        }
    }

    private @Nullable Connection connect() {
        try {
            return storage.connect();
        } catch (SQLException e) {
            return null;
        }
    }

    // ---- working

    private void claim() {
        if (attempts.held() >= MOST_HELD) {
            settle();
            return;
        }
        int limit = 1 + plan.random.nextInt(3);
        ClaimRequest request = new ClaimRequest(
                (long) number << 32 | ++claims,
                false,
                Set.copyOf(plan.queues()),
                null,
                limit,
                limit,
                plan.lease(),
                "storm-" + number);
        StormCaller.Answer<Claims> answer =
                caller.call(history::lostClaim, (store, again) -> store.claim(again ? request.again() : request));
        if (answer == null) {
            return;
        }
        Span span = answer.span().since(answer.first());
        Certainty certainty = answer.isRepeated() ? Certainty.REPEATED : Certainty.ANSWERED;
        for (Claimed claimed : answer.value().tasks()) {
            history.add(new StormOperation(
                    number, span, null, new StormOperation.Claim(claimed, request.lease()), certainty));
            attempts.begin(claimed);
            board.seen(claimed.task().id(), claimed.task().identity(), plan.random);
        }
    }

    private void settle() {
        List<Settlement> batch = attempts.settlements();
        if (batch.isEmpty()) {
            return;
        }
        if (weather.has(Condition.JOINS) && plan.oneIn(8) && batch.getFirst() instanceof Settlement.Complete complete) {
            completeInTransaction(complete);
            return;
        }
        settle(batch);
    }

    private void completeInTransaction(Settlement.Complete complete) {
        StormCaller.Answer<Settled> answer = caller.call(
                1, span -> recordSettlements(List.of(complete), null, transacting, span), (store, again) -> {
                    Optional<Transacting> own = plan.pick(near).transacting();
                    return own.isPresent()
                            ? own.get().complete(complete.lease(), connection -> complete.result())
                            : store.settle(List.of(complete)).getFirst();
                });
        if (answer != null) {
            recordSettlements(List.of(complete), List.of(answer.value()), transacting, answer.span());
        }
    }

    private void settle(List<Settlement> batch) {
        StormCaller.Answer<List<Settled>> answer =
                caller.call(span -> recordSettlements(batch, null, false, span), (store, again) -> store.settle(batch));
        if (answer != null) {
            recordSettlements(batch, answer.value(), false, answer.span());
        }
    }

    private void recordSettlements(
            List<? extends Settlement> batch, @Nullable List<Settled> answers, boolean inTransaction, Span span) {
        if (answers != null && answers.size() != batch.size()) {
            history.failed(answers.size() + " answers to a batch of " + batch.size());
            return;
        }
        Map<TaskId, StormOperation> earlier = new HashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            Settlement settlement = batch.get(i);
            Settled answer = answers == null ? null : answers.get(i);
            TaskId task = settlement.lease().taskId();
            StormOperation operation = new StormOperation(
                    number,
                    span,
                    earlier.get(task),
                    new StormOperation.Settle(settlement, answer, inTransaction),
                    answer == null ? Certainty.LOST : Certainty.ANSWERED);
            history.add(operation);
            earlier.put(task, operation);
            attempts.settled(settlement, answer);
        }
    }

    // ---- what operators do

    private void meddle() {
        StormBoard.Seen seen = board.task(plan.random);
        Operation.Redrive dead = board.dead(plan.random);
        Operation.Resolve unknown = board.unknown(plan.random);
        switch (plan.random.nextInt(12)) {
            case 0, 1 -> {
                if (seen != null) {
                    cancel(seen.id());
                }
            }
            case 2, 3, 4 -> {
                if (dead != null && plan.oneIn(3)) {
                    lookForLetter(new AttemptId(dead.taskId(), dead.attempt()));
                } else if (dead != null) {
                    operate(dead);
                }
            }
            case 5, 6 -> {
                if (seen != null
                        && seen.identity() != null
                        // The record of a dead letter stays, so that it can be asked for at any time.
                        && !seen.identity().scopeName().equals(DeadLetter.SCOPE)
                        && weather.has(Condition.RELEASES)) {
                    operate(new Operation.ReleaseKey(seen.identity(), seen.id()));
                }
            }
            case 7 -> {
                if (unknown != null) {
                    operate(unknown);
                }
            }
            case 8 -> sweep();
            case 9 -> pause();
            default -> look(seen);
        }
    }

    /** Cancels as an operator or as a submitter, which means the same. */
    private void cancel(TaskId id) {
        Operation.Cancel cancel = new Operation.Cancel(id);
        if (plan.oneIn(2)) {
            operate(cancel);
            return;
        }
        List<SubmitRequest> batch = List.of(new SubmitRequest.Cancel(id));
        StormCaller.Answer<List<Submitted>> answer =
                caller.call(span -> recordOperation(cancel, null, span), (store, again) -> store.submit(batch));
        if (answer != null) {
            recordOperation(cancel, operated(answer.value().getFirst()), answer.span());
        }
    }

    private static Operated operated(Submitted answer) {
        return switch ((Submitted.Cancellation) answer) {
            case CANCELLED -> Operated.APPLIED;
            case REQUESTED -> Operated.CANCEL_REQUESTED;
            case TOO_LATE -> Operated.STALE;
            case NOT_FOUND -> Operated.NOT_FOUND;
        };
    }

    private void operate(Operation operation) {
        StormCaller.Answer<List<Operated>> answer = caller.call(
                span -> recordOperation(operation, null, span), (store, again) -> store.operate(List.of(operation)));
        if (answer != null) {
            recordOperation(operation, answer.value().getFirst(), answer.span());
        }
    }

    private void recordOperation(Operation operation, @Nullable Operated answer, Span span) {
        history.add(new StormOperation(
                number,
                span,
                null,
                new StormOperation.Operate(operation, answer),
                answer == null ? Certainty.LOST : Certainty.ANSWERED));
        attempts.operated(operation, answer);
    }

    private void sweep() {
        if (weather.has(Condition.SWEEPS)) {
            SweepRequest request = new SweepRequest(
                    IdentityModel.RETENTION,
                    StormQueues.of(weather).retentions(),
                    IdentityModel.RETENTION,
                    1 + plan.random.nextInt(200));
            StormCaller.Answer<Swept> answer = caller.call(history::sweep, (store, again) -> store.sweep(request));
            if (answer != null) {
                history.sweep(answer.span().since(answer.first()));
            }
        }
    }

    private void pause() {
        QueueSettings settings = QueueSettings.builder().paused(plan.oneIn(4)).build();
        StormCaller.Answer<List<Operated>> unused = caller.call(
                span -> {},
                (store, again) -> store.operate(List.of(new Operation.SetQueue(StormQueues.SLOW, settings))));
    }

    private void look(StormBoard.@Nullable Seen seen) {
        if (seen == null) {
            return;
        }
        TaskId id = seen.id();
        Identity identity = seen.identity();
        if (identity != null && plan.random.nextBoolean()) {
            StormCaller.Answer<Optional<KeyRecord>> answer =
                    caller.call(span -> {}, (store, again) -> store.record(identity));
            if (answer != null) {
                looked(
                        answer.span(),
                        new StormOperation.LookUp(identity, answer.value().orElse(null)));
            }
            return;
        }
        StormCaller.Answer<Map<TaskId, Task>> answer =
                caller.call(span -> {}, (store, again) -> store.find(List.of(id)));
        if (answer != null) {
            looked(answer.span(), new StormOperation.Look(id, answer.value().get(id)));
        }
    }

    private void lookForLetter(AttemptId death) {
        StormCaller.Answer<Map<Identity, KeyRecord>> answer =
                caller.call(span -> {}, (store, again) -> store.records(LetterReader.identities(death)));
        if (answer != null) {
            looked(
                    answer.span(),
                    new StormOperation.LetterLook(
                            death, answer.value().values().stream().findFirst().orElse(null)));
        }
    }

    private void looked(Span span, StormOperation.Action action) {
        history.add(new StormOperation(number, span, null, action, Certainty.ANSWERED));
    }
}
