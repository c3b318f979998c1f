package dev.semel.schedule;

import dev.semel.engine.Codec;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.Scope;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a schedule: when it ticks, which task each tick creates, and what happens to missed and overlapping ticks.
 *
 * <pre>{@code
 * Schedule.cron("nightly-report", "0 3 * * *", ZoneId.of("Europe/Berlin"))
 *         .task(REPORT, new Report("all"))
 *         .build();
 * }</pre>
 *
 * <p>Each tick's task has the key (name of the schedule, time of the tick), so that any number of schedulers make one task.
 */
public final class Schedule {

    private final String name;
    private final Timing timing;
    private final String type;
    private final String queue;
    private final InputTemplate input;
    private final int priority;
    private final @Nullable String mutex;
    private final Duration jitter;
    private final @Nullable Instant start;
    private final @Nullable Instant end;
    private final CatchUp catchUp;
    private final Overlap overlap;
    private final @Nullable Scope workflowScope;

    private Schedule(Builder builder, String type, InputTemplate input) {
        this.name = builder.name;
        this.timing = builder.timing;
        this.type = type;
        this.queue = builder.queue;
        this.input = input;
        this.priority = builder.priority;
        this.mutex = builder.mutex;
        this.jitter = builder.jitter;
        this.start = builder.start;
        this.end = builder.end;
        this.catchUp = builder.catchUp;
        this.overlap = builder.overlap;
        this.workflowScope = builder.workflowScope;
    }

    /**
     * Begins a schedule by a cron expression.
     *
     * @param name its name, unique for each tenant
     * @param expression the local times, see {@link CronExpression}
     * @param zone the time zone
     * @return the builder
     * @throws InvalidInput if the expression is wrong or never fires
     */
    public static Builder cron(String name, String expression, ZoneId zone) {
        return new Builder(
                name, new Timing.Cron(CronExpression.parse(Limits.notNull("cron expression", expression)), zone));
    }

    /**
     * Begins a schedule with a fixed interval. Ticks are multiples of the interval away from midnight UTC of 1 January 1970, or
     * from the schedule's start if it has one.
     *
     * @param name its name, unique for each tenant
     * @param interval the time between two ticks, at least 1 s
     * @return the builder
     */
    public static Builder every(String name, Duration interval) {
        return new Builder(name, new Timing.Every(interval, Instant.EPOCH));
    }

    /**
     * Begins a schedule of single times.
     *
     * @param name its name, unique for each tenant
     * @param times the times
     * @return the builder
     */
    public static Builder at(String name, List<Instant> times) {
        return new Builder(name, new Timing.Times(times));
    }

    /** {@return its name, unique for each tenant} */
    public String name() {
        return name;
    }

    /** {@return when it ticks} */
    public Timing timing() {
        return timing;
    }

    /** {@return when it ticks, in words} */
    public String timingText() {
        return ScheduleDocument.timing(timing);
    }

    /** {@return the name of the task type of its tasks} */
    public String type() {
        return type;
    }

    /** {@return the queue of its tasks} */
    public String queue() {
        return queue;
    }

    /** {@return the input of its tasks, in JSON with places for the tick's time} */
    public String input() {
        return input.text();
    }

    /** {@return the priority of its tasks} */
    public int priority() {
        return priority;
    }

    /** {@return the mutex of its tasks: of one type and mutex never two tasks run at once} */
    public Optional<String> mutex() {
        return Optional.ofNullable(mutex);
    }

    /** {@return up to how much later than its tick a task may start} */
    public Duration jitter() {
        return jitter;
    }

    /** {@return the time before which it does not tick} */
    public Optional<Instant> start() {
        return Optional.ofNullable(start);
    }

    /** {@return the time from which on it does not tick any more} */
    public Optional<Instant> end() {
        return Optional.ofNullable(end);
    }

    /** {@return what happens to missed ticks} */
    public CatchUp catchUp() {
        return catchUp;
    }

    /** {@return what happens to a tick while the task of the tick before is open} */
    public Overlap overlap() {
        return overlap;
    }

    /**
     * Returns the scope of the ids of the workflows that its ticks start.
     *
     * @return the scope; empty if its ticks create tasks that are no workflows
     */
    public Optional<Scope> workflowScope() {
        return Optional.ofNullable(workflowScope);
    }

    /**
     * Returns the first tick after a time.
     *
     * @param time the time
     * @return the next tick; empty if there is none
     */
    public Optional<Instant> next(Instant time) {
        Limits.notNull("time", time);
        Instant from = start != null && time.isBefore(start) ? start.minusMillis(1) : time;
        Instant next = timing.next(from);
        return next == null || (end != null && !next.isBefore(end)) ? Optional.empty() : Optional.of(next);
    }

    /** Returns whether it ticks at the same times as another one. */
    boolean ticksLike(Schedule other) {
        return timing.equals(other.timing) && Objects.equals(start, other.start) && Objects.equals(end, other.end);
    }

    /** Returns the input of one tick's task. */
    Json input(Instant tick) {
        return input.fill(name, tick, timing.zone());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Schedule that
                && ScheduleDocument.definition(this).equals(ScheduleDocument.definition(that));
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** {@return its name, type and timing; not its input, which may be secret} */
    @Override
    public String toString() {
        return "Schedule[" + name + ", " + type + ", " + timingText() + "]";
    }

    /** A builder of a definition. Each setting is checked when it is set. */
    public static final class Builder {

        private final String name;
        private Timing timing;
        private @Nullable String type;
        private String queue = TaskType.DEFAULT_QUEUE;
        private @Nullable InputTemplate input;
        private int priority;
        private @Nullable String mutex;
        private Duration jitter = Duration.ZERO;
        private @Nullable Instant start;
        private @Nullable Instant end;
        private CatchUp catchUp = CatchUp.last();
        private Overlap overlap = Overlap.SKIP;
        private @Nullable Scope workflowScope;

        private Builder(String name, Timing timing) {
            this.name = Limits.name("schedule", name);
            this.timing = timing;
        }

        /**
         * Sets the type of the tasks, and the same input for every tick.
         *
         * @param type the type; its queue and priority are taken over
         * @param input the input
         * @param <I> the class of the input
         * @return this builder
         */
        public <I> Builder task(TaskType<I, ?> type, I input) {
            if (Limits.notNull("task type", type).input().rawClass() != Void.class) {
                Limits.notNull("input", input);
            }
            String itsMutex = type.mutex(input);
            if (itsMutex != null) {
                mutex(itsMutex);
            }
            // What looks like a place for the tick's time in a user's data is none.
            return template(type, Codec.standard().encode(input).replace("${", "$${"));
        }

        /**
         * Sets the type of the tasks, and their input as JSON with places for the tick's time: <code>${tick}</code> (UTC),
         * <code>${tick.local}</code> and <code>${tick.date}</code> (in the schedule's zone), <code>${tick.epoch_millis}</code> and
         * <code>${schedule}</code>.
         *
         * @param type the type; its queue and priority are taken over
         * @param template the JSON text
         * @return this builder
         */
        public Builder template(TaskType<?, ?> type, String template) {
            return type(Limits.notNull("task type", type).name())
                    .queue(type.queue())
                    .priority(type.priority())
                    .input(template);
        }

        /**
         * Starts a workflow with every tick, with the same input. Its id is {@code NAME@TICK}, such as
         * {@code nightly@2027-03-01T02:00:00Z}, so it can be signalled, read and cancelled like any other.
         *
         * @param type the workflow type; its queue and priority are taken over
         * @param input the input
         * @param <I> the class of the input
         * @return this builder
         */
        public <I> Builder workflow(WorkflowType<I, ?> type, I input) {
            TaskType<I, ?> itsTask = Limits.notNull("workflow type", type).taskType();
            return task(itsTask, input).workflowScope(itsTask.scope());
        }

        /**
         * Declares the type of the tasks a workflow type, if it was set by its name or with a template.
         *
         * @param scope the scope of the workflow type; {@link Scope#type()} unless the type has another one
         * @return this builder
         */
        public Builder workflowScope(Scope scope) {
            this.workflowScope = Limits.notNull("scope", scope);
            return this;
        }

        /**
         * Sets the name of the tasks' type, for programs that do not have the type.
         *
         * @param type the name of the type
         * @return this builder
         */
        public Builder type(String type) {
            this.type = Limits.name("task type", type);
            return this;
        }

        /**
         * Sets the input of the tasks.
         *
         * @param template JSON with places for the tick's time
         * @return this builder
         */
        public Builder input(String template) {
            this.input = new InputTemplate(Limits.notNull("template", template));
            return this;
        }

        /**
         * Sets the queue of the tasks.
         *
         * @param queue the queue
         * @return this builder
         */
        public Builder queue(String queue) {
            this.queue = Limits.name("queue", queue);
            return this;
        }

        /**
         * Sets the priority of the tasks.
         *
         * @param priority 0 to 9
         * @return this builder
         */
        public Builder priority(int priority) {
            this.priority = Limits.priority(priority);
            return this;
        }

        /**
         * Sets the mutex of the tasks: of one type and mutex never two tasks run at once, whether a schedule or a program created
         * them.
         *
         * @param mutex the mutex
         * @return this builder
         */
        public Builder mutex(String mutex) {
            this.mutex = Limits.mutex(mutex);
            return this;
        }

        /**
         * Lets each task start a little later than its tick, by a time that depends on the schedule and the tick alone, so that
         * many schedules of the same hour do not start at the same moment.
         *
         * @param jitter up to how much later
         * @return this builder
         */
        public Builder jitter(Duration jitter) {
            this.jitter = Limits.duration("jitter of a schedule", jitter);
            return this;
        }

        /**
         * Sets the time before which it does not tick. Ticks at an interval are counted from it.
         *
         * @param start the time
         * @return this builder
         */
        public Builder start(Instant start) {
            this.start = Limits.notNull("start", start).truncatedTo(ChronoUnit.MILLIS);
            if (timing instanceof Timing.Every every) {
                this.timing = new Timing.Every(every.interval(), this.start);
            }
            return this;
        }

        /**
         * Sets the time from which on it does not tick any more.
         *
         * @param end the time
         * @return this builder
         */
        public Builder end(Instant end) {
            this.end = Limits.notNull("end", end).truncatedTo(ChronoUnit.MILLIS);
            return this;
        }

        /**
         * Sets what happens to missed ticks.
         *
         * @param catchUp the policy; {@link CatchUp#last} by default
         * @return this builder
         */
        public Builder catchUp(CatchUp catchUp) {
            this.catchUp = Limits.notNull("rule for missed ticks", catchUp);
            return this;
        }

        /**
         * Sets what happens to a tick while the task of the tick before is open.
         *
         * @param overlap the policy; {@link Overlap#SKIP} by default
         * @return this builder
         */
        public Builder overlap(Overlap overlap) {
            this.overlap = Limits.notNull("rule for overlaps", overlap);
            return this;
        }

        /**
         * Builds the definition.
         *
         * @return the definition
         * @throws InvalidInput if the type is missing, if the schedule ends before it starts, or if its overlap contradicts its mutex
         *     or its workflow type
         */
        public Schedule build() {
            if (type == null) {
                throw new InvalidInput(
                        "Schedule \"" + name + "\" has no task type. Set one with task, template or type.");
            }
            if (start != null && end != null && !start.isBefore(end)) {
                throw new InvalidInput("Schedule \"" + name + "\" must start before it ends, but got \"" + start
                        + "\" and \"" + end + "\".");
            }
            if (mutex != null && (overlap == Overlap.WAIT || overlap == Overlap.REPLACE)) {
                throw new InvalidInput(
                        "Schedule \"" + name + "\" has the mutex \"" + mutex + "\" and the overlap \"" + overlap.word()
                                + "\", which needs a mutex of its own. Use the overlap \"allow\" or \"skip\", or"
                                + " remove the mutex.");
            }
            if (workflowScope != null && overlap == Overlap.WAIT) {
                throw new InvalidInput("Schedule \"" + name + "\" starts workflows and has the overlap \""
                        + overlap.word()
                        + "\", but a workflow holds no mutex while it waits, so the next one would not wait"
                        + " for its end. Use the overlap \"skip\", \"replace\" or \"allow\".");
            }
            return new Schedule(this, type, input == null ? new InputTemplate("null") : input);
        }
    }
}
