package dev.semel.schedule;

import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The times at which a schedule ticks. */
public sealed interface Timing {

    /** The shortest interval, and the resolution of a cron expression. */
    Duration SHORTEST = Duration.ofSeconds(1);

    /** The maximum number of single times. */
    int MAX_TIMES = 1_000;

    /**
     * Returns the first tick after a time.
     *
     * @param time the time
     * @return the next tick; null if there is none
     */
    @Nullable
    Instant next(Instant time);

    /**
     * Returns the time zone in which people read these times.
     *
     * @return the zone
     */
    ZoneId zone();

    /**
     * Reads a time.
     *
     * @param text ISO 8601 with an offset, for example {@code 2027-03-01T09:00:00Z} or {@code 2027-03-01T09:00+01:00}
     * @return the time
     * @throws InvalidInput if the text has another form
     */
    static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new InvalidInput(
                    "A time is written with its offset, as in 2027-03-01T09:00:00Z or 2027-03-01T09:00+01:00, but got \""
                            + Limits.shown(text) + "\".",
                    e);
        }
    }

    /**
     * Reads the name of a time zone.
     *
     * @param name for example {@code Europe/Berlin} or {@code UTC}
     * @return the zone
     * @throws InvalidInput if there is no such zone
     */
    static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new InvalidInput(
                    "A time zone has a name such as \"Europe/Berlin\" or \"UTC\", but got \"" + Limits.shown(name)
                            + "\".",
                    e);
        }
    }

    /**
     * The local times of a cron expression in a time zone.
     *
     * @param expression the local times
     * @param zone the time zone
     */
    record Cron(CronExpression expression, ZoneId zone) implements Timing {

        /** Checks that both are given. */
        public Cron {
            Limits.notNull("cron expression", expression);
            Limits.notNull("time zone", zone);
        }

        @Override
        public @Nullable Instant next(Instant time) {
            return expression.isEveryHour() ? nextElapsed(time) : nextOnTheWall(time);
        }

        /** A schedule at fixed hours: each local time once, although clocks are changed. */
        private @Nullable Instant nextOnTheWall(Instant time) {
            ZoneRules rules = zone.getRules();
            LocalDateTime from = LocalDateTime.ofInstant(time, zone)
                    .truncatedTo(ChronoUnit.SECONDS)
                    .plusSeconds(1);
            ZoneOffsetTransition before = rules.previousTransition(time.plusNanos(1));
            if (before != null && before.isOverlap() && from.isBefore(before.getDateTimeBefore())) {
                // In the second pass of the doubled hour: all its local times were made in the first.
                from = before.getDateTimeBefore();
            }
            LocalDateTime local = expression.next(from);
            if (local == null) {
                return null;
            }
            ZoneOffsetTransition transition = rules.getTransition(local);
            if (transition != null && transition.isGap()) {
                return transition.getInstant();
            }
            return ZonedDateTime.ofLocal(local, zone, null)
                    .withEarlierOffsetAtOverlap()
                    .toInstant();
        }

        /** A schedule of every hour: each instant whose local time matches. */
        private @Nullable Instant nextElapsed(Instant time) {
            ZoneRules rules = zone.getRules();
            Instant at = time.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
            while (true) {
                LocalDateTime local = LocalDateTime.ofInstant(at, zone);
                LocalDateTime match = expression.next(local);
                if (match == null) {
                    return null;
                }
                Instant candidate = at.plus(Duration.between(local, match));
                ZoneOffsetTransition transition = rules.nextTransition(at);
                if (transition == null || candidate.isBefore(transition.getInstant())) {
                    return candidate;
                }
                // The clocks are changed before that: look again from there.
                at = transition.getInstant();
            }
        }
    }

    /**
     * Ticks at a fixed interval.
     *
     * @param interval the time between two ticks
     * @param anchor one of the ticks; all others are a multiple of the interval away from it
     */
    record Every(Duration interval, Instant anchor) implements Timing {

        /** Checks the interval. */
        public Every {
            Limits.positive("interval of a schedule", interval);
            if (interval.compareTo(SHORTEST) < 0 || !interval.equals(interval.truncatedTo(ChronoUnit.MILLIS))) {
                throw new InvalidInput(
                        "The interval of a schedule is at least 1 s and has whole milliseconds, but got \""
                                + Durations.shown(interval) + "\".");
            }
        }

        @Override
        public Instant next(Instant time) {
            long step = interval.toMillis();
            long since = Math.floorDiv(Duration.between(anchor, time).toMillis(), step);
            Instant next = anchor.plusMillis(since * step);
            while (!next.isAfter(time)) {
                next = next.plusMillis(step);
            }
            return next;
        }

        @Override
        public ZoneId zone() {
            return ZoneId.of("UTC");
        }
    }

    /**
     * Single times.
     *
     * @param times the times, in order
     */
    record Times(List<Instant> times) implements Timing {

        /** Checks the number of times, and sorts them. */
        public Times {
            Limits.notNull("list of times", times).forEach(time -> Limits.notNull("time", time));
            if (times.isEmpty() || times.size() > MAX_TIMES) {
                throw new InvalidInput(
                        "A schedule has 1 to " + MAX_TIMES + " single times, but got " + times.size() + ".");
            }
            times = List.copyOf(new TreeSet<>(times.stream()
                    .map(time -> time.truncatedTo(ChronoUnit.MILLIS))
                    .toList()));
        }

        @Override
        public @Nullable Instant next(Instant time) {
            return times.stream().filter(tick -> tick.isAfter(time)).findFirst().orElse(null);
        }

        @Override
        public ZoneId zone() {
            return ZoneId.of("UTC");
        }
    }
}
