package dev.semel.schedule;

import dev.semel.engine.Components;
import dev.semel.schedule.ScheduleState.Outcome;
import dev.semel.schedule.ScheduleState.Pause;
import dev.semel.schedule.ScheduleState.Tick;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ScheduleId;
import dev.semel.task.ScheduleNotFound;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of a tenant: look up, define, pause, resume, trigger, remove. Definitions hold for all programs on the store. Every
 * change keeps the history of the schedule, and never makes a second task for a tick.
 */
public final class Schedules {

    /** The maximum number of coming ticks that are listed. */
    public static final int MAX_NEXT = 1_000;

    private static final int MAX_TRIES = 20;

    private final TaskStore store;
    private final String tenant;
    private final Components components;
    private final Function<String, TaskOptions> options;
    private final Runnable changed;

    /**
     * Creates the access to the schedules of a tenant.
     *
     * @param components the store, the clock and the randomness of the instance
     * @param tenant the tenant
     * @param options the configured options of a task type, by its name
     * @param changed called after a change, so that the scheduler of this program looks again
     */
    public Schedules(Components components, String tenant, Function<String, TaskOptions> options, Runnable changed) {
        this.store = components.store();
        this.tenant = tenant;
        this.components = components;
        this.options = options;
        this.changed = changed;
    }

    /** What was removed. */
    public enum Removal {
        /** The schedule is gone. */
        REMOVED,
        /** What was set by hand is gone, and what code or configuration declares holds again. */
        RESET
    }

    /** What becomes of a schedule with a change: its next version, and the tasks that are created and cancelled with it. */
    private record Draft(StoredSchedule next, List<NewTask> create, List<TaskId> cancel) {
        Draft(StoredSchedule next) {
            this(next, List.of(), List.of());
        }
    }

    /** A change of a schedule; it may be called again if the schedule changes meanwhile. */
    private interface Edit {
        /** Returns the next version; empty to remove the schedule. */
        Optional<Draft> of(@Nullable StoredSchedule before, Instant now);
    }

    /**
     * Looks up a schedule.
     *
     * @param name its name
     * @return the schedule; empty if there is none
     */
    public Optional<StoredSchedule> find(String name) {
        ScheduleId id = new ScheduleId(tenant, name);
        return Optional.ofNullable(store.schedules(List.of(id)).get(id)).map(StoredSchedule::of);
    }

    /**
     * Returns a schedule.
     *
     * @param name its name
     * @return the schedule
     * @throws ScheduleNotFound if there is no such schedule
     */
    public StoredSchedule get(String name) {
        return find(name).orElseThrow(() -> unknown(name));
    }

    /**
     * Lists schedules in order of their names.
     *
     * @param after the last name of the page before, or null for the first page
     * @param limit page size
     * @return at most as many as the page size
     */
    public List<StoredSchedule> list(@Nullable String after, int limit) {
        ScheduleId last = after == null ? null : new ScheduleId(tenant, after);
        return store.schedules(new ScheduleQuery(tenant, last, limit)).stream()
                .map(StoredSchedule::of)
                .toList();
    }

    /**
     * Returns the coming ticks of a schedule, whether it is paused or not.
     *
     * @param name its name
     * @param count how many, at most {@link #MAX_NEXT}
     * @return the ticks, in order
     * @throws ScheduleNotFound if there is no such schedule
     */
    public List<Instant> next(String name, int count) {
        if (count < 1 || count > MAX_NEXT) {
            throw new InvalidInput("The number of ticks is 1 to " + MAX_NEXT + ", but got \"" + count + "\".");
        }
        StoredSchedule schedule = get(name);
        Instant now = store.dueSchedules(1).now();
        Instant position = schedule.state().position();
        return Stream.iterate(
                        schedule.definition().next(position.isAfter(now) ? position : now),
                        Optional::isPresent,
                        tick -> schedule.definition().next(tick.orElseThrow()))
                .limit(count)
                .map(Optional::orElseThrow)
                .toList();
    }

    /**
     * Sets a schedule by hand, new or instead of its definition so far. It takes precedence over what code or configuration
     * declares. Ticks of the new definition are made from now on.
     *
     * @param schedule the definition
     * @return the schedule as it is stored
     */
    public StoredSchedule put(Schedule schedule) {
        Limits.notNull("schedule", schedule);
        return change(
                        schedule.name(),
                        (before, now) -> Optional.of(new Draft(
                                before == null
                                        ? new StoredSchedule(id(schedule), null, schedule, ScheduleState.created(now))
                                        : new StoredSchedule(
                                                before.id(),
                                                before.declared(),
                                                schedule,
                                                moved(before, schedule, now)))))
                .orElseThrow();
    }

    /**
     * Declares what code or configuration says about a schedule. What was set by hand takes precedence. Nothing is written if
     * the same was declared before.
     *
     * @param schedule the definition
     */
    public void declare(Schedule schedule) {
        if (find(Limits.notNull("schedule", schedule).name())
                .filter(stored -> schedule.equals(stored.declared()))
                .isPresent()) {
            return;
        }
        Optional<StoredSchedule> unused = change(schedule.name(), (before, now) -> {
            if (before == null) {
                return Optional.of(
                        new Draft(new StoredSchedule(id(schedule), schedule, null, ScheduleState.created(now))));
            }
            ScheduleState state = before.set() == null ? moved(before, schedule, now) : before.state();
            return Optional.of(new Draft(new StoredSchedule(before.id(), schedule, before.set(), state)));
        });
    }

    /**
     * A definition with other times ticks from now on: its ticks before that were nobody's plan. If the times are the same, a tick
     * that is due at this moment is still to be made, with whatever else has changed.
     */
    private static ScheduleState moved(StoredSchedule before, Schedule next, Instant now) {
        ScheduleState state = before.state();
        return next.ticksLike(before.definition()) || state.position().isAfter(now) ? state : state.at(now);
    }

    /**
     * Pauses a schedule: it does not tick. What runs goes on.
     *
     * @param name its name
     * @param reason why; people see it
     * @return the schedule as it is stored
     * @throws ScheduleNotFound if there is no such schedule
     */
    public StoredSchedule pause(String name, String reason) {
        String shortened = Limits.error(Limits.notNull("reason", reason));
        return edit(name, (before, now) -> {
            Pause pause = before.state().pause();
            Instant since = pause == null ? now : pause.since();
            return before.with(before.state().paused(new Pause(since, shortened)));
        });
    }

    /**
     * Lets a paused schedule tick again. Ticks during the pause are not made.
     *
     * @param name its name
     * @return the schedule as it is stored
     * @throws ScheduleNotFound if there is no such schedule
     */
    public StoredSchedule resume(String name) {
        return edit(name, (before, now) -> {
            ScheduleState state = before.state();
            if (state.pause() == null) {
                return before;
            }
            return before.with(state.paused(null).at(state.position().isAfter(now) ? state.position() : now));
        });
    }

    /**
     * Creates a task now, out of turn. The schedule's position stays, so its next tick is made as planned.
     *
     * @param name its name
     * @param overlapping whether the task is created although that of an earlier tick is open and the schedule skips
     *     overlapping ticks
     * @return the task
     * @throws ScheduleNotFound if there is no such schedule
     * @throws InvalidInput if an earlier task is open, and the schedule skips overlapping ticks
     */
    public TaskId trigger(String name, boolean overlapping) {
        return trigger(name, overlapping, TaskId.next(components.clock(), components.random()));
    }

    /**
     * Creates a task now, out of turn, with an id that the caller has made. If no answer arrives, call it again with the same id: a
     * repetition is recognised and creates no second task.
     *
     * @param name its name
     * @param overlapping whether the task is created although that of an earlier tick is open and the schedule skips
     *     overlapping ticks
     * @param id the id of the task, made by {@link TaskId#next}
     * @return the task
     * @throws ScheduleNotFound if there is no such schedule
     * @throws InvalidInput if an earlier task is open, and the schedule skips overlapping ticks; or if the id is that of another task
     */
    public TaskId trigger(String name, boolean overlapping, TaskId id) {
        Limits.notNull("task id", id);
        Optional<StoredSchedule> unused = change(name, (before, now) -> {
            StoredSchedule known = known(name, before);
            if (isTriggered(known, id)) {
                return Optional.of(new Draft(known));
            }
            Schedule schedule = known.definition();
            List<TaskId> open = open(known);
            if (schedule.overlap() == Overlap.SKIP && !open.isEmpty() && !overlapping) {
                throw new InvalidInput("Schedule \"" + Limits.shown(name)
                        + "\" skips ticks while an earlier task is open, and task " + open.getFirst()
                        + " is. Wait for it, or trigger with overlapping allowed.");
            }
            TickPlan.Tasks tasks = new TickPlan.Tasks(known.id(), schedule, options.apply(schedule.type()), () -> id);
            // Its own id makes it a tick of its own: a second trigger in the same millisecond is another one.
            NewTask task = tasks.of(now, triggerKey(schedule.name(), id));
            return Optional.of(new Draft(
                    known.with(known.state().with(new Tick(now, now, Outcome.TRIGGERED, id, 1))),
                    List.of(task),
                    schedule.overlap() == Overlap.REPLACE ? open : List.of()));
        });
        return id;
    }

    private static String triggerKey(String name, TaskId id) {
        return name + "!" + id;
    }

    /** Returns whether this trigger has created its task: the answer was lost. */
    private boolean isTriggered(StoredSchedule schedule, TaskId id) {
        if (schedule.state().recent().stream().anyMatch(tick -> id.equals(tick.task()))) {
            return true; // also if the task's data has been deleted since
        }
        Task found = store.find(List.of(id)).get(id);
        if (found == null) {
            return false;
        }
        Identity identity = found.identity();
        if (identity == null || !identity.key().equals(triggerKey(schedule.id().name(), id))) {
            throw new InvalidInput("Task id \"" + id + "\" is that of another task. Make a new id for a new trigger.");
        }
        return true;
    }

    private List<TaskId> open(StoredSchedule schedule) {
        List<TaskId> tasks = new ArrayList<>();
        if (schedule.state().last() != null) {
            tasks.add(schedule.state().last());
        }
        if (schedule.state().previous() != null) {
            tasks.add(schedule.state().previous());
        }
        Map<TaskId, Task> found = store.find(tasks);
        return tasks.stream()
                .filter(id -> found.containsKey(id) && found.get(id).state().isOpen())
                .toList();
    }

    /**
     * Removes a schedule. Tasks of its ticks stay. If code or configuration declares it, only what was set by hand is removed,
     * unless it is forced; a program that declares it would create it again when it starts.
     *
     * @param name its name
     * @param force whether a declared schedule is removed too
     * @return what was removed
     * @throws ScheduleNotFound if there is no such schedule
     * @throws InvalidInput if it is only declared and the removal is not forced
     */
    public Removal remove(String name, boolean force) {
        return change(name, (before, now) -> {
                    StoredSchedule known = known(name, before);
                    Schedule declared = known.declared();
                    if (declared == null || force) {
                        return Optional.empty();
                    }
                    if (known.set() == null) {
                        throw new InvalidInput("Schedule \"" + Limits.shown(name)
                                + "\" is declared by a program, which would create it again. Remove it there first,"
                                + " and then here with force; or pause it.");
                    }
                    return Optional.of(
                            new Draft(new StoredSchedule(known.id(), declared, null, moved(known, declared, now))));
                })
                .map(left -> Removal.RESET)
                .orElse(Removal.REMOVED);
    }

    /** A change of a schedule that must exist, without tasks. */
    private interface Update {
        StoredSchedule of(StoredSchedule before, Instant now);
    }

    private StoredSchedule edit(String name, Update update) {
        return change(name, (before, now) -> Optional.of(new Draft(update.of(known(name, before), now))))
                .orElseThrow();
    }

    private StoredSchedule known(String name, @Nullable StoredSchedule stored) {
        if (stored == null) {
            throw unknown(name);
        }
        return stored;
    }

    private ScheduleNotFound unknown(String name) {
        return new ScheduleNotFound(
                "There is no schedule \"" + Limits.shown(name) + "\" of tenant \"" + tenant
                        + "\". Check the name; \"semel schedule list\" shows all.",
                name);
    }

    private ScheduleId id(Schedule schedule) {
        return new ScheduleId(tenant, schedule.name());
    }

    private Optional<StoredSchedule> change(String name, Edit edit) {
        ScheduleId id = new ScheduleId(tenant, name);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Instant now = store.dueSchedules(1).now();
            ScheduleRecord stored = store.schedules(List.of(id)).get(id);
            StoredSchedule before = stored == null ? null : StoredSchedule.of(stored);
            Optional<Draft> draft = edit.of(before, now);
            UUID version = TaskId.next(components.clock(), components.random()).value();
            Operation.ChangeSchedule change = new Operation.ChangeSchedule(
                    id,
                    stored == null ? null : stored.version(),
                    draft.map(next -> next.next().record(version)).orElse(null),
                    null,
                    draft.map(Draft::create).orElse(List.of()),
                    draft.map(Draft::cancel).orElse(List.of()));
            if (store.operate(List.of(change)).getFirst() == Operated.APPLIED) {
                changed.run();
                return draft.map(Draft::next);
            }
        }
        throw new StoreUnavailable("Schedule \"" + Limits.shown(name) + "\" was changed by others " + MAX_TRIES
                + " times while this change was made. Try again.");
    }
}
