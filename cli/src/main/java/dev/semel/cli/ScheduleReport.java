package dev.semel.cli;

import dev.semel.schedule.Schedule;
import dev.semel.schedule.ScheduleState;
import dev.semel.schedule.ScheduleState.Tick;
import dev.semel.schedule.StoredSchedule;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What people and programs are shown of a schedule. */
final class ScheduleReport {

    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss xxx", Locale.ROOT);
    private static final DateTimeFormatter UTC =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final StoredSchedule schedule;
    private final Map<TaskId, Task> tasks;

    ScheduleReport(StoredSchedule schedule, TaskStore store) {
        this.schedule = schedule;
        this.tasks = store.find(schedule.state().recent().stream()
                .map(Tick::task)
                .filter(Objects::nonNull)
                .toList());
    }

    /** Returns a schedule in one line. */
    static String line(StoredSchedule schedule) {
        return schedule.definition().timingText() + ", " + nextText(schedule);
    }

    private static String nextText(StoredSchedule schedule) {
        ScheduleState.Pause pause = schedule.state().pause();
        if (pause != null) {
            return "paused since " + Text.time(pause.since()) + " (" + Text.printable(pause.reason()) + ")";
        }
        return schedule.next().map(tick -> "next tick " + Text.time(tick)).orElse("no more ticks");
    }

    /** Returns a schedule as a row of the list. */
    static String[] row(StoredSchedule schedule) {
        List<Tick> recent = schedule.state().recent();
        return new String[] {
            schedule.id().name(),
            schedule.definition().type(),
            schedule.definition().timingText(),
            schedule.state().pause() != null
                    ? "paused"
                    : schedule.next().map(Text::time).orElse("none"),
            recent.isEmpty() ? "-" : Text.time(recent.getFirst().at()) + " " + word(recent.getFirst())
        };
    }

    private static String word(Tick tick) {
        return tick.outcome().name().toLowerCase(Locale.ROOT) + (tick.count() == 1 ? "" : " x" + tick.count());
    }

    static JsonText json(StoredSchedule schedule) {
        Schedule definition = schedule.definition();
        ScheduleState.Pause pause = schedule.state().pause();
        return new JsonText()
                .put("schedule", schedule.id().name())
                .put("tenant", schedule.id().tenant())
                .put("timing", definition.timingText())
                .put("type", definition.type())
                .put("queue", definition.queue())
                .put("overlap", definition.overlap().word())
                .put("workflow", definition.workflowScope().map(Scope::word).orElse(null))
                .put("catch_up", definition.catchUp().word())
                .put("jitter", definition.jitter().isZero() ? null : Durations.text(definition.jitter()))
                .put("start", definition.start().orElse(null))
                .put("end", definition.end().orElse(null))
                .put("declared", schedule.declared() != null)
                .put("set_by_hand", schedule.set() != null)
                .put("paused", pause != null)
                .put("pause_reason", pause == null ? null : pause.reason())
                .put("next_at", schedule.next().orElse(null))
                .put("position", schedule.state().position());
    }

    void print(Invocation invocation) {
        if (invocation.json()) {
            invocation
                    .console()
                    .out()
                    .println(json(schedule)
                            .put("input", schedule.definition().input())
                            .objects(
                                    "ticks",
                                    schedule.state().recent().stream()
                                            .map(this::json)
                                            .toList()));
            return;
        }
        PrintStream out = invocation.console().out();
        Schedule definition = schedule.definition();
        out.println(
                "Schedule " + schedule.id().name() + " (tenant " + schedule.id().tenant() + ")");
        out.println("  when      " + definition.timingText());
        definition.start().ifPresent(start -> out.println("  start     " + Text.time(start)));
        definition.end().ifPresent(end -> out.println("  end       " + Text.time(end)));
        out.println("  task      " + definition.type() + " in queue " + definition.queue());
        out.println("  overlap   " + definition.overlap().word() + ", missed ticks: "
                + definition.catchUp().word());
        if (!definition.jitter().isZero()) {
            out.println("  jitter    up to " + Durations.text(definition.jitter()));
        }
        out.println("  defined   "
                + (schedule.set() == null
                        ? "by a program"
                        : schedule.declared() == null ? "by hand" : "by hand, instead of what a program declares"));
        out.println("  now       " + nextText(schedule));
        if (schedule.state().recent().isEmpty()) {
            out.println("No ticks yet.");
            return;
        }
        Table table = new Table("!TICK", "!OUTCOME", "!TASK", "STATE");
        schedule.state()
                .recent()
                .forEach(tick -> table.add(
                        Text.time(tick.at()),
                        word(tick),
                        tick.task() == null ? "-" : tick.task().toString(),
                        state(tick)));
        table.print(invocation.console());
    }

    private String state(Tick tick) {
        if (tick.task() == null) {
            return "";
        }
        Task task = tasks.get(tick.task());
        return task == null ? "gone" : task.state().word();
    }

    private JsonText json(Tick tick) {
        return new JsonText()
                .put("at", tick.at())
                .put("decided_at", tick.decidedAt())
                .put("outcome", tick.outcome().name().toLowerCase(Locale.ROOT))
                .put("count", tick.count())
                .put("task_id", tick.task() == null ? null : tick.task().toString())
                .put("state", tick.task() == null ? null : state(tick));
    }

    static void printTicks(Invocation invocation, StoredSchedule schedule, List<Instant> ticks) {
        Console console = invocation.console();
        ZoneId zone = schedule.definition().timing().zone();
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("schedule", schedule.id().name())
                            .put("zone", zone.getId())
                            .put("paused", schedule.state().pause() != null)
                            .put("ticks", ticks.stream().map(Instant::toString).toList()));
            return;
        }
        if (ticks.isEmpty()) {
            console.out().println("No more ticks.");
            return;
        }
        if (schedule.state().pause() != null) {
            console.out().println("The schedule is paused; without the pause it would tick at:");
        }
        Table table = new Table("!" + zone.getId(), "!UTC");
        ticks.forEach(tick -> table.add(LOCAL.format(tick.atZone(zone)), UTC.format(tick)));
        table.print(console);
    }
}
