package dev.semel.store;

import dev.semel.task.ScheduleId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The laws of schedules, T1 to T6, for {@link InMemoryTaskStore}. */
final class MemorySchedules {

    private final MemoryTables tables;
    private final MemorySubmissions submitting;
    private final NavigableMap<ScheduleId, ScheduleRecord> schedules = new TreeMap<>();

    MemorySchedules(MemoryTables tables, MemorySubmissions submitting) {
        this.tables = tables;
        this.submitting = submitting;
    }

    Operated change(Operation.ChangeSchedule change, Instant now) {
        ScheduleRecord stored = schedules.get(change.id());
        switch (change.decide(stored == null ? null : stored.version(), now)) {
            case DONE_BEFORE -> {
                return Operated.APPLIED;
            }
            case STALE -> {
                return Operated.STALE;
            }
            case CHANGE -> {}
        }
        if (change.next() == null) {
            schedules.remove(change.id());
        } else {
            schedules.put(change.id(), change.next());
        }
        change.cancel().forEach(id -> {
            StoredTask task = tables.find(id);
            if (task != null) {
                Operated unused = tables.cancel(task, now);
            }
        });
        change.create().forEach(task -> {
            Submitted unused = submitting.submit(task, now);
        });
        return Operated.APPLIED;
    }

    DueSchedules due(int limit, Instant now) {
        List<ScheduleRecord> inOrder = schedules.values().stream()
                .filter(schedule -> schedule.nextAt() != null)
                .sorted(Comparator.comparing(MemorySchedules::time).thenComparing(ScheduleRecord::id))
                .toList();
        List<ScheduleRecord> due = inOrder.stream()
                .filter(schedule -> !time(schedule).isAfter(now))
                .limit(limit)
                .toList();
        return new DueSchedules(due, now, inOrder.size() == due.size() ? null : until(inOrder.get(due.size()), now));
    }

    private static Duration until(ScheduleRecord schedule, Instant now) {
        Instant next = time(schedule);
        return next.isAfter(now) ? Duration.between(now, next) : Duration.ZERO;
    }

    private static Instant time(ScheduleRecord schedule) {
        return Objects.requireNonNull(schedule.nextAt());
    }

    Map<ScheduleId, ScheduleRecord> find(Collection<ScheduleId> ids) {
        Map<ScheduleId, ScheduleRecord> found = new LinkedHashMap<>();
        for (ScheduleId id : ids) {
            ScheduleRecord schedule = schedules.get(id);
            if (schedule != null) {
                found.put(id, schedule);
            }
        }
        return found;
    }

    List<ScheduleRecord> list(ScheduleQuery query) {
        @Nullable ScheduleId after = query.after();
        return (after == null ? schedules : schedules.tailMap(after, false))
                .values().stream()
                        .filter(schedule -> query.tenant() == null
                                || query.tenant().equals(schedule.id().tenant()))
                        .limit(query.limit())
                        .toList();
    }
}
