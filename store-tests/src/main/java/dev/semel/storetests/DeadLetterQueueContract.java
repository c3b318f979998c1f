package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.DeadLetter;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
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
    @DisplayName("Q6: a task that dies creates one task in the dead-letter queue, which has all its fields")
    void aDeathIsForwarded() {
        Draft draft = Draft.keyed("key \"7\"").tenant("acme").type("charge");
        TaskId id = create(draft);
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "at first"));
        applied(new Settlement.Fail(claimOne(), false, "a \"quoted\"\nerror \\ with é"));
        Task letter = onlyLetter();
        assertThat(letter.type()).isEqualTo("dead_letter");
        assertThat(letter.tenant()).isEqualTo("acme");
        assertThat(letter.state()).isEqualTo(TaskState.PENDING);
        assertThat(letter.run()).isEqualTo(1);
        assertThat(letter.createdAt()).isEqualTo(clock.instant());
        assertThat(letter.progress().dueAt()).isEqualTo(clock.instant());
        assertThat(content(letter))
                .isEqualTo(canonical("{\"task_id\":\"" + id + "\",\"original_queue\":\"" + Draft.QUEUE
                        + "\",\"type\":\"charge\",\"state\":\"failed\",\"attempts\":2,"
                        + "\"last_error\":\"a \\\"quoted\\\"\\nerror \\\\ with é\",\"tenant_id\":\"acme\","
                        + "\"idempotency_key\":\"key \\\"7\\\"\"}"));
    }

    @Test
    @DisplayName("Q6: a task that timed out without a key is forwarded too")
    void aTimeOutIsForwarded() {
        TaskId id = createIn(TaskState.TIMED_OUT, Draft.plain());
        assertThat(content(onlyLetter()))
                .isEqualTo(
                        canonical("{\"task_id\":\"" + id + "\",\"original_queue\":\"" + Draft.QUEUE + "\",\"type\":\""
                                + Draft.TYPE + "\",\"state\":\"timed_out\",\"attempts\":1,\"last_error\":\"too slow\","
                                + "\"tenant_id\":\"" + Identity.DEFAULT_TENANT + "\",\"idempotency_key\":null}"));
    }

    @Test
    @DisplayName("Q6: the new task is that of the rule, with its id, its input and its key")
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
    @DisplayName("Q6, L2: the new task can be claimed at once, and listeners are notified")
    void aLetterIsDue() {
        Ear ear = new Ear();
        create(Draft.plain());
        Lease lease = claimOne();
        store.listen(ear);
        applied(new Settlement.Fail(lease, false, "broken"));
        ear.awaitDue(DEAD);
        List<Claimed> claimed = claim(ClaimDraft.from(DEAD)).tasks();
        assertThat(claimed).hasSize(1);
        applied(new Settlement.Complete(claimed.getFirst().lease(), "\"seen\""));
    }

    @Test
    @DisplayName("Q6, M2: a death that is sent again is forwarded once, even after the task was redriven")
    void aRepeatedDeathIsForwardedOnce() {
        TaskId id = create(Draft.plain());
        Settlement fail = new Settlement.Fail(claimOne(), false, "broken");
        applied(fail);
        changesNothing(() -> applied(fail));
        assertThat(letters()).hasSize(1);
        applied(new Operation.Redrive(id, 1));
        changesNothing(() -> applied(fail));
        claimOne();
        changesNothing(() -> applied(fail));
        assertThat(store.settle(List.of(fail, fail))).containsOnly(Settled.APPLIED);
        assertThat(letters()).hasSize(1);
    }

    @Test
    @DisplayName("Q6: a task that was redriven and dies again is forwarded again")
    void aSecondDeathIsForwarded() {
        TaskId id = createIn(TaskState.FAILED, Draft.keyed("k"));
        for (int death = 2; death <= 4; death++) {
            applied(new Operation.Redrive(id, death - 1));
            applied(new Settlement.Fail(claimOne(), false, "death " + death));
            assertThat(letters()).hasSize(death);
            String attempts = "\"attempts\":" + death + ",";
            String error = "\"last_error\":\"death " + death + "\"";
            assertThat(letters().stream()
                            .map(letter -> content(letter))
                            .filter(content -> content.contains(attempts) && content.contains(error)))
                    .hasSize(1)
                    .allMatch(content -> content.contains("\"task_id\":\"" + id + "\""));
        }
    }

    @Test
    @DisplayName("Q6: a stale death is not forwarded")
    void aStaleDeathIsNotForwarded() {
        create(Draft.plain());
        Lease old = claimOne();
        leasesExpire();
        claimOne();
        assertThat(apply(new Settlement.Fail(old, false, "late"))).isEqualTo(Settled.STALE);
        assertThat(letters()).isEmpty();
    }

    @Test
    @DisplayName("Q6: tasks that complete, are retried, put back, vanish or are cancelled in any way are not forwarded")
    void othersAreNotForwarded() {
        createIn(TaskState.COMPLETED, Draft.plain());
        createIn(TaskState.CANCELLED, Draft.plain());
        create(Draft.plain());
        applied(new Settlement.Cancelled(claimOne()));
        TaskId asked = create(Draft.plain());
        Lease lease = claimOne();
        apply(new Operation.Cancel(asked));
        applied(new Settlement.Fail(lease, false, "broken"));
        assertThat(state(asked)).isEqualTo(TaskState.CANCELLED);
        create(Draft.plain());
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "again"));
        applied(new Settlement.PutBack(claimOne(), Duration.ZERO));
        claimOne();
        leasesExpire();
        claimOne();
        assertThat(letters()).isEmpty();
    }

    @Test
    @DisplayName("Q6: two deaths in one batch are two letters, each of its own task and tenant")
    void deathsOfABatch() {
        create(Draft.plain().tenant("t1"));
        create(Draft.plain().tenant("t2"));
        List<Claimed> both = claim(ClaimDraft.from(Draft.QUEUE)).tasks();
        assertThat(store.settle(List.of(
                        new Settlement.Fail(both.get(0).lease(), false, "one"),
                        new Settlement.Fail(both.get(1).lease(), true, "two"))))
                .containsOnly(Settled.APPLIED);
        assertThat(letters()).extracting(Task::tenant).containsExactlyInAnyOrder("t1", "t2");
    }

    @Test
    @DisplayName("Q6: what is set at the moment of the death counts; empty means none")
    void theSettingAtTheDeathCounts() {
        applied(new Operation.DeclareQueue(
                Draft.QUEUE, QueueSettings.builder().deadLetterQueue("declared").build()));
        create(Draft.plain());
        Lease lease = claimOne();
        set(Draft.QUEUE, QueueSettings.builder().deadLetterQueue(""));
        applied(new Settlement.Fail(lease, false, "broken"));
        assertThat(lettersIn(DEAD)).isEmpty();
        assertThat(lettersIn("declared")).isEmpty();
        applied(new Operation.ResetQueue(Draft.QUEUE));
        createIn(TaskState.FAILED, Draft.plain());
        assertThat(lettersIn("declared")).hasSize(1);
        createIn(TaskState.COMPLETED, Draft.plain());
        applied(new Operation.DeclareQueue(Draft.QUEUE, QueueSettings.NONE));
        createIn(TaskState.FAILED, Draft.plain());
        assertThat(letters()).hasSize(1);
    }

    @Test
    @DisplayName(
            "Q6: a task in a dead-letter queue that dies is forwarded if its own queue has one, and stays dead otherwise")
    void aLetterOfALetter() {
        set(DEAD, QueueSettings.builder().deadLetterQueue("last"));
        createIn(TaskState.FAILED, Draft.plain());
        Task letter = onlyLetter();
        applied(new Settlement.Fail(
                claim(ClaimDraft.from(DEAD)).tasks().getFirst().lease(), false, "nobody reads"));
        List<Task> last = lettersIn("last");
        assertThat(last).hasSize(1);
        assertThat(content(last.getFirst()))
                .contains("\"task_id\":\"" + letter.id() + "\"")
                .contains("\"original_queue\":\"" + DEAD + "\"")
                .contains("\"type\":\"dead_letter\"");
        applied(new Settlement.Fail(
                claim(ClaimDraft.from("last")).tasks().getFirst().lease(), false, "here neither"));
        assertThat(state(last.getFirst().id())).isEqualTo(TaskState.FAILED);
        assertThat(letters()).hasSize(2);
    }

    @Test
    @DisplayName("Q6: dead letters are forwarded to a paused queue too")
    void aPausedQueueReceivesThemToo() {
        set(DEAD, QueueSettings.builder().paused(true));
        createIn(TaskState.FAILED, Draft.plain());
        assertThat(letters()).hasSize(1);
    }

    @Test
    @DisplayName("Q6: circles of one, two or three queues are rejected and change nothing")
    void circlesAreRejected() {
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
            assertThat(apply(new Operation.SetQueue(queue, settings))).isEqualTo(Operated.CIRCLE);
            assertThat(apply(new Operation.DeclareQueue(queue, settings))).isEqualTo(Operated.CIRCLE);
        });
    }

    @Test
    @DisplayName("Q6, Q1: only what holds makes a circle: not what is declared under another setting, but a reset can")
    void circlesOfWhatHolds() {
        applied(new Operation.DeclareQueue(
                "a", QueueSettings.builder().deadLetterQueue("b").build()));
        set("a", QueueSettings.builder().deadLetterQueue(""));
        applied(new Operation.DeclareQueue(
                "b", QueueSettings.builder().deadLetterQueue("a").build()));
        changesNothing(() -> {
            assertThat(apply(new Operation.ResetQueue("a"))).isEqualTo(Operated.CIRCLE);
            assertThat(apply(new Operation.SetQueue(
                            "a", QueueSettings.builder().deadLetterQueue("b").build())))
                    .isEqualTo(Operated.CIRCLE);
        });
        applied(new Operation.SetQueue(
                "a", QueueSettings.builder().concurrency(1).build()));
        set("b", QueueSettings.builder().deadLetterQueue("elsewhere"));
        applied(new Operation.ResetQueue("a"));
        changesNothing(() -> assertThat(apply(new Operation.ResetQueue("b"))).isEqualTo(Operated.CIRCLE));
    }

    @Test
    @DisplayName(
            "Q6, M10: a rejected circle does not fail its neighbours in a batch, and is checked against the items before it")
    void circlesInABatch() {
        QueueSettings toB = QueueSettings.builder().deadLetterQueue("b").build();
        QueueSettings toA = QueueSettings.builder().deadLetterQueue("a").build();
        assertThat(store.operate(List.of(
                        new Operation.SetQueue("a", toB),
                        new Operation.SetQueue("b", toA),
                        new Operation.SetQueue(
                                "b", QueueSettings.builder().concurrency(1).build()))))
                .containsExactly(Operated.APPLIED, Operated.CIRCLE, Operated.APPLIED);
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

    private static String content(Task letter) {
        return canonical(Objects.requireNonNull(letter.input(), "a letter has an input"));
    }

    private static String canonical(String json) {
        return Json.parse(json).canonical();
    }
}
