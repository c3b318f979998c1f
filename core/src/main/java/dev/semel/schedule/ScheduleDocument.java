package dev.semel.schedule;

import dev.semel.engine.Codec;
import dev.semel.schedule.ScheduleState.Outcome;
import dev.semel.schedule.ScheduleState.Pause;
import dev.semel.schedule.ScheduleState.Tick;
import dev.semel.task.Durations;
import dev.semel.task.Scope;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored: JSON that a person can read. Times are ISO 8601 in UTC, durations are written as in
 * {@code semel.toml}.
 *
 * @param declared what code or configuration says, or null
 * @param set what was set by hand, which takes precedence, or null
 * @param state how far it has come
 */
record ScheduleDocument(
        @Nullable Definition declared, @Nullable Definition set, State state) {

    /** A definition. Members that have their default value are null; {@code workflow} is the scope of a workflow type. */
    record Definition(
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String every,
            @Nullable List<String> at,
            String type,
            String queue,
            String input,
            @Nullable Integer priority,
            @Nullable String mutex,
            @Nullable String jitter,
            @Nullable String start,
            @Nullable String end,
            @Nullable String catchup,
            @Nullable String overlap,
            @Nullable String workflow) {}

    /** A state. */
    record State(
            String created,
            String position,
            @Nullable String paused,
            @Nullable String reason,
            @Nullable String last,
            @Nullable String previous,
            List<TickLine> recent) {}

    /** A tick. */
    record TickLine(
            String at,
            String decided,
            String outcome,
            @Nullable String task,
            @Nullable Integer count) {}

    static String write(@Nullable Schedule declared, @Nullable Schedule set, ScheduleState state) {
        return Codec.standard()
                .encode(new ScheduleDocument(
                        declared == null ? null : definition(declared),
                        set == null ? null : definition(set),
                        state(state)));
    }

    static ScheduleDocument read(String name, String json) {
        try {
            return Objects.requireNonNull(Codec.standard().decode(json, ScheduleDocument.class));
        } catch (RuntimeException e) {
            throw unreadable(name, e);
        }
    }

    private static StoreUnusable unreadable(String name, RuntimeException cause) {
        return new StoreUnusable(
                "Schedule \"" + name + "\" in the store cannot be read: " + cause.getMessage()
                        + " A later version of Semel may have written it. Run that version.",
                cause);
    }

    @Nullable
    Schedule declared(String name) {
        return declared == null ? null : definition(name, declared);
    }

    @Nullable
    Schedule set(String name) {
        return set == null ? null : definition(name, set);
    }

    ScheduleState state(String name) {
        try {
            return new ScheduleState(
                    Instant.parse(state.created()),
                    Instant.parse(state.position()),
                    state.paused() == null
                            ? null
                            : new Pause(Instant.parse(state.paused()), Objects.requireNonNullElse(state.reason(), "")),
                    state.last() == null ? null : TaskId.parse(state.last()),
                    state.previous() == null ? null : TaskId.parse(state.previous()),
                    state.recent().stream().map(ScheduleDocument::tick).toList());
        } catch (RuntimeException e) {
            throw unreadable(name, e);
        }
    }

    static Definition definition(Schedule schedule) {
        Timing timing = schedule.timing();
        return new Definition(
                timing instanceof Timing.Cron cron ? cron.expression().text() : null,
                timing instanceof Timing.Cron cron ? cron.zone().getId() : null,
                timing instanceof Timing.Every every ? Durations.text(every.interval()) : null,
                timing instanceof Timing.Times times
                        ? times.times().stream().map(Instant::toString).toList()
                        : null,
                schedule.type(),
                schedule.queue(),
                schedule.input(),
                schedule.priority() == 0 ? null : schedule.priority(),
                schedule.mutex().orElse(null),
                schedule.jitter().isZero() ? null : Durations.text(schedule.jitter()),
                schedule.start().map(Instant::toString).orElse(null),
                schedule.end().map(Instant::toString).orElse(null),
                schedule.catchUp().equals(CatchUp.last())
                        ? null
                        : schedule.catchUp().word(),
                schedule.overlap() == Overlap.SKIP ? null : schedule.overlap().word(),
                schedule.workflowScope().map(Scope::word).orElse(null));
    }

    private static Schedule definition(String name, Definition definition) {
        try {
            Schedule.Builder builder = builder(name, definition)
                    .type(definition.type())
                    .queue(definition.queue())
                    .input(definition.input());
            if (definition.priority() != null) {
                builder.priority(definition.priority());
            }
            if (definition.mutex() != null) {
                builder.mutex(definition.mutex());
            }
            if (definition.jitter() != null) {
                builder.jitter(Durations.parse(definition.jitter()));
            }
            if (definition.start() != null) {
                builder.start(Instant.parse(definition.start()));
            }
            if (definition.end() != null) {
                builder.end(Instant.parse(definition.end()));
            }
            if (definition.catchup() != null) {
                builder.catchUp(CatchUp.parse(definition.catchup()));
            }
            if (definition.overlap() != null) {
                builder.overlap(Overlap.parse(definition.overlap()));
            }
            if (definition.workflow() != null) {
                builder.workflowScope(Scope.parse(definition.workflow()));
            }
            return builder.build();
        } catch (RuntimeException e) {
            throw unreadable(name, e);
        }
    }

    private static Schedule.Builder builder(String name, Definition definition) throws DateTimeException {
        if (definition.cron() != null) {
            return Schedule.cron(name, definition.cron(), ZoneId.of(Objects.requireNonNull(definition.zone())));
        }
        if (definition.every() != null) {
            return Schedule.every(name, Durations.parse(definition.every()));
        }
        return Schedule.at(
                name,
                Objects.requireNonNull(definition.at()).stream()
                        .map(Instant::parse)
                        .toList());
    }

    private static State state(ScheduleState state) {
        Pause pause = state.pause();
        return new State(
                state.createdAt().toString(),
                state.position().toString(),
                pause == null ? null : pause.since().toString(),
                pause == null ? null : pause.reason(),
                state.last() == null ? null : state.last().toString(),
                state.previous() == null ? null : state.previous().toString(),
                state.recent().stream().map(ScheduleDocument::line).toList());
    }

    private static TickLine line(Tick tick) {
        return new TickLine(
                tick.at().toString(),
                tick.decidedAt().toString(),
                tick.outcome().name().toLowerCase(Locale.ROOT),
                tick.task() == null ? null : tick.task().toString(),
                tick.count() == 1 ? null : tick.count());
    }

    private static Tick tick(TickLine line) {
        return new Tick(
                Instant.parse(line.at()),
                Instant.parse(line.decided()),
                Outcome.valueOf(line.outcome().toUpperCase(Locale.ROOT)),
                line.task() == null ? null : TaskId.parse(line.task()),
                line.count() == null ? 1 : line.count());
    }

    /** Returns a timing in words, for people. */
    static String timing(Timing timing) {
        return switch (timing) {
            case Timing.Cron(CronExpression expression, ZoneId zone) ->
                "cron " + expression.text() + " " + zone.getId();
            case Timing.Every(Duration interval, Instant anchor) -> "every " + Durations.text(interval);
            case Timing.Times times ->
                times.times().size() == 1
                        ? "at " + times.times().getFirst()
                        : "at " + times.times().size() + " times from "
                                + times.times().getFirst();
        };
    }
}
