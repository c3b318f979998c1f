package dev.semel.storetests.simulation;

import dev.semel.engine.Codec;
import dev.semel.store.DueSchedules;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.TaskOptions;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler: asks what is due, makes ticks at once or long after, and sends again what was not answered. Its clock is wrong, and
 * decides nothing. Ticks have no keys, so nothing but the version of the schedule keeps one from being made twice; most of them
 * cancel the task of the tick before.
 */
final class Ticker implements Timeline.Party {

    private static final List<ScheduleId> SCHEDULES =
            List.of(new ScheduleId("default", "often"), new ScheduleId("acme", "often"));

    private static final int LIMIT = 10;

    private final World world;
    private final RandomSource randomness;
    private final String name;
    private final SkewedClock clock;

    Ticker(World world, RandomSource randomness, int number) {
        this.world = world;
        this.randomness = randomness;
        this.name = "t" + number;
        this.clock = new SkewedClock(world.timeline, randomness.split());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public long frozenUntil() {
        return 0;
    }

    void start() {
        for (ScheduleId id : SCHEDULES) {
            ScheduleDocument first = new ScheduleDocument(0, null);
            send(List.of(new Operation.ChangeSchedule(
                    id, null, first.record(id, nextId(), world.storeClock.instant()), null, List.of(), List.of())));
        }
        lookLater();
    }

    private void lookLater() {
        world.timeline.after(randomness.spread(200, 3_000), this, () -> {
            if (!world.isCalm()) {
                world.network.send(this, new Call.ReadDue(LIMIT), this::plan, thrown -> {});
                lookLater();
            }
        });
    }

    private UUID nextId() {
        return TaskId.next(clock, randomness.generator()).value();
    }

    private void plan(DueSchedules due) {
        List<Operation> changes = new ArrayList<>();
        due.schedules().forEach(schedule -> changes.add(change(schedule, due.now())));
        if (changes.isEmpty()) {
            return;
        }
        if (randomness.chance(0.3)) {
            // Frozen between the look and the tick, for longer than the schedule's interval.
            world.timeline.after(randomness.spread(100, 10_000), this, () -> send(changes));
        } else {
            send(changes);
        }
    }

    private Operation change(ScheduleRecord before, Instant now) {
        ScheduleDocument state = ScheduleDocument.of(before);
        Duration pause = randomness.spread(500, 4_000);
        boolean ticks = !randomness.chance(0.1); // otherwise somebody changes the definition
        NewTask task = ticks ? task(before.id()) : null;
        ScheduleDocument next = task == null ? state : new ScheduleDocument(state.position() + 1, task.id());
        boolean replaces = task != null && state.last() != null && randomness.chance(0.6);
        return new Operation.ChangeSchedule(
                before.id(),
                before.version(),
                next.record(before.id(), nextId(), now.plus(pause)),
                before.nextAt(),
                task == null ? List.of() : List.of(task),
                replaces ? List.of(state.last()) : List.of());
    }

    private NewTask task(ScheduleId schedule) {
        Work work = new Work(
                5_000 + randomness.between(0, 999),
                randomness.oneOf(List.of(Work.Deed.SUCCEED, Work.Deed.SUCCEED, Work.Deed.FAIL, Work.Deed.SNOOZE)),
                randomness.between(1, 6),
                List.of());
        NewTask task = new NewTask(
                TaskId.next(clock, randomness.generator()),
                schedule.tenant(),
                randomness.oneOf(Queueing.ALL),
                randomness.oneOf(Handling.TYPES),
                Codec.standard().encode(work),
                NewTask.Start.now(),
                new TaskOptions(0, null, null, randomness.chance(0.5) ? "ticks" : null),
                null);
        world.sentIds.add(task.id());
        return task;
    }

    private void send(List<Operation> changes) {
        world.network.send(this, new Call.Operate(changes), answers -> {}, thrown -> {
            if (!world.isCalm() && randomness.chance(0.7)) {
                world.timeline.after(randomness.spread(10, 5_000), this, () -> send(changes));
            }
        });
    }

    /**
     * The text of a schedule.
     *
     * @param position how many ticks it has made
     * @param last the task of the last one, or null
     */
    record ScheduleDocument(long position, @Nullable TaskId last) {

        private static final String SEPARATOR = "@";

        static ScheduleDocument of(ScheduleRecord stored) {
            // A JSON string: the position, and the last task if there is one.
            String text = stored.document().substring(1, stored.document().length() - 1);
            int at = text.indexOf(SEPARATOR);
            String last = text.substring(at + 1);
            return new ScheduleDocument(
                    Long.parseLong(text.substring(0, at)), last.isEmpty() ? null : TaskId.parse(last));
        }

        ScheduleRecord record(ScheduleId id, UUID version, Instant nextAt) {
            return new ScheduleRecord(
                    id, version, nextAt, "\"" + position + SEPARATOR + (last == null ? "" : last) + "\"");
        }
    }
}
