package dev.semel.storetests.storm;

import dev.semel.store.DueSchedules;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleRecord;
import dev.semel.storetests.storm.StormOperation.Certainty;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The schedulers among the actors of a storm. They move a few schedules forward, all of them the same ones: each tick creates a task
 * without a key, so that nothing but the version of the schedule keeps it from being made twice, and most ticks cancel the task of
 * the tick before. Some changes are made from a state that was read long before, as by a scheduler that was frozen.
 */
final class ScheduleActor {

    private static final int TICKING = 3;

    /** Created and removed all the time, without tasks. */
    static final ScheduleId BRIEF = new ScheduleId("north", "brief");

    private static final int MOST_REMEMBERED = 8;
    private static final Pattern DOCUMENT = Pattern.compile("\\{\"position\":(\\d+),\"last\":\"([^\"]*)\"}");

    /** A schedule as it was read; of one that is not stored, position -1. */
    private record State(
            ScheduleId id,
            @Nullable UUID version,
            long position,
            @Nullable TaskId last) {}

    /** A change to send, with what it does to tasks. */
    private record Step(
            Operation.ChangeSchedule operation,
            ScheduleHistory.Change change,
            @Nullable NewTask task) {}

    private final int actor;
    private final StormPlan plan;
    private final StormClock clock;
    private final StormCaller caller;
    private final StormHistory history;
    private final StormBoard board;
    private final List<State> remembered = new ArrayList<>();

    ScheduleActor(
            int actor, StormPlan plan, StormClock clock, StormCaller caller, StormHistory history, StormBoard board) {
        this.actor = actor;
        this.plan = plan;
        this.clock = clock;
        this.caller = caller;
        this.history = history;
        this.board = board;
    }

    private static ScheduleId ticking(int number) {
        return new ScheduleId(number == 0 ? "north" : "south", "ticking-" + number);
    }

    void act() {
        switch (plan.random.nextInt(10)) {
            case 0 -> brief();
            case 1 -> lookWhatIsDue();
            default -> tick();
        }
    }

    // ---- reading

    private @Nullable List<State> read(Set<ScheduleId> ids) {
        StormCaller.Answer<Map<ScheduleId, ScheduleRecord>> answer =
                caller.call(span -> {}, (store, again) -> store.schedules(List.copyOf(ids)));
        if (answer == null) {
            return null;
        }
        List<State> states = new ArrayList<>();
        for (ScheduleId id : ids) {
            ScheduleRecord found = answer.value().get(id);
            State state = found == null ? new State(id, null, ScheduleHistory.ABSENT, null) : state(found);
            states.add(state);
            history.schedules().saw(new ScheduleHistory.Sight(id, state.position(), answer.span()));
        }
        return states;
    }

    private static State state(ScheduleRecord stored) {
        Matcher document = DOCUMENT.matcher(stored.document());
        if (!document.matches()) {
            throw new IllegalStateException("A schedule has another document than any that was sent: " + stored);
        }
        String last = document.group(2);
        return new State(
                stored.id(),
                stored.version(),
                Long.parseLong(document.group(1)),
                last.isEmpty() ? null : TaskId.parse(last));
    }

    private void lookWhatIsDue() {
        StormCaller.Answer<DueSchedules> answer =
                caller.call(span -> {}, (store, again) -> store.dueSchedules(1 + plan.random.nextInt(3)));
        if (answer == null) {
            return;
        }
        for (ScheduleRecord due : answer.value().schedules()) {
            Instant nextAt = due.nextAt();
            if (nextAt == null || nextAt.isAfter(answer.value().now())) {
                history.failed("a schedule is listed as due, but is not: " + due + " at "
                        + answer.value().now());
            }
            if (!due.id().equals(BRIEF)) {
                history.schedules()
                        .saw(new ScheduleHistory.Sight(due.id(), state(due).position(), answer.span()));
            }
        }
    }

    // ---- changing

    /** Moves one to three schedules forward in one call, as a scheduler does when several are due. */
    private void tick() {
        Map<ScheduleId, State> chosen = new LinkedHashMap<>();
        if (!remembered.isEmpty() && plan.oneIn(4)) {
            State old = plan.pick(remembered);
            chosen.put(old.id(), old);
        } else {
            Set<ScheduleId> ids = new TreeSet<>();
            for (int left = 1 + plan.random.nextInt(TICKING); left > 0; left--) {
                ids.add(ticking(plan.random.nextInt(TICKING)));
            }
            List<State> states = read(ids);
            if (states == null) {
                return;
            }
            states.forEach(state -> chosen.put(state.id(), state));
            remember(states.getFirst());
        }
        send(chosen.values().stream().map(this::step).toList());
    }

    private void remember(State state) {
        remembered.add(state);
        if (remembered.size() > MOST_REMEMBERED) {
            remembered.removeFirst();
        }
    }

    private Step step(State before) {
        boolean ticks = before.version() != null && !plan.oneIn(6);
        NewTask task = ticks ? plan.ticked(before.id()) : null;
        long position = Math.max(0, before.position()) + (ticks ? 1 : 0);
        TaskId last = task == null ? before.last() : task.id();
        UUID version = plan.nextId().value();
        ScheduleRecord next = new ScheduleRecord(
                before.id(),
                version,
                plan.oneIn(4) ? null : now().plusMillis(plan.random.nextInt(50)),
                "{\"position\":" + position + ",\"last\":\"" + (last == null ? "" : last) + "\"}");
        boolean replaces = task != null && before.last() != null && !plan.oneIn(4);
        Operation.ChangeSchedule operation = new Operation.ChangeSchedule(
                before.id(),
                before.version(),
                next,
                plan.oneIn(8) ? now().plus(Duration.ofMillis(plan.random.nextInt(5))) : null,
                task == null ? List.of() : List.of(task),
                replaces ? List.of(before.last()) : List.of());
        return new Step(
                operation,
                new ScheduleHistory.Change(
                        before.id(), before.version(), version, position, task == null ? null : task.id()),
                task);
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.millis());
    }

    /** Creates the brief schedule, changes or removes it. */
    private void brief() {
        List<State> read = read(Set.of(BRIEF));
        if (read == null) {
            return;
        }
        State before = read.getFirst();
        boolean removes = before.version() != null && plan.oneIn(2);
        UUID version = removes ? null : plan.nextId().value();
        ScheduleRecord next = version == null
                ? null
                : new ScheduleRecord(BRIEF, version, plan.oneIn(2) ? null : now(), "{\"position\":0,\"last\":\"\"}");
        send(List.of(new Step(
                new Operation.ChangeSchedule(BRIEF, before.version(), next, null, List.of(), List.of()),
                new ScheduleHistory.Change(BRIEF, before.version(), version, 0, null),
                null)));
    }

    private void send(List<Step> steps) {
        List<Operation.ChangeSchedule> batch =
                steps.stream().map(Step::operation).toList();
        StormCaller.Answer<List<Operated>> answer = caller.call(
                span -> steps.forEach(step -> recordTasks(step, Certainty.LOST, span)),
                (store, again) -> store.operate(batch));
        if (answer == null) {
            return;
        }
        if (answer.value().size() != steps.size()) {
            history.failed(answer.value().size() + " answers to a batch of " + steps.size());
            return;
        }
        Span span = answer.span().since(answer.first());
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            ScheduleHistory.Answer answered =
                    new ScheduleHistory.Answer(step.change(), answer.value().get(i), span, answer.isRepeated());
            history.schedules().answered(answered);
            if (answered.isApplied()) {
                recordTasks(step, Certainty.ANSWERED, span);
                if (step.task() != null) {
                    board.seen(step.task().id(), null, plan.random);
                }
            }
        }
    }

    /**
     * Records what a change did to tasks, which is not answered: whether the task was created is found out by who saw it, and a
     * cancellation may have been answered with anything.
     */
    private void recordTasks(Step step, Certainty certainty, Span span) {
        for (TaskId cancelled : step.operation().cancel()) {
            history.add(new StormOperation(
                    actor, span, null, new StormOperation.Operate(new Operation.Cancel(cancelled), null), certainty));
        }
        if (step.task() != null) {
            history.add(new StormOperation(
                    actor, span, null, new StormOperation.Submit(step.task(), null), Certainty.LOST));
        }
    }
}
