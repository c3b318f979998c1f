package dev.semel.schedule;

import dev.semel.schedule.ScheduleState.Outcome;
import dev.semel.schedule.ScheduleState.Tick;
import dev.semel.store.NewTask;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ScheduleId;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the due ticks of a schedule do: a pure function of the definition, the state, the store's time and which tasks of earlier ticks
 * are open.
 *
 * @param state the state from then on
 * @param create the tasks of the ticks
 * @param cancel the tasks that they replace
 */
record TickPlan(ScheduleState state, List<NewTask> create, List<TaskId> cancel) {

    /** How many ticks one change makes at the most; the rest follows with the next. */
    static final int MAX_TICKS = 100;

    /** How long the record of a tick answers for it. The position outlives it. */
    private static final Duration WINDOW = Duration.ofDays(30);

    private static final Scope SCOPE = Scope.custom("semel.schedule");
    private static final String MUTEX = "semel.schedule:";
    private static final int MAX_COUNTED = 1_000;

    /** The tasks of a schedule: their identity, options and ids. */
    record Tasks(ScheduleId id, Schedule schedule, TaskOptions options, Supplier<TaskId> ids) {

        NewTask of(Instant tick, String key) {
            Json input = schedule.input(tick);
            boolean alone = schedule.overlap() == Overlap.WAIT || schedule.overlap() == Overlap.REPLACE;
            String mutex = alone ? MUTEX + schedule.name() : schedule.mutex().orElse(null);
            return new NewTask(
                    ids.get(),
                    id.tenant(),
                    schedule.queue(),
                    schedule.type(),
                    input.text(),
                    new NewTask.Start.At(tick.plus(jitter(tick))),
                    new TaskOptions(
                            schedule.priority() != 0 ? schedule.priority() : options.priority(),
                            options.retry(),
                            options.timeout(),
                            mutex),
                    new NewTask.KeyRequest(
                            Identity.of(
                                    id.tenant(),
                                    // A workflow is looked up by its id in the scope of its type.
                                    schedule.workflowScope().orElse(SCOPE),
                                    schedule.queue(),
                                    schedule.type(),
                                    key),
                            InputHash.of(input, List.of()),
                            WINDOW,
                            ReusePolicy.never()));
        }

        NewTask of(Instant tick) {
            return of(tick, schedule.name() + "@" + tick);
        }

        /** The same for every scheduler that makes this tick. */
        private Duration jitter(Instant tick) {
            long most = schedule.jitter().toMillis();
            if (most == 0) {
                return Duration.ZERO;
            }
            long mixed = (schedule.name().hashCode() * 31L + tick.toEpochMilli()) * 0x9E3779B97F4A7C15L;
            return Duration.ofMillis(Math.floorMod(mixed ^ (mixed >>> 32), most + 1));
        }
    }

    /** The ticks that are due: those to make, in order, and what was missed before them. */
    private record Due(int missed, @Nullable Instant lastMissed, List<Instant> ticks, Instant position) {}

    static TickPlan of(Tasks tasks, ScheduleState before, Instant now, Predicate<TaskId> open) {
        Due due = due(tasks.schedule(), before.position(), now);
        return new Planner(tasks, now, open).plan(before, due);
    }

    private static Due due(Schedule schedule, Instant position, Instant now) {
        // A tick at this time or before was missed.
        Instant late = latest(position, now.minus(CatchUp.TOLERANCE).minusMillis(1));
        int missed = 0;
        for (Instant tick = next(schedule, position, late); tick != null && missed < MAX_COUNTED; ) {
            missed++;
            tick = next(schedule, tick, late);
        }
        List<Instant> onTime = new ArrayList<>();
        for (Instant tick = next(schedule, late, now); tick != null; tick = next(schedule, tick, now)) {
            onTime.add(tick);
        }
        int most = schedule.catchUp().most();
        boolean superseded = most == 1 && !onTime.isEmpty();
        List<Instant> ticks = new ArrayList<>();
        if (missed > 0 && !superseded) {
            ticks.addAll(lastOf(schedule, position, late, most));
        }
        missed -= ticks.size();
        Instant lastMissed =
                missed == 0 ? null : ticks.isEmpty() ? late : ticks.getFirst().minusMillis(1);
        ticks.addAll(onTime);
        if (ticks.size() > MAX_TICKS) {
            List<Instant> first = List.copyOf(ticks.subList(0, MAX_TICKS));
            return new Due(missed, lastMissed, first, first.getLast());
        }
        return new Due(missed, lastMissed, ticks, ticks.isEmpty() ? late : latest(late, ticks.getLast()));
    }

    private static @Nullable Instant next(Schedule schedule, Instant after, Instant until) {
        return schedule.next(after).filter(tick -> !tick.isAfter(until)).orElse(null);
    }

    /** The last ticks of a span, which may have millions: looked for from its end, in growing steps. */
    private static List<Instant> lastOf(Schedule schedule, Instant after, Instant until, int most) {
        Duration span = CatchUp.TOLERANCE;
        while (true) {
            Instant from = latest(after, until.minus(span));
            Deque<Instant> last = new ArrayDeque<>();
            for (Instant tick = next(schedule, from, until); tick != null; tick = next(schedule, tick, until)) {
                last.addLast(tick);
                if (last.size() > most) {
                    last.removeFirst();
                }
            }
            if (last.size() >= most || from.equals(after)) {
                return List.copyOf(last);
            }
            span = span.multipliedBy(8);
        }
    }

    private static Instant latest(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    /** Decides tick by tick. */
    private static final class Planner {

        private final Tasks tasks;
        private final Instant now;
        private final Predicate<TaskId> open;
        private final List<NewTask> create = new ArrayList<>();
        private final Set<TaskId> created = new HashSet<>();
        private final List<TaskId> cancel = new ArrayList<>();

        Planner(Tasks tasks, Instant now, Predicate<TaskId> open) {
            this.tasks = tasks;
            this.now = now;
            this.open = open;
        }

        TickPlan plan(ScheduleState before, Due due) {
            ScheduleState state = before;
            if (due.lastMissed() != null) {
                state = state.with(new Tick(due.lastMissed(), now, Outcome.MISSED, null, due.missed()));
            }
            for (Instant tick : due.ticks()) {
                boolean newest = tick.equals(due.ticks().getLast());
                state = state.with(makes(state, newest) ? made(tick) : new Tick(tick, now, Outcome.SKIPPED, null, 1));
            }
            return new TickPlan(state.at(due.position()), create, cancel);
        }

        private boolean makes(ScheduleState state, boolean newest) {
            boolean lastOpen = isOpen(state.last());
            boolean previousOpen = isOpen(state.previous());
            return switch (tasks.schedule().overlap()) {
                case ALLOW -> true;
                case SKIP -> !lastOpen && !previousOpen;
                case WAIT -> !(lastOpen && previousOpen);
                case REPLACE -> {
                    // Of several due ticks each would replace the one before: only the newest is worth a task.
                    if (newest) {
                        addIfOpen(state.last());
                        addIfOpen(state.previous());
                    }
                    yield newest;
                }
            };
        }

        private void addIfOpen(@Nullable TaskId id) {
            if (id != null && isOpen(id)) {
                cancel.add(id);
            }
        }

        private Tick made(Instant tick) {
            NewTask task = tasks.of(tick);
            create.add(task);
            created.add(task.id());
            return new Tick(tick, now, Outcome.STARTED, task.id(), 1);
        }

        private boolean isOpen(@Nullable TaskId id) {
            return id != null && (created.contains(id) || open.test(id));
        }
    }
}
