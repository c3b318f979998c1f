package dev.semel.task;

import java.util.Comparator;

/**
 * The identity of a schedule.
 *
 * @param tenant its tenant
 * @param name its name, unique for each tenant
 */
public record ScheduleId(String tenant, String name) implements Comparable<ScheduleId> {

    private static final Comparator<ScheduleId> ORDER =
            Comparator.comparing(ScheduleId::tenant).thenComparing(ScheduleId::name);

    /** Checks the names. */
    public ScheduleId {
        Limits.name("tenant", tenant);
        Limits.name("schedule", name);
    }

    /** Compares by tenant, then by name, both by their characters. */
    @Override
    public int compareTo(ScheduleId other) {
        return ORDER.compare(this, other);
    }
}
