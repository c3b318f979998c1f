package dev.semel.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.engine.Codec;
import dev.semel.engine.Components;
import dev.semel.engine.OwnThreads;
import dev.semel.engine.TypeSteps;
import dev.semel.observe.Observation;
import dev.semel.schedule.ScheduleState.Outcome;
import dev.semel.schedule.ScheduleState.Tick;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.ScheduleNotFound;
import dev.semel.task.Scope;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Schedules on the store in memory, with a clock that the test moves. */
class SchedulesTest {

    private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");

    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(1);
    private final Random random = new Random(11);
    private volatile Instant now = START;
    private final TaskStore store = new InMemoryTaskStore(() -> now);
    private final Schedules schedules =
            new Schedules(components(store, () -> now), "default", type -> TaskOptions.NONE, () -> {});
    private final Scheduler scheduler = scheduler(store, () -> now);

    @AfterEach
    void close() {
        timers.shutdownNow();
    }

    private Components components(TaskStore of, InstantSource clock) {
        return new Components(
                of,
                Codec.standard(),
                clock,
                random,
                timers,
                new OwnThreads(),
                Observation.NONE,
                TypeSteps.of(Codec.standard(), clock, random));
    }

    private Scheduler scheduler(TaskStore of, InstantSource clock) {
        return new Scheduler(components(of, clock), type -> TaskOptions.NONE, Scheduler.INTERVAL);
    }

    private static Schedule.Builder minutely() {
        return Schedule.cron("minutely", "* * * * *", ZoneId.of("UTC"))
                .type("report")
                .overlap(Overlap.ALLOW);
    }

    private void advance(Duration by) {
        now = now.plus(by);
    }

    private List<Task> tasks() {
        return store.list(new TaskQuery(null, null, null, Set.of(), null, null, 1000))
                .tasks();
    }

    private void end(TaskId id) {
        assertThat(store.operate(List.of(new Operation.Cancel(id)))).containsExactly(Operated.APPLIED);
    }

    @Test
    void aScheduleMakesOneTaskForEachTick() {
        schedules.put(minutely().build());
        for (int i = 0; i < 10; i++) {
            scheduler.round();
            scheduler.round();
            advance(Duration.ofSeconds(30));
        }
        scheduler.round();
        assertThat(tasks()).hasSize(5);
        assertThat(schedules.get("minutely").state().recent())
                .extracting(Tick::outcome)
                .containsOnly(Outcome.STARTED)
                .hasSize(5);
        assertThat(scheduler.round()).isEqualTo(Scheduler.INTERVAL.plusSeconds(55));
    }

    @Test
    void aPausedScheduleDoesNotTickAndGoesOnFromNow() {
        schedules.put(minutely().build());
        StoredSchedule paused = schedules.pause("minutely", "moving house");
        assertThat(paused.next()).isEmpty();
        advance(Duration.ofMinutes(10));
        scheduler.round();
        assertThat(tasks()).isEmpty();
        assertThat(schedules.pause("minutely", "still moving").state().pause())
                .isEqualTo(new ScheduleState.Pause(START, "still moving"));
        assertThat(schedules.next("minutely", 2)).containsExactly(now.plusSeconds(60), now.plusSeconds(120));
        schedules.resume("minutely");
        schedules.resume("minutely");
        scheduler.round();
        assertThat(tasks()).isEmpty();
        advance(Duration.ofMinutes(1));
        scheduler.round();
        assertThat(tasks()).hasSize(1);
    }

    @Test
    void aChangedDefinitionTicksFromNowOnAndKeepsItsHistory() {
        schedules.put(minutely().build());
        advance(Duration.ofMinutes(1));
        scheduler.round();
        advance(Duration.ofSeconds(30));
        schedules.put(Schedule.every("minutely", Duration.ofSeconds(10))
                .type("other")
                .overlap(Overlap.ALLOW)
                .build());
        scheduler.round();
        assertThat(tasks()).hasSize(1);
        advance(Duration.ofSeconds(10));
        scheduler.round();
        assertThat(tasks()).extracting(Task::type).containsExactly("other", "report");
        assertThat(schedules.get("minutely").state().recent()).hasSize(2);
        // The same definition again changes nothing: no tick is left out.
        advance(Duration.ofSeconds(10));
        schedules.put(Schedule.every("minutely", Duration.ofSeconds(10))
                .type("other")
                .overlap(Overlap.ALLOW)
                .build());
        scheduler.round();
        assertThat(tasks()).hasSize(3);
    }

    @Test
    void aChangeThatLeavesTheTimesAsTheyAreLosesNoTick() {
        schedules.put(minutely().build());
        advance(Duration.ofMinutes(1));
        // The tick is due, and no scheduler has made it yet.
        schedules.put(minutely().type("other").build());
        scheduler.round();
        assertThat(tasks()).extracting(Task::type).containsExactly("other");
        scheduler.round();
        assertThat(tasks()).hasSize(1);
        // With another time, the tick that was due is not one of the new definition.
        advance(Duration.ofMinutes(1));
        schedules.put(minutely().start(now).build());
        scheduler.round();
        assertThat(tasks()).hasSize(1);
    }

    @Test
    void aTickIsNotMadeAgainAfterItsScheduleWasRemovedAndAddedInTheSameMinute() {
        schedules.put(minutely().build());
        advance(Duration.ofMinutes(1));
        scheduler.round();
        assertThat(schedules.remove("minutely", false)).isEqualTo(Schedules.Removal.REMOVED);
        assertThat(schedules.find("minutely")).isEmpty();
        schedules.put(minutely().build());
        scheduler.round();
        assertThat(tasks()).hasSize(1);
    }

    @Test
    void whatIsSetByHandTakesPrecedenceOverWhatIsDeclared() {
        Schedule declared = minutely().build();
        Schedule byHand = minutely().type("by_hand").build();
        schedules.declare(declared);
        assertThatThrownBy(() -> schedules.remove("minutely", false))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("declared by a program");
        schedules.put(byHand);
        schedules.declare(declared);
        assertThat(schedules.get("minutely").definition()).isEqualTo(byHand);
        assertThat(schedules.remove("minutely", false)).isEqualTo(Schedules.Removal.RESET);
        assertThat(schedules.get("minutely").definition()).isEqualTo(declared);
        assertThat(schedules.remove("minutely", true)).isEqualTo(Schedules.Removal.REMOVED);
        assertThatThrownBy(() -> schedules.get("minutely")).isInstanceOf(ScheduleNotFound.class);
    }

    @Test
    void aTriggerIsATickOutOfTurn() {
        schedules.put(minutely().overlap(Overlap.SKIP).build());
        TaskId first = schedules.trigger("minutely", false);
        assertThatThrownBy(() -> schedules.trigger("minutely", false))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining(first.toString());
        TaskId second = schedules.trigger("minutely", true);
        assertThat(second).isNotEqualTo(first);
        end(first);
        end(second);
        advance(Duration.ofMinutes(1));
        scheduler.round();
        assertThat(tasks()).hasSize(3);
        assertThat(schedules.get("minutely").state().recent())
                .extracting(Tick::outcome)
                .containsExactly(Outcome.STARTED, Outcome.TRIGGERED, Outcome.TRIGGERED);
    }

    @Test
    void aTriggerThatIsRepeatedWithItsIdMakesOneTask() {
        schedules.put(minutely().overlap(Overlap.SKIP).build());
        TaskId id = TaskId.next(() -> now, random);
        assertThat(schedules.trigger("minutely", false, id)).isEqualTo(id);
        // Its answer was lost. Its own task is open, which is no reason to reject the repetition.
        assertThat(schedules.trigger("minutely", false, id)).isEqualTo(id);
        assertThat(tasks()).hasSize(1);
        assertThat(schedules.get("minutely").state().recent()).hasSize(1);
        for (int i = 0; i < ScheduleState.MAX_RECENT; i++) {
            schedules.trigger("minutely", true);
        }
        assertThat(schedules.trigger("minutely", true, id))
                .as("long after it left the list of recent ticks")
                .isEqualTo(id);
        assertThat(tasks()).hasSize(1 + ScheduleState.MAX_RECENT);
        schedules.put(Schedule.every("other", Duration.ofHours(1)).type("t").build());
        assertThatThrownBy(() -> schedules.trigger("other", true, id))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("another task");
    }

    @Test
    void aTickStartsAWorkflowThatIsFoundByItsId() {
        WorkflowType<String, String> report = WorkflowType.of("report_flow", String.class, String.class);
        schedules.put(Schedule.cron("minutely", "* * * * *", ZoneId.of("UTC"))
                .workflow(report, "all")
                .build());
        advance(Duration.ofMinutes(1));
        scheduler.round();
        Task task = tasks().getFirst();
        Instant tick = schedules.get("minutely").state().recent().getFirst().at();
        assertThat(task.identity())
                .isEqualTo(Identity.of("default", Scope.type(), task.queue(), "report_flow", "minutely@" + tick));
        assertThat(task.input()).isEqualTo("\"all\"");
        assertThatThrownBy(() -> Schedule.every("e", Duration.ofHours(1))
                        .workflow(report, "all")
                        .overlap(Overlap.WAIT)
                        .build())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("holds no mutex");
        // A workflow that waits is open: the next tick is skipped.
        advance(Duration.ofMinutes(1));
        scheduler.round();
        assertThat(tasks()).hasSize(1);
    }

    @Test
    void aReplacedTaskIsCancelledAndItsSuccessorHasTheMutex() {
        schedules.put(minutely().overlap(Overlap.REPLACE).build());
        advance(Duration.ofMinutes(1));
        scheduler.round();
        TaskId first = tasks().getFirst().id();
        advance(Duration.ofMinutes(1));
        scheduler.round();
        assertThat(store.find(List.of(first)).get(first).state()).isEqualTo(TaskState.CANCELLED);
        assertThat(tasks())
                .hasSize(2)
                .allMatch(
                        task -> "semel.schedule:minutely".equals(task.options().mutex()));
    }

    @Test
    void unknownSchedulesAreNamed() {
        for (Runnable call : List.<Runnable>of(
                () -> schedules.pause("nobody", "x"),
                () -> schedules.resume("nobody"),
                () -> schedules.trigger("nobody", false),
                () -> schedules.remove("nobody", true),
                () -> schedules.next("nobody", 1))) {
            assertThatThrownBy(call::run).isInstanceOf(ScheduleNotFound.class).hasMessageContaining("\"nobody\"");
        }
    }

    @Test
    void everyPartOfADefinitionIsKept() {
        List<Schedule> all = List.of(
                minutely().build(),
                Schedule.cron("c", "30 0 3 L * ?", ZoneId.of("Europe/Berlin"))
                        .type("t")
                        .queue("q")
                        .input("{\"a\":\"${tick}\"}")
                        .priority(4)
                        .mutex("m")
                        .jitter(Duration.ofMillis(1500))
                        .start(START.minusSeconds(1))
                        .end(START.plusSeconds(99))
                        .catchUp(CatchUp.all(7))
                        .overlap(Overlap.ALLOW)
                        .workflowScope(Scope.custom("flows"))
                        .build(),
                Schedule.every("e", Duration.ofHours(36))
                        .type("t")
                        .overlap(Overlap.WAIT)
                        .start(START)
                        .build(),
                Schedule.at("a", List.of(START.plusSeconds(5), START.plusSeconds(3)))
                        .type("t")
                        .catchUp(CatchUp.skip())
                        .build());
        for (Schedule schedule : all) {
            schedules.put(schedule);
            StoredSchedule read = schedules.get(schedule.name());
            assertThat(read.definition()).isEqualTo(schedule);
            assertThat(ScheduleDocument.definition(read.definition())).isEqualTo(ScheduleDocument.definition(schedule));
            assertThat(schedule.toString()).contains(schedule.name()).doesNotContain("${");
        }
        assertThat(schedules.list(null, 10))
                .extracting(schedule -> schedule.id().name())
                .containsExactly("a", "c", "e", "minutely");
        assertThat(schedules.list("c", 1))
                .extracting(schedule -> schedule.id().name())
                .containsExactly("e");
    }

    @Test
    void contradictionsAreRefused() {
        assertThatThrownBy(() -> minutely().mutex("m").overlap(Overlap.WAIT).build())
                .hasMessageContaining("mutex");
        assertThatThrownBy(() -> minutely().start(START).end(START).build())
                .hasMessageContaining("start before it ends");
        assertThatThrownBy(() -> Schedule.every("e", Duration.ofHours(1)).build())
                .hasMessageContaining("no task type");
        assertThatThrownBy(() -> minutely().input("{\"a\":\"${now}\"}")).hasMessageContaining("${now}");
        assertThatThrownBy(() -> minutely().input("{")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> CatchUp.parse("all:1")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> CatchUp.parse("all:1001")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> Overlap.parse("queue")).isInstanceOf(InvalidInput.class);
    }

    /** A store whose answers get lost, and whose calls fail before they are carried out, at random. */
    private static final class Unreliable extends ForwardingTaskStore {
        private final Random random;

        Unreliable(TaskStore store, Random random) {
            super(store);
            this.random = random;
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            int dice = random.nextInt(4);
            if (dice == 0) {
                throw new StoreUnavailable("The call was lost on purpose.");
            }
            List<Operated> answers = super.operate(batch);
            if (dice == 1) {
                throw new StoreUnavailable("The answer was lost on purpose.");
            }
            return answers;
        }
    }

    @Test
    void severalSchedulersWithWrongClocksAndLostAnswersMakeEachTickOnce() {
        for (int seed = 0; seed < 200; seed++) {
            Random dice = new Random(seed);
            InMemoryTaskStore shared = new InMemoryTaskStore(() -> now);
            now = START;
            List<Scheduler> several = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Duration wrong = Duration.ofMillis(dice.nextLong(-10_000_000, 10_000_000));
                several.add(scheduler(new Unreliable(shared, dice), () -> now.plus(wrong)));
            }
            new Schedules(components(shared, () -> now), "default", type -> TaskOptions.NONE, () -> {})
                    .put(Schedule.every("often", Duration.ofSeconds(1))
                            .type("t")
                            .overlap(Overlap.ALLOW)
                            .build());
            Set<String> expected = new HashSet<>();
            for (int second = 1; second <= 60; second++) {
                expected.add("often@" + START.plusSeconds(second));
            }
            while (now.isBefore(START.plusSeconds(62))) {
                now = now.plusMillis(dice.nextLong(400));
                round(several.get(dice.nextInt(3)));
            }
            for (int i = 0; i < 30; i++) {
                round(several.get(dice.nextInt(3)));
            }
            List<String> keys =
                    shared.list(new TaskQuery(null, null, null, Set.of(), null, null, 1000)).tasks().stream()
                            .map(task -> task.identity() == null
                                    ? ""
                                    : task.identity().key())
                            .toList();
            assertThat(keys).as("seed %s", seed).doesNotHaveDuplicates().containsAll(expected);
        }
    }

    private static void round(Scheduler scheduler) {
        try {
            scheduler.round();
        } catch (StoreUnavailable e) {
            assertThat(e).hasMessageContaining("on purpose");
        }
    }
}
