package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.schedule.CatchUp;
import dev.semel.schedule.Overlap;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.Schedules;
import dev.semel.schedule.StoredSchedule;
import dev.semel.schedule.Timing;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.Scope;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel schedule add}: sets a schedule by hand, new or instead of its definition so far. */
final class ScheduleAddCommand implements Command {

    private static final String CRON = "--cron";
    private static final String ZONE = "--zone";
    private static final String EVERY = "--every";
    private static final String AT = "--at";
    private static final String TYPE = "--type";
    private static final String INPUT = "--input";
    private static final String QUEUE = "--queue";
    private static final String PRIORITY = "--priority";
    private static final String JITTER = "--jitter";
    private static final String START = "--start";
    private static final String END = "--end";
    private static final String CATCH_UP = "--catch-up";
    private static final String OVERLAP = "--overlap";
    private static final String WORKFLOW = "--workflow";
    private static final String REPLACE = "--replace";

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Adds a schedule for all programs on the store.",
                        "Give one of --cron, --every and --at. Programs that run workers make its ticks.",
                        "semel schedule add nightly --cron '0 3 * * *' --zone Europe/Berlin --type report",
                        "semel schedule add ping --every 30s --type ping --input '{\"at\":\"${tick}\"}' --overlap"
                                + " allow",
                        "semel schedule add launch --at 2027-03-01T09:00+01:00 --type announce")
                .addPositional(Options.position(0, "NAME", "The name of the schedule."))
                .addOption(Options.value(
                        CRON,
                        "EXPRESSION",
                        "Minute, hour, day of the month, month and day of the week, with seconds in front if there are"
                                + " six fields; or @hourly, @daily, @weekly, @monthly, @yearly."))
                .addOption(Options.value(
                        ZONE, "ZONE", "Time zone of the cron expression, such as Europe/Berlin. Default: UTC."))
                .addOption(Options.value(EVERY, "DURATION", "A fixed interval, such as 30s or 2h."))
                .addOption(
                        Options.repeated(AT, "TIME", "A single time, such as 2027-03-01T09:00:00Z. May be repeated."))
                .addOption(Options.required(TYPE, "TYPE", "The task type of its tasks."))
                .addOption(Options.value(
                        INPUT,
                        "JSON",
                        "The input of its tasks, in which ${tick}, ${tick.local}, ${tick.date}, ${tick.epoch_millis}"
                                + " and ${schedule} are filled in. Default: null."))
                .addOption(Options.value(
                        QUEUE, "QUEUE", "The queue of its tasks. Default: that of the task type, or else default."))
                .addOption(Options.value(PRIORITY, "N", "The priority of its tasks, 0 to 9. Default: 0."))
                .addOption(Options.value(
                        JITTER, "DURATION", "Up to how much later than its tick a task starts. Default: 0."))
                .addOption(Options.value(START, "TIME", "It does not tick before this time."))
                .addOption(Options.value(END, "TIME", "It does not tick from this time on."))
                .addOption(Options.completed(
                        Options.value(
                                CATCH_UP,
                                "POLICY",
                                "What happens to ticks that were missed because no program ran: skip, last or all:N."
                                        + " Default: last."),
                        List.of("skip", "last", "all:100")))
                .addOption(Options.completed(
                        Options.value(
                                OVERLAP,
                                "POLICY",
                                "What happens to a tick while the task of the tick before is open: skip, wait, replace"
                                        + " or allow. Default: skip."),
                        Stream.of(Overlap.values()).map(Overlap::word).toList()))
                .addOption(Options.flag(
                        WORKFLOW, "The type is a workflow type: each tick starts a workflow with the id NAME@TICK."))
                .addOption(Options.flag(REPLACE, "Replace a schedule of this name that exists already."));
    }

    @Override
    public int run(Invocation invocation) {
        Schedule schedule = schedule(invocation);
        TaskStore store = invocation.store().open();
        try (Semel semel = invocation.operator(store)) {
            Schedules schedules = semel.schedules(invocation.tenantOrDefault());
            if (!invocation.has(REPLACE) && schedules.find(schedule.name()).isPresent()) {
                throw new Refusal(
                        ExitCode.EXISTS,
                        "ScheduleAlreadyExists",
                        "Schedule \"" + schedule.name() + "\" exists already. Choose another name, or give " + REPLACE
                                + " to change its definition.");
            }
            StoredSchedule stored = schedules.put(schedule);
            return ScheduleCommand.print(invocation, stored);
        }
    }

    private static Schedule schedule(Invocation invocation) {
        Schedule.Builder builder = timing(invocation, Limits.name("schedule", invocation.position(0)));
        String type = Limits.name("task type", invocation.text(TYPE, ""));
        builder.type(type);
        if (invocation.has(WORKFLOW)) {
            builder.workflowScope(Scope.type());
        }
        String configured = invocation.settings().task(type).queue();
        if (configured != null) {
            builder.queue(configured);
        }
        each(invocation.name("queue", QUEUE), builder::queue);
        each(invocation.text(INPUT), builder::input);
        each(invocation.number(PRIORITY), builder::priority);
        each(invocation.duration(JITTER), builder::jitter);
        each(invocation.text(START), text -> builder.start(Timing.time(text)));
        each(invocation.text(END), text -> builder.end(Timing.time(text)));
        each(invocation.text(CATCH_UP), text -> builder.catchUp(CatchUp.parse(text)));
        each(invocation.text(OVERLAP), text -> builder.overlap(Overlap.parse(text)));
        return builder.build();
    }

    private static <T> void each(@Nullable T given, Consumer<T> setter) {
        if (given != null) {
            setter.accept(given);
        }
    }

    private static Schedule.Builder timing(Invocation invocation, String name) {
        String cron = invocation.text(CRON);
        String every = invocation.text(EVERY);
        List<String> at = invocation.texts(AT);
        int given = (cron == null ? 0 : 1) + (every == null ? 0 : 1) + (at.isEmpty() ? 0 : 1);
        if (given != 1) {
            throw new InvalidInput("A schedule has exactly one of " + CRON + ", " + EVERY + " and " + AT + ", but got "
                    + (given == 0 ? "none" : given) + ".");
        }
        String zone = invocation.text(ZONE);
        if (zone != null && cron == null) {
            throw new InvalidInput(
                    "Only a cron expression has a time zone, but got " + ZONE + " without " + CRON + ".");
        }
        if (cron != null) {
            ZoneId in = zone == null ? ZoneId.of("UTC") : Timing.zone(zone);
            return Schedule.cron(name, cron, in);
        }
        return every != null
                ? Schedule.every(name, Objects.requireNonNull(invocation.duration(EVERY)))
                : Schedule.at(name, at.stream().map(Timing::time).toList());
    }
}
