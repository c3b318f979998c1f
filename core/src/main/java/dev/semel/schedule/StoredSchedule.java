package dev.semel.schedule;

import dev.semel.store.ScheduleRecord;
import dev.semel.task.ScheduleId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A schedule in the store: its definition in two layers, and how far it has come.
 *
 * @param id the schedule
 * @param declared what code or configuration says, or null
 * @param set what was set by hand, or null; it takes precedence
 * @param state how far it has come
 */
public record StoredSchedule(
        ScheduleId id,
        @Nullable Schedule declared,
        @Nullable Schedule set,
        ScheduleState state) {

    /** Checks that there is a definition. */
    public StoredSchedule {
        if (declared == null && set == null) {
            throw new IllegalArgumentException("Expected a definition of schedule " + id.name() + ", but got none");
        }
    }

    /** {@return the definition that holds} */
    public Schedule definition() {
        return set != null ? set : Objects.requireNonNull(declared);
    }

    /** {@return its next tick; empty if it is paused or has no more ticks} */
    public Optional<Instant> next() {
        return state.pause() != null ? Optional.empty() : definition().next(state.position());
    }

    StoredSchedule with(ScheduleState newState) {
        return new StoredSchedule(id, declared, set, newState);
    }

    static StoredSchedule of(ScheduleRecord stored) {
        String name = stored.id().name();
        ScheduleDocument document = ScheduleDocument.read(name, stored.document());
        return new StoredSchedule(stored.id(), document.declared(name), document.set(name), document.state(name));
    }

    ScheduleRecord record(UUID version) {
        return new ScheduleRecord(id, version, next().orElse(null), ScheduleDocument.write(declared, set, state));
    }
}
