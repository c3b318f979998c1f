package dev.semel.schedule;

import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a schedule has come.
 *
 * @param createdAt when it was created
 * @param position the time up to which all ticks have been dealt with; none of them is ever made again
 * @param pause why it does not tick at the moment, or null
 * @param last the task of the newest tick that created one, or null
 * @param previous the task of the tick before that, or null
 * @param recent the newest ticks, newest first, at most {@link #MAX_RECENT}
 */
public record ScheduleState(
        Instant createdAt,
        Instant position,
        @Nullable Pause pause,
        @Nullable TaskId last,
        @Nullable TaskId previous,
        List<Tick> recent) {

    /** How many ticks are kept. */
    public static final int MAX_RECENT = 20;

    /** Copies the ticks. */
    public ScheduleState {
        recent = List.copyOf(recent);
    }

    /**
     * A pause of a schedule.
     *
     * @param since since when
     * @param reason why
     */
    public record Pause(Instant since, String reason) {}

    /** What became of a tick. */
    public enum Outcome {
        /** It created a task. */
        STARTED,
        /** It created none, because the task of an earlier tick was open. */
        SKIPPED,
        /** It was missed because no scheduler ran, and created no task. */
        MISSED,
        /** It was made by a person, out of turn. */
        TRIGGERED
    }

    /**
     * A tick, or several missed ones in a row.
     *
     * @param at its time; of several, the last one's
     * @param decidedAt when it was dealt with, by the store's clock
     * @param outcome what became of it
     * @param task its task, or null
     * @param count how many ticks this is: 1, or more if they were missed. Up to 1,000 are counted
     */
    public record Tick(
            Instant at,
            Instant decidedAt,
            Outcome outcome,
            @Nullable TaskId task,
            int count) {}

    static ScheduleState created(Instant now) {
        return new ScheduleState(now, now, null, null, null, List.of());
    }

    ScheduleState at(Instant newPosition) {
        return new ScheduleState(createdAt, newPosition, pause, last, previous, recent);
    }

    ScheduleState paused(@Nullable Pause newPause) {
        return new ScheduleState(createdAt, position, newPause, last, previous, recent);
    }

    ScheduleState with(Tick tick) {
        List<Tick> newest = new ArrayList<>(recent);
        newest.addFirst(tick);
        List<Tick> kept = newest.subList(0, Math.min(newest.size(), MAX_RECENT));
        return tick.task() == null
                ? new ScheduleState(createdAt, position, pause, last, previous, kept)
                : new ScheduleState(createdAt, position, pause, tick.task(), last, kept);
    }
}
