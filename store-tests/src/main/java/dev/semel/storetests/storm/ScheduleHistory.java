package dev.semel.storetests.storm;

import dev.semel.store.Operated;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What one actor did to schedules and saw of them. Like {@link StormHistory} it is written by one thread without locks. */
final class ScheduleHistory {

    /** The position of a schedule that is not stored. */
    static final long ABSENT = -1;

    /**
     * A change of a schedule.
     *
     * @param id the schedule
     * @param expected the version that it expects; null if the schedule must not exist
     * @param version the version that it gives; null if it removes the schedule
     * @param position how many ticks the schedule has made from then on
     * @param created the task of the tick; null if the change is no tick
     */
    record Change(
            ScheduleId id,
            @Nullable UUID expected,
            @Nullable UUID version,
            long position,
            @Nullable TaskId created) {}

    /**
     * An answer to a change.
     *
     * @param change the change
     * @param answer what was answered
     * @param span from its first send to the answer
     * @param lostBefore whether an answer to an earlier send was lost
     */
    record Answer(Change change, Operated answer, Span span, boolean lostBefore) {

        boolean isApplied() {
            return answer == Operated.APPLIED;
        }
    }

    /** A read of a schedule; its position is {@link #ABSENT} if it is not stored. */
    record Sight(ScheduleId id, long position, Span span) {}

    private final List<Answer> answers = new ArrayList<>();
    private final List<Sight> sights = new ArrayList<>();

    void answered(Answer answer) {
        answers.add(answer);
    }

    void saw(Sight sight) {
        sights.add(sight);
    }

    List<Answer> answers() {
        return answers;
    }

    List<Sight> sights() {
        return sights;
    }
}
