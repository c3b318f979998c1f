package dev.semel.benchmarks;

import dev.semel.store.DueSchedules;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.TaskStore;
import dev.semel.task.ScheduleId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/**
 * The look of a scheduler at a store with many schedules of which none is due, in turns with the look at a store that has none. It is
 * what an idle program pays every few seconds.
 */
record IdleSchedules(StoreUnderTest storage, Scale scale, int schedules) implements Measure {

    static final String SECTION = "Schedules";

    // As many as a scheduler asks for.
    private static final int LIMIT = 100;
    private static final int BATCH = 1_000;

    // As long as that of a daily report that has made twenty ticks.
    private static final String DOCUMENT = "{\"text\":\"" + "x".repeat(2_000) + "\"}";

    @Override
    public String id() {
        return "idle-schedules";
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "idle look at %,d schedules", schedules);
    }

    @Override
    public Result take() {
        List<Double> with = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        try (StoreUnderTest.Place place = storage.fresh();
                TaskStore filled = place.open();
                StoreUnderTest.Place other = storage.fresh();
                TaskStore empty = other.open()) {
            fill(filled);
            double unused = looksPerSecond(filled, schedules > 0) + looksPerSecond(empty, false);
            for (int i = 0; i < scale.repeats(); i++) {
                without.add(looksPerSecond(empty, false));
                with.add(looksPerSecond(filled, schedules > 0));
            }
        }
        return new Result(id(), SECTION, title(), "looks/s", new Series(with), null, new Series(without), Map.of());
    }

    private void fill(TaskStore store) {
        // Over a year, as ticks of real schedules are: none of them comes due while it is measured.
        Instant first = store.dueSchedules(1).now().plus(Duration.ofDays(1));
        List<Operation> batch = new ArrayList<>(BATCH);
        for (int i = 0; i < schedules; i++) {
            ScheduleId id = new ScheduleId("default", String.format(Locale.ROOT, "schedule-%06d", i));
            Instant next = first.plusSeconds((i * 7_919L) % Duration.ofDays(365).toSeconds());
            batch.add(new Operation.ChangeSchedule(
                    id, null, new ScheduleRecord(id, new UUID(0, i + 1L), next, DOCUMENT), null, List.of(), List.of()));
            if (batch.size() == BATCH || i == schedules - 1) {
                if (store.operate(batch).stream().anyMatch(answer -> answer != Operated.APPLIED)) {
                    throw new IllegalStateException("Expected all schedules to be created, but some were not");
                }
                batch.clear();
            }
        }
    }

    private double looksPerSecond(TaskStore store, boolean hasNext) {
        int looks = scale.many();
        long began = System.nanoTime();
        for (int i = 0; i < looks; i++) {
            DueSchedules due = store.dueSchedules(LIMIT);
            if (!due.schedules().isEmpty() || (due.nextDue() != null) != hasNext) {
                throw new IllegalStateException("Expected no schedule to be due, so the figure is not valid: " + due);
            }
        }
        return looks * 1e9 / (System.nanoTime() - began);
    }
}
