package dev.semel.schedule;

import dev.semel.engine.Components;
import dev.semel.store.DueSchedules;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskStore;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The background work that makes the ticks of schedules. Any number of programs may run one on the same store: of several that make
 * the same tick one succeeds.
 *
 * <p>It asks the store for what is due, and sleeps until the next tick, but no longer than an interval, because another program may
 * have added a schedule. Schedules that are not due cost nothing.
 */
public final class Scheduler implements AutoCloseable {

    /** How long it sleeps at the most, by default. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final SafeLogger LOG = SafeLogger.of(Scheduler.class);

    private static final int BATCH = 100;

    // After a look that could change nothing, because another scheduler was faster.
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final TaskStore store;
    private final Components components;
    private final Function<String, TaskOptions> options;
    private final Duration interval;

    private final Object lock = new Object();
    private boolean started;
    private boolean looking;
    private boolean lookAgain;
    private boolean closed;
    private @Nullable Future<?> timer;

    /**
     * Creates a scheduler, which does nothing until it is started.
     *
     * @param components the store, the timers and the threads of the instance
     * @param options the configured options of a task type, by its name
     * @param interval how long it sleeps at the most; zero for a scheduler that never runs
     */
    public Scheduler(Components components, Function<String, TaskOptions> options, Duration interval) {
        this.store = components.store();
        this.components = components;
        this.options = options;
        this.interval = interval;
    }

    /** Starts the scheduler, unless it runs already or is switched off. */
    public void start() {
        synchronized (lock) {
            if (started || interval.isZero()) {
                return;
            }
            started = true;
        }
        lookSoon();
    }

    /** Lets a scheduler that runs look again at once, because a schedule was changed. */
    public void lookSoon() {
        synchronized (lock) {
            if (!started || closed) {
                return;
            }
            if (looking) {
                lookAgain = true;
                return;
            }
            sleep(Duration.ZERO);
        }
    }

    private void sleep(Duration delay) {
        if (timer != null) {
            timer.cancel(false);
        }
        try {
            timer = components.timers().schedule(this::wake, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            closed = true; // the instance is closed
        }
    }

    private void wake() {
        synchronized (lock) {
            if (looking || closed) {
                return;
            }
            looking = true;
        }
        if (!components.threads().run("the scheduler", this::look)) {
            slept(interval);
        }
    }

    private void look() {
        Duration next = interval;
        try {
            next = round();
        } catch (SemelException e) {
            LOG.warn("Scheduler cannot reach the store, will look again: error={}", e.getMessage());
        } finally {
            slept(next);
        }
    }

    private void slept(Duration next) {
        synchronized (lock) {
            looking = false;
            if (!closed) {
                sleep(lookAgain || next.compareTo(interval) < 0 ? (lookAgain ? Duration.ZERO : next) : interval);
            }
            lookAgain = false;
        }
    }

    /**
     * Makes the ticks that are due, in one batch.
     *
     * @return how long until the next look is worthwhile
     */
    Duration round() {
        DueSchedules due = store.dueSchedules(BATCH);
        List<Operation.ChangeSchedule> changes = plans(due);
        int applied = 0;
        if (!changes.isEmpty()) {
            for (Operated answer : store.operate(changes)) {
                applied += answer == Operated.APPLIED ? 1 : 0;
            }
            LOG.debug("Ticks made: schedules={} lost_to_others={}", applied, changes.size() - applied);
        }
        if (applied > 0) {
            return Duration.ZERO;
        }
        if (!changes.isEmpty()) {
            return PAUSE;
        }
        // Schedules that are due and cannot be read stay due: they are no reason to look again soon.
        return due.schedules().isEmpty() && due.nextDue() != null ? due.nextDue() : interval;
    }

    private List<Operation.ChangeSchedule> plans(DueSchedules due) {
        Set<TaskId> asked = new HashSet<>();
        List<StoredSchedule> readable = new ArrayList<>();
        List<ScheduleRecord> records = new ArrayList<>();
        for (ScheduleRecord record : due.schedules()) {
            try {
                StoredSchedule schedule = StoredSchedule.of(record);
                if (schedule.definition().overlap() != Overlap.ALLOW) {
                    addIfAny(asked, schedule.state().last());
                    addIfAny(asked, schedule.state().previous());
                }
                readable.add(schedule);
                records.add(record);
            } catch (SemelException e) {
                LOG.error(
                        "Schedule does not tick: schedule={} error={}",
                        record.id().name(),
                        e.getMessage());
            }
        }
        Map<TaskId, Task> tasks = asked.isEmpty() ? Map.of() : store.find(asked);
        List<Operation.ChangeSchedule> changes = new ArrayList<>();
        for (int i = 0; i < readable.size(); i++) {
            changes.add(plan(readable.get(i), records.get(i), due, tasks));
        }
        return changes;
    }

    private Operation.ChangeSchedule plan(
            StoredSchedule schedule, ScheduleRecord record, DueSchedules due, Map<TaskId, Task> tasks) {
        Schedule definition = schedule.definition();
        TickPlan plan = TickPlan.of(
                new TickPlan.Tasks(
                        schedule.id(),
                        definition,
                        options.apply(definition.type()),
                        () -> TaskId.next(components.clock(), components.random())),
                schedule.state(),
                due.now(),
                id -> tasks.containsKey(id) && tasks.get(id).state().isOpen());
        StoredSchedule next = schedule.with(plan.state());
        return new Operation.ChangeSchedule(
                schedule.id(),
                record.version(),
                next.record(TaskId.next(components.clock(), components.random()).value()),
                plan.state().position(),
                plan.create(),
                plan.cancel());
    }

    private static void addIfAny(Set<TaskId> ids, @Nullable TaskId id) {
        if (id != null) {
            ids.add(id);
        }
    }

    /** Stops looking. A batch that is under way is finished. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }
}
