package dev.semel.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.schedule.ScheduleState.Outcome;
import dev.semel.schedule.ScheduleState.Tick;
import dev.semel.store.NewTask;
import dev.semel.store.TaskOptions;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What due ticks do: each cell of the tables on the page about schedules. */
class TickPlanTest {

    private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");

    private final Random random = new Random(7);
    private final TaskId last = id();
    private final TaskId previous = id();

    private TaskId id() {
        return TaskId.next(InstantSource.fixed(START), random);
    }

    private TickPlan plan(Schedule schedule, ScheduleState state, Instant now, Set<TaskId> open) {
        return TickPlan.of(
                new TickPlan.Tasks(new ScheduleId("default", schedule.name()), schedule, TaskOptions.NONE, this::id),
                state,
                now,
                open::contains);
    }

    private static Schedule.Builder hourly() {
        return Schedule.every("hourly", Duration.ofHours(1)).type("report").input("{}");
    }

    private static ScheduleState at(Instant position) {
        return ScheduleState.created(START.minus(Duration.ofDays(1))).at(position);
    }

    private static List<String> ticks(TickPlan plan) {
        return plan.create().stream()
                .map(task -> task.key() == null ? "" : task.key().identity().key())
                .map(key -> key.substring(key.indexOf('@') + 1))
                .toList();
    }

    private static String outcomes(TickPlan plan) {
        return plan.state().recent().stream()
                .map(tick -> tick.outcome().name().toLowerCase(java.util.Locale.ROOT)
                        + (tick.count() == 1 ? "" : "x" + tick.count()))
                .collect(Collectors.joining(" "));
    }

    // The last tick that was made is 00:00.
    @ParameterizedTest(name = "{0} at {1}")
    @CsvSource({
        // on time
        "skip,  2027-01-01T01:00:00Z, 01:00,             started",
        "last,  2027-01-01T01:00:30Z, 01:00,             started",
        "all:9, 2027-01-01T01:01:00Z, 01:00,             started",
        // one missed
        "skip,  2027-01-01T01:01:01Z, '',                missed",
        "last,  2027-01-01T01:01:01Z, 01:00,             started",
        "all:9, 2027-01-01T01:01:01Z, 01:00,             started",
        // several missed
        "skip,  2027-01-01T03:30:00Z, '',                missedx3",
        "last,  2027-01-01T03:30:00Z, 03:00,             started missedx2",
        "all:9, 2027-01-01T03:30:00Z, 01:00 02:00 03:00, started started started",
        "all:2, 2027-01-01T03:30:00Z, 02:00 03:00,       started started missed",
        // several missed, and one that is on time
        "skip,  2027-01-01T03:00:10Z, 03:00,             started missedx2",
        "last,  2027-01-01T03:00:10Z, 03:00,             started missedx2",
        "all:9, 2027-01-01T03:00:10Z, 01:00 02:00 03:00, started started started",
        "all:2, 2027-01-01T03:00:10Z, 01:00 02:00 03:00, started started started",
        // nothing is due
        "last,  2027-01-01T00:59:59Z, '',                ''",
    })
    void missedTicks(String catchUp, Instant now, String expected, String outcomes) {
        Schedule schedule =
                hourly().catchUp(CatchUp.parse(catchUp)).overlap(Overlap.ALLOW).build();
        TickPlan plan = plan(schedule, at(START), now, Set.of());
        assertThat(ticks(plan))
                .containsExactlyElementsOf(Stream.of(expected.split(" "))
                        .filter(text -> !text.isEmpty())
                        .map(time -> "2027-01-01T" + time + ":00Z")
                        .toList());
        assertThat(outcomes(plan)).isEqualTo(outcomes);
        assertThat(plan.state().position()).isAfterOrEqualTo(START).isBeforeOrEqualTo(now);
        // What was dealt with is never dealt with again.
        assertThat(ticks(plan(schedule, plan.state(), now, Set.of()))).isEmpty();
    }

    @ParameterizedTest(name = "{0}, open: {1}")
    @CsvSource({
        "skip,    '',            started, ''",
        "skip,    last,          skipped, ''",
        "skip,    previous,      skipped, ''",
        "skip,    last+previous, skipped, ''",
        "wait,    '',            started, ''",
        "wait,    last,          started, ''",
        "wait,    previous,      started, ''",
        "wait,    last+previous, skipped, ''",
        "replace, '',            started, ''",
        "replace, last,          started, last",
        "replace, previous,      started, previous",
        "replace, last+previous, started, last+previous",
        "allow,   '',            started, ''",
        "allow,   last,          started, ''",
        "allow,   previous,      started, ''",
        "allow,   last+previous, started, ''",
    })
    void overlappingTicks(String overlap, String open, String outcome, String cancelled) {
        Schedule schedule = hourly().overlap(Overlap.parse(overlap)).build();
        ScheduleState before = at(START)
                .with(new Tick(START, START, Outcome.STARTED, previous, 1))
                .with(new Tick(START, START, Outcome.STARTED, last, 1));
        TickPlan plan = plan(schedule, before, START.plusSeconds(3600), named(open));
        assertThat(plan.state().recent().getFirst().outcome().name()).isEqualToIgnoringCase(outcome);
        assertThat(Set.copyOf(plan.cancel())).isEqualTo(named(cancelled));
        boolean alone = overlap.equals("wait") || overlap.equals("replace");
        for (NewTask task : plan.create()) {
            assertThat(task.options().mutex()).isEqualTo(alone ? "semel.schedule:hourly" : null);
        }
        assertThat(plan.state().last())
                .isEqualTo(
                        plan.create().isEmpty()
                                ? last
                                : plan.create().getFirst().id());
        assertThat(plan.state().previous()).isEqualTo(plan.create().isEmpty() ? previous : last);
    }

    private Set<TaskId> named(String names) {
        return Stream.of(names.split("\\+"))
                .filter(name -> !name.isEmpty())
                .map(name -> name.equals("last") ? last : previous)
                .collect(Collectors.toSet());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "skip,    1, started skipped skipped", "wait,    2, started started skipped",
        "replace, 1, skipped skipped started", "allow,   3, started started started",
    })
    void severalTicksAtOnceOverlapEachOther(String overlap, int created, String oldestFirst) {
        Schedule schedule =
                hourly().catchUp(CatchUp.all(9)).overlap(Overlap.parse(overlap)).build();
        TickPlan plan = plan(schedule, at(START), Instant.parse("2027-01-01T03:30:00Z"), Set.of());
        assertThat(plan.create()).hasSize(created);
        assertThat(plan.state().recent().reversed().stream()
                        .map(tick -> tick.outcome().name().toLowerCase(java.util.Locale.ROOT)))
                .containsExactly(oldestFirst.split(" "));
    }

    @Test
    void manyTicksAreMadeInSeveralChangesAndNoneIsLost() {
        Schedule schedule = Schedule.every("often", Duration.ofSeconds(1))
                .type("report")
                .catchUp(CatchUp.all(500))
                .overlap(Overlap.ALLOW)
                .build();
        Instant now = START.plus(Duration.ofDays(400));
        ScheduleState state = at(START);
        Set<String> made = new java.util.LinkedHashSet<>();
        int rounds = 0;
        while (schedule.next(state.position())
                .filter(tick -> !tick.isAfter(now))
                .isPresent()) {
            TickPlan plan = plan(schedule, state, now, Set.of());
            assertThat(plan.create().size()).isLessThanOrEqualTo(TickPlan.MAX_TICKS);
            ticks(plan).forEach(tick -> assertThat(made.add(tick)).isTrue());
            state = plan.state();
            rounds++;
        }
        // 500 that were missed and 61 that are on time.
        assertThat(made)
                .hasSize(561)
                .contains(now.toString(), now.minusSeconds(560).toString());
        assertThat(rounds).isEqualTo(6);
    }

    @Test
    void theTaskOfATickHasItsKeyInputAndStart() {
        Schedule schedule = hourly().input(
                        "{\"day\":\"${tick.date}\",\"at\":\"${tick}\",\"local\":\"${tick.local}\",\"ms\":${tick.epoch_millis},"
                                + "\"of\":\"${schedule}\",\"price\":\"$${5}\"}")
                .jitter(Duration.ofMinutes(10))
                .priority(3)
                .queue("reports")
                .build();
        Instant tick = START.plusSeconds(3600);
        NewTask task = plan(schedule, at(START), tick, Set.of()).create().getFirst();
        assertThat(task.input())
                .isEqualTo("{\"day\":\"2027-01-01\",\"at\":\"2027-01-01T01:00:00Z\",\"local\":\"2027-01-01T01:00:00\","
                        + "\"ms\":1798765200000,\"of\":\"hourly\",\"price\":\"${5}\"}");
        assertThat(task.queue()).isEqualTo("reports");
        assertThat(task.options().priority()).isEqualTo(3);
        Instant start = ((NewTask.Start.At) task.start()).time();
        assertThat(start).isBetween(tick, tick.plus(Duration.ofMinutes(10)));
        // Every scheduler gives the tick the same start.
        NewTask again = plan(schedule, at(START), tick.plusSeconds(9), Set.of())
                .create()
                .getFirst();
        assertThat(again.start()).isEqualTo(task.start());
        assertThat(again.key()).isEqualTo(task.key());
        assertThat(again.id()).isNotEqualTo(task.id());
    }

    @Test
    void aScheduleTicksFromItsStartUntilBeforeItsEnd() {
        Schedule schedule = Schedule.every("short", Duration.ofSeconds(10))
                .type("report")
                .start(START.plusSeconds(5))
                .end(START.plusSeconds(35))
                .build();
        assertThat(schedule.next(START.minusSeconds(100))).contains(START.plusSeconds(5));
        assertThat(schedule.next(START.plusSeconds(5))).contains(START.plusSeconds(15));
        assertThat(schedule.next(START.plusSeconds(15))).contains(START.plusSeconds(25));
        assertThat(schedule.next(START.plusSeconds(25))).isEmpty();
    }
}
