package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.schedule.Schedules;
import dev.semel.schedule.StoredSchedule;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel schedule …}: defines, shows and operates schedules, for all programs on the store. */
final class ScheduleCommand {

    private static final String COUNT = "--count";
    private static final String REASON = "--reason";
    private static final String OVERLAPPING = "--overlapping";
    private static final String TASK_ID = "--task-id";
    private static final String FORCE = "--force";
    private static final int PAGE = 1_000;

    private ScheduleCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Defines, shows and operates schedules: add, list, show, next, pause, resume, trigger, remove.",
                "semel schedule add nightly --cron '0 3 * * *' --zone Europe/Berlin --type report",
                "semel schedule show nightly",
                "semel schedule pause nightly --reason 'the source is being moved'");
        spec.addSubcommand("add", new ScheduleAddCommand().spec());
        spec.addSubcommand("list", new ListAll().spec());
        spec.addSubcommand("show", new Show().spec());
        spec.addSubcommand("next", new Next().spec());
        spec.addSubcommand("pause", new Pause().spec());
        spec.addSubcommand("resume", new Resume().spec());
        spec.addSubcommand("trigger", new Trigger().spec());
        spec.addSubcommand("remove", new Remove().spec());
        return spec;
    }

    /** Runs work on the schedules of the given tenant, in a store that must exist. */
    static <T> T on(Invocation invocation, Function<Schedules, T> work) {
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            return work.apply(semel.schedules(invocation.tenantOrDefault()));
        }
    }

    static int print(Invocation invocation, StoredSchedule schedule) {
        invocation
                .console()
                .out()
                .println(
                        invocation.json()
                                ? ScheduleReport.json(schedule).toString()
                                : "Schedule \"" + schedule.id().name() + "\": " + ScheduleReport.line(schedule) + ".");
        return ExitCode.DONE;
    }

    private static CommandSpec named(CommandSpec spec) {
        return spec.addPositional(Options.position(0, "NAME", "The schedule."));
    }

    /** {@code semel schedule list}: lists all schedules of a tenant. */
    private static final class ListAll implements Command {

        @Override
        public CommandSpec spec() {
            return Options.command(
                    this,
                    "Lists schedules with their next tick.",
                    "",
                    "semel schedule list",
                    "semel schedule list --json");
        }

        @Override
        public int run(Invocation invocation) {
            List<StoredSchedule> all = on(invocation, schedules -> {
                List<StoredSchedule> found = new ArrayList<>(schedules.list(null, PAGE));
                for (int size = found.size(); size == PAGE; ) {
                    List<StoredSchedule> page =
                            schedules.list(found.getLast().id().name(), PAGE);
                    found.addAll(page);
                    size = page.size();
                }
                return found;
            });
            Console console = invocation.console();
            if (invocation.json()) {
                console.out()
                        .println(new JsonText()
                                .objects(
                                        "schedules",
                                        all.stream().map(ScheduleReport::json).toList()));
            } else if (all.isEmpty()) {
                console.out().println("There are no schedules of tenant \"" + invocation.tenantOrDefault() + "\".");
            } else {
                Table table = new Table("!SCHEDULE", "TASK", "WHEN", "!NEXT TICK", "!LAST TICK");
                all.forEach(schedule -> table.add(ScheduleReport.row(schedule)));
                table.print(console);
            }
            return ExitCode.DONE;
        }
    }

    /** {@code semel schedule show}: shows a schedule, and its last ticks with their tasks. */
    private static final class Show implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                    this,
                    "Shows a schedule, its definition, and its last ticks with their tasks and outcomes.",
                    "",
                    "semel schedule show nightly"));
        }

        @Override
        public int run(Invocation invocation) {
            TaskStore store = invocation.store().openExisting();
            try (Semel semel = invocation.operator(store)) {
                Schedules schedules = semel.schedules(invocation.tenantOrDefault());
                StoredSchedule schedule = schedules.get(invocation.position(0));
                new ScheduleReport(schedule, store).print(invocation);
                return ExitCode.DONE;
            }
        }
    }

    /** {@code semel schedule next}: shows the coming ticks. */
    private static final class Next implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                            this,
                            "Shows the coming ticks of a schedule in its time zone and in UTC.",
                            "",
                            "semel schedule next nightly --count 10"))
                    .addOption(
                            Options.value(COUNT, "N", "How many ticks, 1 to " + Schedules.MAX_NEXT + ". Default: 10."));
        }

        @Override
        public int run(Invocation invocation) {
            int count = invocation.number(COUNT, 10);
            return on(invocation, schedules -> {
                StoredSchedule schedule = schedules.get(invocation.position(0));
                List<Instant> ticks = schedules.next(schedule.id().name(), count);
                ScheduleReport.printTicks(invocation, schedule, ticks);
                return ExitCode.DONE;
            });
        }
    }

    /** {@code semel schedule pause}: stops the ticks of a schedule. */
    private static final class Pause implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                            this,
                            "Pauses a schedule: it does not tick until it is resumed.",
                            "Its running tasks continue. Ticks during the pause are not made later.",
                            "semel schedule pause nightly --reason 'the source is being moved'"))
                    .addOption(Options.required(REASON, "TEXT", "Why; \"semel schedule show\" tells it to others."));
        }

        @Override
        public int run(Invocation invocation) {
            return print(
                    invocation,
                    on(invocation, schedules -> schedules.pause(invocation.position(0), invocation.text(REASON, ""))));
        }
    }

    /** {@code semel schedule resume}: lets a schedule tick again. */
    private static final class Resume implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                    this, "Lets a paused schedule tick again, from now on.", "", "semel schedule resume nightly"));
        }

        @Override
        public int run(Invocation invocation) {
            return print(invocation, on(invocation, schedules -> schedules.resume(invocation.position(0))));
        }
    }

    /** {@code semel schedule trigger}: creates a task now. */
    private static final class Trigger implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                            this,
                            "Creates a task of a schedule now, out of turn.",
                            "The next tick is made as planned.",
                            "semel schedule trigger nightly"))
                    .addOption(Options.flag(
                            OVERLAPPING,
                            "Create it although the task of an earlier tick is open and the schedule skips overlapping"
                                    + " ticks."))
                    .addOption(Options.value(
                            TASK_ID,
                            "ID",
                            "The id of the task, a UUID of version 7: repeated with the same id after a lost answer,"
                                    + " no second task is created. Default: a new id."));
        }

        @Override
        public int run(Invocation invocation) {
            String name = invocation.position(0);
            String given = invocation.text(TASK_ID);
            boolean overlapping = invocation.has(OVERLAPPING);
            TaskId id = on(
                    invocation,
                    schedules -> given == null
                            ? schedules.trigger(name, overlapping)
                            : schedules.trigger(name, overlapping, TaskId.parse(given)));
            Console console = invocation.console();
            if (invocation.json()) {
                console.out().println(new JsonText().put("schedule", name).put("task_id", id.toString()));
            } else {
                console.out().println("Schedule \"" + Text.shown(name) + "\" created task " + id + ".");
            }
            return ExitCode.DONE;
        }
    }

    /** {@code semel schedule remove}: removes a schedule. */
    private static final class Remove implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                            this,
                            "Removes a schedule; its tasks stay.",
                            "If code or configuration declares it, only what was set by hand is removed.",
                            "semel schedule remove nightly"))
                    .addOption(Options.flag(
                            FORCE,
                            "Remove it although a program declares it, which would create it again when it starts."));
        }

        @Override
        public int run(Invocation invocation) {
            String name = invocation.position(0);
            Schedules.Removal removal = on(invocation, schedules -> schedules.remove(name, invocation.has(FORCE)));
            Console console = invocation.console();
            if (invocation.json()) {
                console.out()
                        .println(new JsonText()
                                .put("schedule", name)
                                .put("removed", removal == Schedules.Removal.REMOVED));
            } else {
                console.out()
                        .println("Schedule \"" + Text.shown(name) + "\" "
                                + switch (removal) {
                                    case REMOVED -> "was removed.";
                                    case RESET -> "has the definition again that code or configuration declares.";
                                });
            }
            return ExitCode.DONE;
        }
    }
}
