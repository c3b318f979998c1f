package dev.semel.store;

import dev.semel.task.ScheduleId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored. A store looks at nothing but the time of the next tick.
 *
 * @param id the schedule
 * @param version changes with every change of the schedule; chosen by the sender, so that a repeated change is recognised
 * @param nextAt when its next tick is due; null if it does not tick
 * @param document its definition and state, in JSON
 */
public record ScheduleRecord(
        ScheduleId id, UUID version, @Nullable Instant nextAt, String document) {

    /** Cuts the time to milliseconds. */
    public ScheduleRecord {
        nextAt = nextAt == null ? null : nextAt.truncatedTo(ChronoUnit.MILLIS);
    }

    /** {@return what it is, without its document, which may have secret input} */
    @Override
    public String toString() {
        return "ScheduleRecord[" + id.tenant() + "/" + id.name() + ", version=" + version + ", nextAt=" + nextAt + "]";
    }
}
