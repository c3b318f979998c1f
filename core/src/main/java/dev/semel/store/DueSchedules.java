package dev.semel.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The schedules whose next tick is due.
 *
 * @param schedules the schedules, earliest tick first
 * @param now the store's time
 * @param nextDue how long until the next tick of any other schedule; zero if more are due, null if there is none
 */
public record DueSchedules(
        List<ScheduleRecord> schedules,
        Instant now,
        @Nullable Duration nextDue) {

    /** Copies. */
    public DueSchedules {
        schedules = List.copyOf(schedules);
    }
}
