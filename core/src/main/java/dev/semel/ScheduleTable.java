package dev.semel;

import dev.semel.schedule.CatchUp;
import dev.semel.schedule.CronExpression;
import dev.semel.schedule.Overlap;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.Timing;
import dev.semel.task.Durations;
import dev.semel.task.Limits;
import dev.semel.task.Scope;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A reader of one {@code [schedules.NAME]} table of a configuration. */
final class ScheduleTable {

    private ScheduleTable() {}

    static Schedule read(String name, TomlTable table) {
        if (table.has("paused")) {
            throw table.wrong(
                    "paused",
                    "a schedule is paused at run time, with \"semel schedule pause\" or Schedules.pause, because a"
                            + " pause that returns with every start would be a surprise. Remove it.");
        }
        String cron = table.text("cron", text -> CronExpression.parse(text).text());
        ZoneId zone = table.text("zone", Timing::zone);
        Duration every = table.text("every", text -> Limits.positive("interval of a schedule", Durations.parse(text)));
        List<Instant> at = table.texts("at", Timing::time);
        String task = table.text("task", type -> Limits.name("task type", type));
        if (task == null) {
            throw table.wrong(
                    "task", "a schedule needs the name of a task type. Write, for example, task = \"build_report\".");
        }
        Schedule.Builder builder = timing(name, table, cron, zone, every, at).type(task);
        apply(table.text("queue", queue -> Limits.name("queue", queue)), builder::queue);
        String input = table.text("input", text -> text);
        if (input != null) {
            Schedule.Builder unused = table.read("input", () -> builder.input(input));
        }
        apply(table.number("priority", Limits::priority), builder::priority);
        apply(table.text("mutex", Limits::mutex), builder::mutex);
        apply(table.text("jitter", Durations::parse), builder::jitter);
        apply(table.text("start", Timing::time), builder::start);
        apply(table.text("end", Timing::time), builder::end);
        apply(table.text("catch_up", CatchUp::parse), builder::catchUp);
        apply(table.text("overlap", Overlap::parse), builder::overlap);
        // The scope of the workflow type, "type" unless the type has another one.
        apply(table.text("workflow", Scope::parse), builder::workflowScope);
        table.end();
        return table.read("task", builder::build);
    }

    private interface Setter<T> {
        Schedule.Builder set(T value);
    }

    private static <T> void apply(@Nullable T value, Setter<T> setter) {
        if (value != null) {
            Schedule.Builder unused = setter.set(value);
        }
    }

    private static Schedule.Builder timing(
            String name,
            TomlTable table,
            @Nullable String cron,
            @Nullable ZoneId zone,
            @Nullable Duration every,
            @Nullable List<Instant> at) {
        if (Stream.of(cron, every, at).filter(Objects::nonNull).count() != 1) {
            throw table.wrong(
                    cron != null ? "cron" : every != null ? "every" : "at",
                    "a schedule has exactly one of cron, every and at. Write, for example, cron = \"0 3 * * *\".");
        }
        if (zone != null && cron == null) {
            throw table.wrong("zone", "only a cron expression has a time zone. Remove it.");
        }
        if (cron != null) {
            return Schedule.cron(name, cron, zone == null ? ZoneId.of("UTC") : zone);
        }
        return every != null
                ? table.read("every", () -> Schedule.every(name, every))
                : table.read("at", () -> Schedule.at(name, Objects.requireNonNull(at)));
    }
}
