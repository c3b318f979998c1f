package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.DeadLetter;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of dead-letter queues: Q6. */
public abstract class DeadLetterQueueContract extends StoreContract {

    private static final String DEAD = "dead-letters";

    /** For subclasses. */
    protected DeadLetterQueueContract() {}

    @BeforeEach
    void setTheQueue() {
        set(Draft.QUEUE, QueueSettings.builder().deadLetterQueue(DEAD));
    }

    @Test
    @DisplayName("Q6: a death makes one task in the dead-letter queue that tells of it in all its fields")
    void aDeathIsTold() {
        Draft draft = Draft.keyed("key \"7\"").tenant("acme").type("charge");
        TaskId id = create(draft);
        applied(new Transition.Retry(claimOne(), Duration.ZERO, "at first"));
        applied(new Transition.Fail(claimOne(), false, "a \"quoted\"\nerror \\ with é"));
        Task letter = onlyLetter();
        assertThat(letter.type()).isEqualTo("dead_letter");
        assertThat(letter.tenant()).isEqualTo("acme");
        assertThat(letter.state()).isEqualTo(TaskState.PENDING);
        assertThat(letter.run()).isEqualTo(1);
        assertThat(letter.createdAt()).isEqualTo(clock.instant());
        assertThat(letter.progress().dueAt()).isEqualTo(clock.instant());
        assertThat(told(letter))
                .isEqualTo(canonical("{\"task_id\":\"" + id + "\",\"original_queue\":\"" + Draft.QUEUE
                        + "\",\"type\":\"charge\",\"state\":\"failed\",\"attempts\":2,"
                        + "\"last_error\":\"a \\\"quoted\\\"\\nerror \\\\ with é\",\"tenant_id\":\"acme\","
                        + "\"idempotency_key\":\"key \\\"7\\\"\"}"));
    }

    @Test
    @DisplayName("Q6: one that timed out without a key is told of too")
    void aTimeOutIsTold() {
        TaskId id = createIn(TaskState.TIMED_OUT, Draft.plain());
        assertThat(told(onlyLetter()))
                .isEqualTo(
                        canonical("{\"task_id\":\"" + id + "\",\"original_queue\":\"" + Draft.QUEUE + "\",\"type\":\""
                                + Draft.TYPE + "\",\"state\":\"timed_out\",\"attempts\":1,\"last_error\":\"too slow\","
                                + "\"tenant_id\":\"" + Identity.DEFAULT_TENANT + "\",\"idempotency_key\":null}"));
    }

    @Test
    @DisplayName("Q6: the task is the one that the function makes, with its id, its input and its key")
    void theLetterIsMadeByTheFunction() {
        TaskId id = createIn(TaskState.FAILED, Draft.keyed("k"));
        NewTask expected = DeadLetter.of(read(id), DEAD, clock.instant());
        NewTask.KeyRequest key = Objects.requireNonNull(expected.key(), "a letter has a key");
        Task letter = onlyLetter();
        assertThat(letter.id()).isEqualTo(expected.id());
        assertThat(letter.input()).isEqualTo(expected.input());
        assertThat(letter.options()).isEqualTo(expected.options());
        assertThat(letter.identity()).isEqualTo(key.identity());
        KeyRecord record = store.record(key.identity()).orElseThrow();
        assertThat(record.taskId()).isEqualTo(expected.id());
        assertThat(record.inputHash()).isEqualTo(key.inputHash());
        assertThat(record.expiresAt()).isEqualTo(clock.instant().plus(key.ttl()));
    }

    @Test
    @DisplayName("Q6, L2: the task can be claimed at once, and listeners are told")
    void aLetterIsDue() {
        Ear ear = new Ear();
        create(Draft.plain());
        Lease lease = claimOne();
        store.listen(ear);
        applied(new Transition.Fail(lease, false, "broken"));
        ear.awaitDue(DEAD);
        List<Claimed> claimed = claim(Wish.from(DEAD)).tasks();
        assertThat(claimed).hasSize(1);
        applied(new Transition.Complete(claimed.getFirst().lease(), "\"seen\""));
    }

    @Test
    @DisplayName("Q6, M2: a death that is sent again is told of once, also after the task was redriven")
    void aRepeatedDeathIsToldOnce() {
        TaskId id = create(Draft.plain());
        Transition fail = new Transition.Fail(claimOne(), false, "broken");
        applied(fail);
        changesNothing(() -> applied(fail));
        assertThat(letters()).hasSize(1);
        applied(new Transition.Redrive(id, 1));
        changesNothing(() -> applied(fail));
        claimOne();
        changesNothing(() -> applied(fail));
        assertThat(store.apply(List.of(fail, fail))).containsOnly(Applied.APPLIED);
        assertThat(letters()).hasSize(1);
    }

    @Test
    @DisplayName("Q6: a task that was redriven and dies again is told of again")
    void aSecondDeathIsTold() {
        TaskId id = createIn(TaskState.FAILED, Draft.keyed("k"));
        for (int death = 2; death <= 4; death++) {
            applied(new Transition.Redrive(id, death - 1));
            applied(new Transition.Fail(claimOne(), false, "death " + death));
            assertThat(letters()).hasSize(death);
            String attempts = "\"attempts\":" + death + ",";
            String error = "\"last_error\":\"death " + death + "\"";
            assertThat(letters().stream()
                            .map(letter -> told(letter))
                            .filter(told -> told.contains(attempts) && told.contains(error)))
                    .hasSize(1)
                    .allMatch(told -> told.contains("\"task_id\":\"" + id + "\""));
        }
    }

    @Test
    @DisplayName("Q6: a stale death is not told of")
    void aStaleDeathIsNotTold() {
        create(Draft.plain());
        Lease old = claimOne();
        leasesRunOut();
        claimOne();
        assertThat(apply(new Transition.Fail(old, false, "late"))).isEqualTo(Applied.STALE);
        assertThat(letters()).isEmpty();
    }

    @Test
    @DisplayName(
            "Q6: nobody is told of tasks that completed, are retried, put back, vanished or were cancelled in any way")
    void othersAreNotTold() {
        createIn(TaskState.COMPLETED, Draft.plain());
        createIn(TaskState.CANCELLED, Draft.plain());
        create(Draft.plain());
        applied(new Transition.Cancelled(claimOne()));
        TaskId asked = create(Draft.plain());
        Lease lease = claimOne();
        apply(new Transition.Cancel(asked));
        applied(new Transition.Fail(lease, false, "broken"));
        assertThat(state(asked)).isEqualTo(TaskState.CANCELLED);
        create(Draft.plain());
        applied(new Transition.Retry(claimOne(), Duration.ZERO, "again"));
        applied(new Transition.PutBack(claimOne(), Duration.ZERO));
        claimOne();
        leasesRunOut();
        claimOne();
        assertThat(letters()).isEmpty();
    }

    @Test
    @DisplayName("Q6: two deaths in one batch are two letters, each of its own task and tenant")
    void deathsOfABatch() {
        create(Draft.plain().tenant("t1"));
        create(Draft.plain().tenant("t2"));
        List<Claimed> both = claim(Wish.from(Draft.QUEUE)).tasks();
        assertThat(store.apply(List.of(
                        new Transition.Fail(both.get(0).lease(), false, "one"),
                        new Transition.Fail(both.get(1).lease(), true, "two"))))
                .containsOnly(Applied.APPLIED);
        assertThat(letters()).extracting(Task::tenant).containsExactlyInAnyOrder("t1", "t2");
    }

    @Test
    @DisplayName("Q6: what is set at the moment of the death counts; empty means none")
    void theSettingAtTheDeathCounts() {
        applied(new Transition.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().deadLetterQueue("declared").build()));
        create(Draft.plain());
        Lease lease = claimOne();
        set(Draft.QUEUE, QueueSettings.builder().deadLetterQueue(""));
        applied(new Transition.Fail(lease, false, "broken"));
        assertThat(lettersIn(DEAD)).isEmpty();
        assertThat(lettersIn("declared")).isEmpty();
        applied(new Transition.ResetQueue(Draft.QUEUE));
        createIn(TaskState.FAILED, Draft.plain());
        assertThat(lettersIn("declared")).hasSize(1);
        createIn(TaskState.COMPLETED, Draft.plain());
        applied(new Transition.DeclareQueue(Draft.QUEUE, QueueSettings.NONE));
        createIn(TaskState.FAILED, Draft.plain());
        assertThat(letters()).hasSize(1);
    }

    @Test
    @DisplayName("Q6: a letter that dies is told of where its own queue says so, and stays dead otherwise")
    void aLetterOfALetter() {
        set(DEAD, QueueSettings.builder().deadLetterQueue("last"));
        createIn(TaskState.FAILED, Draft.plain());
        Task letter = onlyLetter();
        applied(new Transition.Fail(claim(Wish.from(DEAD)).tasks().getFirst().lease(), false, "nobody reads"));
        List<Task> last = lettersIn("last");
        assertThat(last).hasSize(1);
        assertThat(told(last.getFirst()))
                .contains("\"task_id\":\"" + letter.id() + "\"")
                .contains("\"original_queue\":\"" + DEAD + "\"")
                .contains("\"type\":\"dead_letter\"");
        applied(new Transition.Fail(claim(Wish.from("last")).tasks().getFirst().lease(), false, "here neither"));
        assertThat(state(last.getFirst().id())).isEqualTo(TaskState.FAILED);
        assertThat(letters()).hasSize(2);
    }

    @Test
    @DisplayName("Q6: a paused dead-letter queue is told too")
    void aPausedQueueIsTold() {
        set(DEAD, QueueSettings.builder().paused(true));
        createIn(TaskState.FAILED, Draft.plain());
        assertThat(letters()).hasSize(1);
    }

    @Test
    @DisplayName("Q6: circles of one, two or three queues are refused and change nothing")
    void circlesAreRefused() {
        refused("self", "self");
        set("a", QueueSettings.builder().deadLetterQueue("b"));
        refused("b", "a");
        set("b", QueueSettings.builder().deadLetterQueue("c"));
        refused("c", "a");
        refused("c", "b");
        set("c", QueueSettings.builder().deadLetterQueue("d"));
        assertThat(store.queues().get("c"))
                .isEqualTo(new QueueSetUp(
                        QueueSettings.NONE,
                        QueueSettings.builder().deadLetterQueue("d").build()));
    }

    private void refused(String queue, String deadLetterQueue) {
        QueueSettings settings = QueueSettings.builder()
                .deadLetterQueue(deadLetterQueue)
                .concurrency(3)
                .build();
        changesNothing(() -> {
            assertThat(apply(new Transition.SetQueue(queue, settings))).isEqualTo(Applied.CIRCLE);
            assertThat(apply(new Transition.DeclareQueue(queue, settings))).isEqualTo(Applied.CIRCLE);
        });
    }

    @Test
    @DisplayName("Q6, Q1: only what holds makes a circle: not what is declared under another setting, but a reset can")
    void circlesOfWhatHolds() {
        applied(new Transition.DeclareQueue(
                "a", QueueSettings.builder().deadLetterQueue("b").build()));
        set("a", QueueSettings.builder().deadLetterQueue(""));
        applied(new Transition.DeclareQueue(
                "b", QueueSettings.builder().deadLetterQueue("a").build()));
        changesNothing(() -> {
            assertThat(apply(new Transition.ResetQueue("a"))).isEqualTo(Applied.CIRCLE);
            assertThat(apply(new Transition.SetQueue(
                            "a", QueueSettings.builder().deadLetterQueue("b").build())))
                    .isEqualTo(Applied.CIRCLE);
        });
        applied(new Transition.SetQueue(
                "a", QueueSettings.builder().concurrency(1).build()));
        set("b", QueueSettings.builder().deadLetterQueue("elsewhere"));
        applied(new Transition.ResetQueue("a"));
        changesNothing(() -> assertThat(apply(new Transition.ResetQueue("b"))).isEqualTo(Applied.CIRCLE));
    }

    @Test
    @DisplayName("Q6, M10: a refused circle does not fail its neighbours in a batch, and sees what came before it")
    void circlesInABatch() {
        QueueSettings toB = QueueSettings.builder().deadLetterQueue("b").build();
        QueueSettings toA = QueueSettings.builder().deadLetterQueue("a").build();
        assertThat(store.apply(List.of(
                        new Transition.SetQueue("a", toB),
                        new Transition.SetQueue("b", toA),
                        new Transition.SetQueue(
                                "b", QueueSettings.builder().concurrency(1).build()))))
                .containsExactly(Applied.APPLIED, Applied.CIRCLE, Applied.APPLIED);
        assertThat(settings("a")).isEqualTo(toB);
        assertThat(settings("b"))
                .isEqualTo(QueueSettings.builder().concurrency(1).build());
    }

    private List<Task> letters() {
        return everything().tasks().values().stream()
                .filter(task -> task.type().equals(DeadLetter.TYPE))
                .toList();
    }

    private List<Task> lettersIn(String queue) {
        return store.list(new TaskQuery(null, queue, DeadLetter.TYPE, Set.of(), null, null, 100))
                .tasks();
    }

    private Task onlyLetter() {
        assertThat(letters()).hasSize(1);
        return lettersIn(DEAD).getFirst();
    }

    private static String told(Task letter) {
        return canonical(Objects.requireNonNull(letter.input(), "a letter has an input"));
    }

    private static String canonical(String json) {
        return Json.parse(json).canonical();
    }
}
