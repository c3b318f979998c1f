package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.DueSchedules;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.TaskStore;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of schedules: T1 to T6. */
public abstract class ScheduleContract extends StoreContract {

    private static final ScheduleId NIGHTLY = new ScheduleId("default", "nightly");

    /** For subclasses. */
    protected ScheduleContract() {}

    private UUID version() {
        return ids.next().value();
    }

    private ScheduleRecord record(ScheduleId id, @Nullable Instant nextAt, String document) {
        return new ScheduleRecord(id, version(), nextAt, document);
    }

    private ScheduleRecord created(ScheduleId id, @Nullable Instant nextAt) {
        ScheduleRecord record = record(id, nextAt, "{\"of\":\"" + id.name() + "\"}");
        applied(change(null, record));
        return record;
    }

    private static Operation.ChangeSchedule change(@Nullable ScheduleRecord before, ScheduleRecord next) {
        return change(before, next, List.of(), List.of());
    }

    private static Operation.ChangeSchedule change(
            @Nullable ScheduleRecord before, ScheduleRecord next, List<NewTask> create, List<TaskId> cancel) {
        return new Operation.ChangeSchedule(
                next.id(), before == null ? null : before.version(), next, null, create, cancel);
    }

    private static Operation.ChangeSchedule removal(ScheduleRecord before) {
        return new Operation.ChangeSchedule(before.id(), before.version(), null, null, List.of(), List.of());
    }

    private Instant now() {
        return clock.instant();
    }

    @Test
    @DisplayName("T1: a schedule comes back as it was, through every handle, and is gone when it is removed")
    void aScheduleIsKept() {
        TaskStore other = another();
        ScheduleRecord first = record(NIGHTLY, now().plusSeconds(60), "{\"text\":\"äöü \\u0000 \\\" 𝄞\"}");
        applied(change(null, first));
        assertThat(store.schedules(List.of(NIGHTLY))).containsOnlyKeys(NIGHTLY).containsValue(first);
        assertThat(other.schedules(List.of(NIGHTLY, new ScheduleId("south", "nightly"))))
                .containsOnlyKeys(NIGHTLY)
                .containsValue(first);
        ScheduleRecord second = record(NIGHTLY, null, "{}");
        applied(change(first, second));
        assertThat(other.schedules(List.of(NIGHTLY))).containsValue(second);
        applied(removal(second));
        assertThat(other.schedules(List.of(NIGHTLY))).isEmpty();
        assertThat(store.schedules(List.of())).isEmpty();
    }

    @Test
    @DisplayName("T1: the schedule, the tasks that a change creates and those that it cancels change in one step")
    void aChangeMovesTheScheduleAndItsTasks() {
        ScheduleRecord before = created(NIGHTLY, now());
        TaskId old = create(Draft.plain());
        NewTask keyed = task(Draft.keyed("nightly@1"));
        NewTask plain = task(Draft.plain());
        ScheduleRecord next = record(NIGHTLY, now().plusSeconds(60), "{}");
        applied(change(before, next, List.of(keyed, plain), List.of(old, ids.next())));
        assertThat(state(old)).isEqualTo(TaskState.CANCELLED);
        assertThat(state(keyed.id())).isEqualTo(TaskState.PENDING);
        assertThat(state(plain.id())).isEqualTo(TaskState.PENDING);
        assertThat(record(Draft.keyed("nightly@1")).taskId()).isEqualTo(keyed.id());
        assertThat(store.schedules(List.of(NIGHTLY))).containsValue(next);
    }

    @Test
    @DisplayName("T1: a running task that a change cancels is asked, and one that has ended stays as it was")
    void aChangeAsksRunningTasks() {
        ScheduleRecord before = created(NIGHTLY, now());
        TaskId completed = createIn(TaskState.COMPLETED, Draft.plain());
        TaskId running = createIn(TaskState.RUNNING, Draft.plain());
        applied(change(before, record(NIGHTLY, null, "{}"), List.of(), List.of(completed, running)));
        assertThat(state(completed)).isEqualTo(TaskState.COMPLETED);
        assertThat(state(running)).isEqualTo(TaskState.RUNNING);
        assertThat(read(running).progress().cancelRequested()).isTrue();
    }

    @Test
    @DisplayName("T1: a task whose key is taken is not created again, and the change is carried out all the same")
    void aTakenKeyDoesNotFailAChange() {
        ScheduleRecord before = created(NIGHTLY, now());
        TaskId holder = create(Draft.keyed("nightly@1"));
        NewTask second = task(Draft.keyed("nightly@1"));
        applied(change(before, record(NIGHTLY, null, "{}"), List.of(second), List.of()));
        assertThat(store.find(List.of(second.id()))).isEmpty();
        assertThat(record(Draft.keyed("nightly@1")).taskId()).isEqualTo(holder);
    }

    @Test
    @DisplayName("T1: a change that expects another version is stale and changes nothing")
    void anotherVersionIsStale() {
        ScheduleRecord first = created(NIGHTLY, now());
        ScheduleRecord second = record(NIGHTLY, now(), "{}");
        applied(change(first, second));
        TaskId open = create(Draft.plain());
        List<Operation> stale = List.of(
                change(first, record(NIGHTLY, null, "{\"late\":1}"), List.of(task(Draft.plain())), List.of(open)),
                change(null, record(NIGHTLY, null, "{\"late\":2}")),
                removal(first),
                change(first, record(new ScheduleId("default", "other"), null, "{}")));
        changesNothing(() -> assertThat(store.operate(stale)).containsOnly(Operated.STALE));
        assertThat(store.schedules(List.of(NIGHTLY))).containsValue(second);
        assertThat(store.schedules(new ScheduleQuery(null, null, 10))).containsExactly(second);
    }

    @Test
    @DisplayName("T1: schedules of several tenants with one name are several schedules")
    void tenantsAreApart() {
        ScheduleRecord north = created(new ScheduleId("north", "nightly"), now());
        ScheduleRecord south = created(new ScheduleId("south", "nightly"), now());
        applied(removal(north));
        assertThat(store.schedules(List.of(north.id(), south.id())))
                .containsOnlyKeys(south.id())
                .containsValue(south);
    }

    @Test
    @DisplayName("T2: of many concurrent changes of one version exactly one is carried out, with its task")
    void ofManyChangesOneWins() {
        TaskStore other = another();
        ScheduleRecord before = created(NIGHTLY, now());
        for (int round = 0; round < 10; round++) {
            ScheduleRecord from = before;
            List<Operation.ChangeSchedule> changes = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                changes.add(change(from, record(NIGHTLY, now(), "{}"), List.of(task(Draft.plain())), List.of()));
            }
            List<Operated> answers;
            try (Crowd crowd = new Crowd(changes.size())) {
                answers = crowd.together(i -> (i % 2 == 0 ? store : other)
                        .operate(List.of(changes.get(i)))
                        .getFirst());
            }
            assertThat(answers).containsOnlyOnce(Operated.APPLIED).contains(Operated.STALE);
            Operation.ChangeSchedule won = changes.get(answers.indexOf(Operated.APPLIED));
            before = store.schedules(List.of(NIGHTLY)).get(NIGHTLY);
            assertThat(before).isEqualTo(won.next());
            assertThat(store.find(changes.stream()
                            .map(change -> change.create().getFirst().id())
                            .toList()))
                    .containsOnlyKeys(won.create().getFirst().id());
        }
    }

    @Test
    @DisplayName("T3: a change that is sent again is applied and changes nothing; after another change it is stale")
    void aRepeatedChangeIsRecognised() {
        ScheduleRecord first = record(NIGHTLY, now(), "{}");
        Operation.ChangeSchedule creation = change(null, first);
        applied(creation);
        changesNothing(() -> applied(creation));
        ScheduleRecord second = record(NIGHTLY, now(), "{}");
        Operation.ChangeSchedule tick = change(first, second, List.of(task(Draft.plain())), List.of());
        applied(tick);
        changesNothing(() -> applied(tick));
        changesNothing(() -> assertThat(apply(creation)).isEqualTo(Operated.STALE));
        Operation.ChangeSchedule removal = removal(second);
        applied(removal);
        changesNothing(() -> applied(removal));
        changesNothing(() -> assertThat(apply(tick)).isEqualTo(Operated.STALE));
    }

    @Test
    @DisplayName("T4: a change is stale before its time by the store's clock")
    void aChangeHasItsTime() {
        ScheduleRecord first = created(NIGHTLY, now());
        ScheduleRecord second = record(NIGHTLY, null, "{}");
        Operation.ChangeSchedule early = new Operation.ChangeSchedule(
                NIGHTLY, first.version(), second, now().plus(MILLISECOND), List.of(task(Draft.plain())), List.of());
        changesNothing(() -> assertThat(apply(early)).isEqualTo(Operated.STALE));
        clock.advance(MILLISECOND);
        applied(early);
        assertThat(store.schedules(List.of(NIGHTLY))).containsValue(second);
    }

    @Test
    @DisplayName(
            "T5: due are the schedules whose next tick is not after now, earliest first, and the answer says when the next is")
    void dueSchedulesComeEarliestFirst() {
        assertThat(store.dueSchedules(10)).isEqualTo(new DueSchedules(List.of(), now(), null));
        ScheduleRecord never = created(new ScheduleId("default", "never"), null);
        ScheduleRecord later = created(new ScheduleId("default", "later"), now().plusSeconds(30));
        ScheduleRecord second = created(new ScheduleId("south", "second"), now());
        ScheduleRecord first = created(new ScheduleId("default", "first"), now().minusSeconds(5));
        assertThat(store.dueSchedules(10))
                .isEqualTo(new DueSchedules(List.of(first, second), now(), Duration.ofSeconds(30)));
        assertThat(store.dueSchedules(2))
                .isEqualTo(new DueSchedules(List.of(first, second), now(), Duration.ofSeconds(30)));
        assertThat(store.dueSchedules(1)).isEqualTo(new DueSchedules(List.of(first), now(), Duration.ZERO));
        applied(removal(first));
        applied(change(second, record(second.id(), now().plusSeconds(40), "{}")));
        assertThat(store.dueSchedules(10)).isEqualTo(new DueSchedules(List.of(), now(), Duration.ofSeconds(30)));
        clock.advance(Duration.ofSeconds(30).minus(MILLISECOND));
        assertThat(store.dueSchedules(10).schedules()).isEmpty();
        clock.advance(MILLISECOND);
        assertThat(store.dueSchedules(10)).isEqualTo(new DueSchedules(List.of(later), now(), Duration.ofSeconds(10)));
        assertThat(store.schedules(List.of(never.id()))).containsValue(never);
    }

    @Test
    @DisplayName(
            "T6: a listing is in the order of ids, can be narrowed to a tenant, and its pages neither repeat nor miss one")
    void listingsHavePages() {
        List<ScheduleRecord> all = new ArrayList<>();
        for (String tenant : List.of("north", "south")) {
            // By their characters, not by the rules of a language.
            for (String name : List.of("B", "a-b", "a0", "b")) {
                all.add(created(new ScheduleId(tenant, name), null));
            }
        }
        assertThat(store.schedules(new ScheduleQuery(null, null, 100))).containsExactlyElementsOf(all);
        assertThat(store.schedules(new ScheduleQuery("south", null, 100))).containsExactlyElementsOf(all.subList(4, 8));
        List<ScheduleRecord> paged = new ArrayList<>();
        ScheduleId last = null;
        while (true) {
            List<ScheduleRecord> page = store.schedules(new ScheduleQuery(null, last, 3));
            paged.addAll(page);
            if (page.size() < 3) {
                break;
            }
            last = page.getLast().id();
        }
        assertThat(paged).containsExactlyElementsOf(all);
        assertThat(store.schedules(new ScheduleQuery("south", all.get(5).id(), 1)))
                .containsExactly(all.get(6));
    }

    @Test
    @DisplayName(
            "T1: changes of many schedules in one batch are carried out one by one, and a stale one fails no other")
    void aBatchMeansItsItems() {
        List<Operation> creations = new ArrayList<>();
        List<ScheduleRecord> records = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            ScheduleRecord record = record(new ScheduleId("default", "s" + i), now(), "{}");
            records.add(record);
            creations.add(change(null, record));
        }
        assertThat(store.operate(creations)).containsOnly(Operated.APPLIED);
        List<Operation> ticks = new ArrayList<>();
        List<TaskId> tasks = new ArrayList<>();
        for (ScheduleRecord before : records) {
            NewTask task = task(Draft.keyed(before.id().name()));
            tasks.add(task.id());
            ticks.add(change(before, record(before.id(), null, "{}"), List.of(task), List.of()));
        }
        ScheduleRecord first = records.getFirst();
        ticks.add(change(first, record(first.id(), null, "{}"), List.of(task(Draft.plain())), List.of()));
        List<Operated> answers = store.operate(ticks);
        assertThat(answers.subList(0, 50)).containsOnly(Operated.APPLIED);
        assertThat(answers.getLast()).isEqualTo(Operated.STALE);
        assertThat(store.find(tasks)).hasSize(50);
    }
}
