package dev.semel.storetests.storm;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.storetests.storm.StormOperation.Certainty;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The workers of workflows among the actors of a storm. They claim a few workflows, all of them the same ones, read their histories,
 * add lines, start steps with and without keys, give some up, wait, end, and return long after their lease was lost. They send
 * signals, some of them twice. They continue as new, and in rounds with operators they restart workflows, some of them twice or on old
 * knowledge. The steps are tasks of the other queues, which the other actors work off.
 */
final class FlowActor {

    private static final int MOST_HELD = 3;
    private static final int MOST_OLD = 6;
    private static final int MOST_SIGNALS = 8;
    private static final int MOST_RESTARTS = 4;

    /** A claimed workflow, and what this actor knows of it. */
    private static final class Held {
        final Claimed claimed;
        final List<NewLine.Abandon> steps = new ArrayList<>();
        final List<Integer> signals = new ArrayList<>();
        int generation = 1;
        int lines = -1;
        int inbox;
        boolean unsure;
        Settlement.@Nullable Ending ending;

        Held(Claimed claimed) {
            this.claimed = claimed;
        }

        TaskId id() {
            return claimed.task().id();
        }
    }

    private final int actor;
    private final StormPlan plan;
    private final StormClock clock;
    private final StormCaller caller;
    private final StormHistory history;
    private final StormBoard board;
    private final List<Held> held = new ArrayList<>();
    private final List<Held> old = new ArrayList<>();
    private final List<SubmitRequest.Signal> signals = new ArrayList<>();
    private final List<Operation.Restart> restarts = new ArrayList<>();
    private long made;

    FlowActor(int actor, StormPlan plan, StormClock clock, StormCaller caller, StormHistory history, StormBoard board) {
        this.actor = actor;
        this.plan = plan;
        this.clock = clock;
        this.caller = caller;
        this.history = history;
        this.board = board;
    }

    void act() {
        switch (plan.random.nextInt(13)) {
            case 0, 1, 2 -> claim();
            case 3 -> signal();
            case 4, 5 -> lookAtAny();
            case 6 -> late();
            case 7 -> {
                if (plan.oneIn(2)) {
                    restart();
                } else {
                    turn();
                }
            }
            default -> turn();
        }
    }

    // ---- claiming and reading

    private void claim() {
        if (held.size() >= MOST_HELD) {
            turn();
            return;
        }
        ClaimRequest request = new ClaimRequest(
                (1L << 62) | (long) actor << 32 | ++made,
                false,
                Set.of(StormQueues.FLOWS, StormQueues.NARROW_FLOWS),
                null,
                1,
                1,
                plan.lease(),
                "storm-" + actor);
        StormCaller.Answer<Claims> answer =
                caller.call(history::lostClaim, (store, again) -> store.claim(again ? request.again() : request));
        if (answer == null) {
            return;
        }
        Certainty certainty = answer.isRepeated() ? Certainty.REPEATED : Certainty.ANSWERED;
        for (Claimed claimed : answer.value().tasks()) {
            note(
                    new StormOperation.Claim(claimed, request.lease()),
                    answer.span().since(answer.first()),
                    certainty);
            held.add(new Held(claimed));
            board.seen(claimed.task().id(), claimed.task().identity(), plan.random);
            board.sawFlow(claimed.task().id(), plan.random);
        }
    }

    private void lookAtAny() {
        TaskId id = board.flow(plan.random);
        if (id == null) {
            return;
        }
        Task before = find(id);
        History between = read(History.Query.whole(id), 1);
        Task after = find(id);
        if (before != null && between != null && before.equals(after)) {
            history.flows().still(new FlowHistory.Still(before, between, Instant.ofEpochMilli(clock.millis())));
        }
    }

    private @Nullable Task find(TaskId id) {
        StormCaller.Answer<Map<TaskId, Task>> answer =
                caller.call(span -> {}, (store, again) -> store.find(List.of(id)));
        if (answer == null) {
            return null;
        }
        Task found = answer.value().get(id);
        note(new StormOperation.Look(id, found), answer.span(), Certainty.ANSWERED);
        return found;
    }

    private @Nullable History read(History.Query query, int known) {
        StormCaller.Answer<Map<TaskId, History>> answer =
                caller.call(span -> {}, (store, again) -> store.histories(List.of(query)));
        if (answer == null) {
            return null;
        }
        History found = answer.value().get(query.workflow());
        if (found == null) {
            history.failed("a history was asked for and not answered: " + query);
        } else {
            history.flows().read(new FlowHistory.Read(query, known, found, answer.span()));
        }
        return found;
    }

    // ---- one turn of a workflow

    private void turn() {
        if (held.isEmpty()) {
            claim();
            return;
        }
        Held one = plan.pick(held);
        if (one.lines < 0 || plan.oneIn(4)) {
            learn(one);
        } else if (plan.oneIn(3)) {
            end(one);
        } else {
            advance(one);
        }
    }

    /** Reads what is new since the last read, as a worker does, or everything again. */
    private void learn(Held one) {
        if (one.lines < 0 || plan.oneIn(3)) {
            boolean unused = learnAll(one);
            return;
        }
        History found = read(new History.Query(one.id(), one.lines, one.inbox), one.generation);
        if (found != null && FlowHistory.newest(one.generation, found) > one.generation) {
            boolean unused = learnAll(one); // what it knows is of a generation that is over
        } else if (found != null) {
            learned(one, found);
        }
    }

    private boolean learnAll(Held one) {
        History found = read(History.Query.whole(one.id()), 1);
        if (found == null) {
            return false;
        }
        one.steps.clear();
        one.signals.clear();
        one.lines = 0;
        one.inbox = 0;
        one.generation = FlowHistory.newest(1, found);
        learned(one, found);
        return true;
    }

    private void learned(Held one, History found) {
        for (HistoryLine line : found.lines()) {
            TaskId step = line.task();
            if (line.kind() == HistoryLine.Kind.STEP && step != null) {
                one.steps.add(new NewLine.Abandon(line.name(), step));
            }
        }
        one.lines += found.lines().size();
        for (InboxEntry entry : found.inbox()) {
            one.inbox = entry.number();
            if (FlowEvidence.isUnreceivedSignal(entry)) {
                one.signals.add(entry.number());
            }
        }
        history.flows().learned(one.claimed.lease().attemptId(), one.generation);
    }

    private void advance(Held one) {
        List<NewLine> lines = new ArrayList<>();
        int size = 1 + plan.random.nextInt(3);
        for (int i = 0; i < size; i++) {
            NewLine line = line(one);
            if (line.identity() == null
                    || lines.stream().noneMatch(other -> line.identity().equals(other.identity()))) {
                lines.add(line); // an advance starts at most one step for each key
            }
        }
        // Now and then lines that do not follow: as from code that counts wrongly.
        int first = one.lines + 1 + (plan.oneIn(30) ? 1 : 0);
        Settlement.Advance advance = new Settlement.Advance(one.claimed.lease(), first, lines);
        Settled answer = settle(advance);
        if (answer == Settled.APPLIED) {
            one.lines += lines.size();
        } else if (answer == null) {
            // Its lines may be there or not: it must not count on.
            one.unsure = true;
            held.remove(one);
            old.add(one);
        }
    }

    private NewLine line(Held one) {
        return switch (plan.random.nextInt(8)) {
            case 0, 1 ->
                new NewLine.Note(
                        HistoryLine.Kind.VALUE,
                        "note",
                        "\"" + one.claimed.lease().attempt() + "-" + actor + "-" + ++made + "\"");
            case 2, 3 -> one.steps.isEmpty() ? new NewLine.Step(plan.step()) : plan.pick(one.steps);
            default -> new NewLine.Step(plan.step());
        };
    }

    private void end(Held one) {
        // As a worker it has seen all that its own attempt has written, so that a line that goes was read by somebody.
        boolean anew = plan.oneIn(12);
        if (anew && !learnAll(one)) {
            return;
        }
        held.remove(one);
        old.add(one);
        if (old.size() > MOST_OLD) {
            old.removeFirst();
        }
        if (plan.forgets()) {
            return;
        }
        Settlement.Ending ending = anew ? anew(one) : ending(one);
        one.ending = ending;
        Settled unused = settle(ending);
    }

    private Settlement.Ending ending(Held one) {
        return switch (plan.random.nextInt(14)) {
            case 0 -> new Settlement.Complete(one.claimed.lease(), "\"done\"");
            case 1 -> new Settlement.Fail(one.claimed.lease(), false, "broken");
            case 2 -> new Settlement.Retry(one.claimed.lease(), plan.delay(), "again");
            case 3 -> new Settlement.PutBack(one.claimed.lease(), plan.delay());
            case 4 -> new Settlement.Cancelled(one.claimed.lease());
            default ->
                new Settlement.Wait(
                        one.claimed.lease(),
                        one.inbox,
                        1 + plan.random.nextInt(3),
                        plan.oneIn(3) ? Instant.ofEpochMilli(clock.millis() + plan.random.nextInt(60)) : null,
                        plan.oneIn(10) ? "does not fit" : null);
        };
    }

    /** Some of the signals that it has seen are left to the next generation. The input tells the continuations apart. */
    private Settlement.Continue anew(Held one) {
        return new Settlement.Continue(
                one.claimed.lease(),
                one.inbox,
                one.signals.stream().filter(signal -> plan.random.nextBoolean()).toList(),
                "\"" + one.claimed.lease().attempt() + "-" + actor + "-" + ++made + "\"",
                Instant.ofEpochMilli(clock.millis()));
    }

    /** A worker that comes back long after: it repeats its end, or wants to start steps. */
    private void late() {
        if (old.isEmpty()) {
            turn();
            return;
        }
        Held zombie = plan.pick(old);
        Settlement.Ending ending = zombie.ending;
        if (ending != null && plan.random.nextBoolean()) {
            Settled unused = settle(ending);
        } else if (zombie.lines < 0) {
            learn(zombie);
        } else if (!zombie.unsure) {
            Settlement.Advance advance = new Settlement.Advance(
                    zombie.claimed.lease(), zombie.lines + 1, List.of(new NewLine.Step(plan.step())));
            Settled answer = settle(advance);
            zombie.unsure = answer == null;
            zombie.lines += answer == Settled.APPLIED ? advance.lines().size() : 0;
        }
    }

    // ---- sending

    private @Nullable Settled settle(Settlement settlement) {
        StormCaller.Answer<List<Settled>> answer = caller.call(
                span -> record(settlement, null, span), (store, again) -> store.settle(List.of(settlement)));
        if (answer == null) {
            return null;
        }
        Settled settled = answer.value().getFirst();
        record(settlement, settled, answer.span());
        if (settlement instanceof Settlement.Fail fail && settled == Settled.APPLIED) {
            board.died(new Operation.Redrive(fail.lease().taskId(), fail.lease().attempt()), plan.random);
        }
        return settled;
    }

    private void record(Settlement settlement, @Nullable Settled answer, Span span) {
        Certainty certainty = answer == null ? Certainty.LOST : Certainty.ANSWERED;
        note(new StormOperation.Settle(settlement, answer, false), span, certainty);
        if (!(settlement instanceof Settlement.Advance advance) || (answer != null && answer != Settled.APPLIED)) {
            return;
        }
        // What became of its steps is found out by who saw them, and whether one was cancelled is not answered.
        for (NewLine line : advance.lines()) {
            switch (line) {
                case NewLine.Step(NewTask task) -> {
                    note(new StormOperation.Submit(task, null), span, Certainty.LOST);
                    board.seen(task.id(), task.key() == null ? null : task.key().identity(), plan.random);
                }
                case NewLine.Abandon abandon ->
                    note(new StormOperation.Operate(new Operation.Cancel(abandon.step()), null), span, Certainty.LOST);
                case NewLine.Note note -> {}
                case NewLine.Answer reply -> {}
            }
        }
    }

    private void note(StormOperation.Action action, Span span, Certainty certainty) {
        history.add(new StormOperation(actor, span, null, action, certainty));
    }

    /** Restarts a workflow from some line of the history that it has now, or sends an earlier restart again. */
    private void restart() {
        if (!plan.hasOperators()) {
            turn();
            return;
        }
        Operation.Restart restart;
        TaskId id = board.flow(plan.random);
        if (!restarts.isEmpty() && plan.oneIn(4)) {
            restart = plan.pick(restarts);
        } else if (id != null) {
            History found = read(History.Query.whole(id), 1);
            if (found == null) {
                return;
            }
            int generation = FlowHistory.newest(1, found);
            restart = new Operation.Restart(
                    id,
                    generation > 1 && plan.oneIn(8) ? generation - 1 : generation,
                    plan.random.nextInt(found.lines().size() + 2) + (plan.oneIn(20) ? 1 : 0));
            restarts.add(restart);
            if (restarts.size() > MOST_RESTARTS) {
                restarts.removeFirst();
            }
        } else {
            return;
        }
        StormCaller.Answer<List<Operated>> answer = caller.call(
                span -> note(new StormOperation.Operate(restart, null), span, Certainty.LOST),
                (store, again) -> store.operate(List.of(restart)));
        if (answer != null) {
            note(new StormOperation.Operate(restart, answer.value().getFirst()), answer.span(), Certainty.ANSWERED);
        }
    }

    private void signal() {
        TaskId id = board.flow(plan.random);
        SubmitRequest.Signal signal;
        if (!signals.isEmpty() && plan.oneIn(4)) {
            signal = plan.pick(signals);
        } else if (id != null) {
            signal = new SubmitRequest.Signal(id, "signal-" + actor + "-" + ++made, "go", "\"" + made + "\"");
            signals.add(signal);
            if (signals.size() > MOST_SIGNALS) {
                signals.removeFirst();
            }
        } else {
            return;
        }
        List<SubmitRequest> batch = List.of(signal);
        StormCaller.Answer<List<Submitted>> answer = caller.call(
                span -> note(new StormOperation.Signal(signal, null), span, Certainty.LOST),
                (store, again) -> store.submit(batch));
        if (answer != null && answer.value().getFirst() instanceof Submitted.Signalled signalled) {
            note(new StormOperation.Signal(signal, signalled), answer.span(), Certainty.ANSWERED);
        } else if (answer != null) {
            history.failed("a signal was answered with " + answer.value());
        }
    }
}
