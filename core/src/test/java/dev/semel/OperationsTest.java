package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Operations.Cancellation;
import dev.semel.Operations.Outlook;
import dev.semel.Operations.QueueView;
import dev.semel.Operations.Redriving;
import dev.semel.Operations.Release;
import dev.semel.engine.Cleaning;
import dev.semel.engine.OwnThreads;
import dev.semel.engine.Queues;
import dev.semel.engine.RawJson;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.DeadLetter;
import dev.semel.store.KeyRecord;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.RateLimit;
import dev.semel.task.ResultGone;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OperationsTest {

    private static final TaskType<RawJson, RawJson> COUNT = TaskType.of("count", RawJson.class, RawJson.class);
    private static final RawJson INPUT = new RawJson("{\"n\":1}");
    private static final Duration SOON = Duration.ofSeconds(20);

    private final World world = new World();
    private final Operations operations = world.semel.operations();
    private final AtomicLong claims = new AtomicLong();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void cancellingEndsAPendingTaskAndAsksARunningOne() {
        TaskId running = submit("a");
        Claimed claimed = claim();
        TaskId pending = submit("b");
        assertThat(operations.cancel(pending)).isEqualTo(Cancellation.CANCELLED);
        assertThat(operations.cancel(pending)).isEqualTo(Cancellation.CANCELLED);
        assertThat(operations.cancel(running)).isEqualTo(Cancellation.ASKED);
        assertThat(world.task(running).state()).isEqualTo(TaskState.RUNNING);
        settle(new Settlement.Complete(claimed.lease(), null));
        assertThat(operations.cancel(running)).isEqualTo(Cancellation.ENDED);
        assertThatThrownBy(() -> operations.cancel(unknown())).isInstanceOf(TaskNotFound.class);
    }

    @Test
    void cancellingByFilterTakesOpenTasksOnlyAndPageByPage() {
        List<TaskId> open = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            open.add(submit("k" + i));
        }
        world.semel.submit(COUNT, INPUT).queue("other").send();
        TaskId done = open.getFirst();
        settle(new Settlement.Complete(claim().lease(), null));
        TaskQuery filter = new TaskQuery(null, "default", null, Set.of(), null, null, 2);
        List<TaskId> previewed = new ArrayList<>();
        operations.previewCancelAll(filter, task -> previewed.add(task.id()));
        assertThat(previewed).containsExactlyInAnyOrderElementsOf(open.subList(1, 7));
        Map<TaskId, Cancellation> cancelled = new LinkedHashMap<>();
        operations.cancelAll(filter, (task, outcome) -> cancelled.put(task.id(), outcome));
        assertThat(cancelled).hasSize(6).containsValue(Cancellation.CANCELLED).doesNotContainKey(done);
        assertThat(world.task(done).state()).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    void aDeadLetterIsRedrivenUnlessANewerTaskHoldsItsKey() {
        TaskId dead = die("a");
        TaskId superseded = die("b");
        TaskId newer = submit("b");
        assertThat(operations.deadLetters(TaskQuery.all(10)).tasks())
                .extracting(Task::id)
                .containsExactly(superseded, dead);

        List<Outlook> outlooks = new ArrayList<>();
        operations.previewRedriveAll(TaskQuery.all(1), outlooks::add);
        assertThat(outlooks).extracting(outlook -> outlook.task().id()).containsExactly(superseded, dead);
        assertThat(outlooks).extracting(Outlook::supersededBy).containsExactly(newer, null);
        assertThat(outlooks.get(1).attempts()).hasSize(1);
        assertThat(operations.previewRedrive(dead)).isPresent();
        assertThat(operations.previewRedrive(newer)).isEmpty();
        assertThat(world.task(dead).state()).isEqualTo(TaskState.FAILED);

        Map<TaskId, Redriving> redriven = new LinkedHashMap<>();
        operations.redriveAll(TaskQuery.all(1), (task, outcome) -> redriven.put(task.id(), outcome));
        assertThat(redriven)
                .containsEntry(dead, Redriving.REDRIVEN)
                .containsEntry(superseded, Redriving.SUPERSEDED)
                .hasSize(2);
        assertThat(world.task(dead).state()).isEqualTo(TaskState.PENDING);
        assertThat(operations.redrive(newer)).isEqualTo(Redriving.NOT_DEAD);
        assertThatThrownBy(() -> operations.redrive(unknown())).isInstanceOf(TaskNotFound.class);
    }

    @Test
    void whatWasRedrivenAndCancelledSinceIsNoDeadLetter() {
        TaskId id = die("a");
        assertThat(operations.redrive(id)).isEqualTo(Redriving.REDRIVEN);
        assertThat(operations.redrive(id)).isEqualTo(Redriving.NOT_DEAD);
        operations.cancel(id);
        assertThat(operations.redrive(id)).isEqualTo(Redriving.NOT_DEAD);
    }

    @Test
    void aFreeKeyIsPromisedToOneDeadLetterOnly() {
        TaskId older = die("k");
        TaskId newer = die("k");
        operations.release(Identity.of("default", Scope.type(), "default", "count", "k"));
        List<Outlook> outlooks = new ArrayList<>();
        operations.previewRedriveAll(TaskQuery.all(1), outlooks::add);
        assertThat(outlooks).extracting(outlook -> outlook.task().id()).containsExactly(newer, older);
        assertThat(outlooks).extracting(Outlook::supersededBy).containsExactly(null, newer);
    }

    @Test
    void settingsOfQueuesAreReadAgainAfterAPause() {
        AtomicLong nanos = new AtomicLong();
        Queues queues = new Queues(world.store, new OwnThreads(), nanos::get);
        assertThat(queues.of("default").idempotencyTtl()).isNull();
        operations.set(
                "default",
                QueueSettings.builder().idempotencyTtl(Duration.ofDays(9)).build());
        nanos.set(Duration.ofHours(10).toNanos());
        assertThat(queues.of("default").idempotencyTtl()).isEqualTo(Duration.ofDays(9));
    }

    @Test
    void aKeyThatOnlyLooksMadeWasGivenByTheCaller() {
        assertThat(operations.explain(submit("strict:x")).strategy()).isEqualTo("given");
    }

    @Test
    void aKeyIsReleasedOnlyOnceItsTaskHasEnded() {
        Identity identity = Identity.of("default", Scope.type(), "default", "count", "k");
        assertThat(operations.release(identity)).isEqualTo(Release.FREE);
        TaskId first = submit("k");
        assertThat(operations.release(identity)).isEqualTo(Release.HELD);
        settle(new Settlement.Complete(claim().lease(), "1"));
        assertThat(operations.release(identity)).isEqualTo(Release.RELEASED);
        assertThat(operations.release(identity)).isEqualTo(Release.FREE);
        TaskId second = submit("k");
        assertThat(second).isNotEqualTo(first);
        assertThat(operations.key(identity).tasks()).extracting(Task::id).containsExactly(second, first);
    }

    @Test
    void duplicatesAreCountedOnTheRecord() {
        Identity identity = Identity.of("default", Scope.type(), "default", "count", "k");
        submit("k");
        submit("k");
        submit("k");
        KeyRecord record = Objects.requireNonNull(operations.key(identity).record());
        assertThat(record.duplicates()).isEqualTo(2);
        assertThat(record.lastDuplicateAt()).isEqualTo(world.now.get());
    }

    @Test
    void settingsOfQueuesComeFromCodeConfigurationAndRunTimeInThisOrder() {
        Settings configured = new Settings(
                null,
                Settings.NONE.defaults(),
                Settings.CleaningTimes.NONE,
                Map.of("q", QueueSettings.builder().concurrency(7).build()),
                Map.of(),
                Map.of(),
                Map.of());
        try (Semel other = Semel.on(new Shared(world.store))
                .queue(
                        "q",
                        QueueSettings.builder()
                                .concurrency(3)
                                .rateLimit("10/sec")
                                .build())
                .settings(configured)
                .build()) {
            QueueView declared = view(other, "q");
            assertThat(declared.setUp().effective().concurrency()).isEqualTo(7);
            assertThat(declared.setUp().effective().rateLimit()).isEqualTo(RateLimit.parse("10/sec"));
            other.operations().set("q", QueueSettings.builder().concurrency(0).build());
            other.operations().pause("q");
            assertThat(view(other, "q").setUp().effective().mostRunning()).isEqualTo(Integer.MAX_VALUE);
            assertThat(view(other, "q").setUp().effective().isPaused()).isTrue();
            other.operations().resume("q");
            assertThat(view(other, "q").setUp().effective().isPaused()).isFalse();
            other.operations().reset("q");
            assertThat(view(other, "q").setUp().effective().concurrency()).isEqualTo(7);
        }
    }

    @Test
    void aViewOfOneTenantHasItsTasksAndTheSettingsThatAllShare() {
        world.semel.submit(COUNT, INPUT).tenant("acme").queue("shared").send();
        world.semel.submit(COUNT, INPUT).tenant("other").queue("shared").send();
        world.semel.submit(COUNT, INPUT).tenant("other").queue("elsewhere").send();
        operations.set("shared", QueueSettings.builder().concurrency(3).build());
        operations.set("unused", QueueSettings.builder().concurrency(3).build());
        QueueView view = operations.queues("acme").getFirst();
        assertThat(view.name()).isEqualTo("shared");
        assertThat(view.depth().due()).isEqualTo(1);
        assertThat(view.setUp().effective().concurrency()).isEqualTo(3);
        assertThat(operations.queues("acme")).hasSize(1);
        assertThat(operations.queues("other")).extracting(QueueView::name).containsExactly("elsewhere", "shared");
        assertThat(operations.queues("nobody")).isEmpty();
    }

    @Test
    void circlesOfDeadLetterQueuesAreRefusedAndNothingIsChanged() {
        operations.set("a", QueueSettings.builder().deadLetterQueue("b").build());
        operations.set("b", QueueSettings.builder().deadLetterQueue("c").build());
        assertThatThrownBy(() -> operations.set(
                        "c",
                        QueueSettings.builder()
                                .deadLetterQueue("a")
                                .concurrency(4)
                                .build()))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"c\"")
                .hasMessageContaining("circle");
        assertThat(world.store.queues()).doesNotContainKey("c");
        assertThatThrownBy(() -> Semel.on(new Shared(world.store))
                        .queue("d", QueueSettings.builder().deadLetterQueue("d").build())
                        .build())
                .isInstanceOf(InvalidInput.class);
    }

    @Test
    void queuesAreDeclaredInWhateverOrderFormsNoCircleOnTheWay() {
        try (Semel first = Semel.on(new Shared(world.store))
                .queue("a", QueueSettings.builder().deadLetterQueue("b").build())
                .build()) {
            assertThat(view(first, "a").setUp().effective().deadLettersTo()).isEqualTo("b");
        }
        try (Semel second = Semel.on(new Shared(world.store))
                .queue("b", QueueSettings.builder().deadLetterQueue("a").build())
                .queue("a", QueueSettings.NONE)
                .build()) {
            assertThat(world.store.queues())
                    .as("nothing is said of it any more")
                    .doesNotContainKey("a");
            assertThat(view(second, "b").setUp().effective().deadLettersTo()).isEqualTo("a");
        }
        assertThatThrownBy(() -> Semel.on(new Shared(world.store))
                        .queue("x", QueueSettings.builder().concurrency(2).build())
                        .queue("a", QueueSettings.builder().deadLetterQueue("b").build())
                        .build())
                .isInstanceOf(InvalidInput.class);
        assertThat(world.store.queues()).doesNotContainKey("x");
    }

    @Test
    void aDeadLetterIsForwardedToItsQueueOnce() {
        operations.set(
                "default", QueueSettings.builder().deadLetterQueue("dead").build());
        TaskId dead = die("k");
        List<Task> letters = world.store
                .list(new TaskQuery(null, "dead", null, Set.of(), null, null, 10))
                .tasks();
        assertThat(letters).hasSize(1);
        assertThat(letters.getFirst().type()).isEqualTo(DeadLetter.TYPE);
        assertThat(letters.getFirst().input())
                .isEqualTo("{\"task_id\":\"" + dead + "\",\"original_queue\":\"default\",\"type\":\"count\","
                        + "\"state\":\"failed\",\"attempts\":1,\"last_error\":\"it \\\"broke\\\"\",\"tenant_id\":\"default\","
                        + "\"idempotency_key\":\"k\"}");
    }

    @Test
    void retentionOfZeroLetsTheResultGoAndSaysSo() {
        operations.set(
                "default", QueueSettings.builder().retention(Duration.ZERO).build());
        Submission<RawJson> answer =
                world.semel.submit(COUNT, INPUT).idempotencyKey("k").send();
        settle(new Settlement.Complete(claim().lease(), "42"));
        assertThatThrownBy(() -> answer.result(SOON)).isInstanceOf(ResultGone.class);
        Submission<RawJson> again =
                world.semel.submit(COUNT, INPUT).idempotencyKey("k").send();
        assertThat(again.created()).isFalse();
        assertThat(again.state()).isEqualTo(TaskState.COMPLETED);
        assertThatThrownBy(() -> again.result(SOON)).isInstanceOf(ResultGone.class);
        // The task without its data is kept for an hour, so that a repeated submission is recognised.
        Swept early = operations.clean(step -> {});
        assertThat(early.tasks()).isZero();
        world.pass(Duration.ofHours(1));
        assertThat(operations.clean(step -> {}).tasks()).isEqualTo(1);
    }

    @Test
    void cleaningRemovesInStepsWhatHasOutlivedItsRetention() {
        for (int i = 0; i < 4_800; i++) {
            world.semel.submit(COUNT, INPUT).send();
        }
        claimAll().forEach(claimed -> settle(new Settlement.Complete(claimed.lease(), null)));
        TaskId dead = die("dead");
        world.pass(Duration.ofDays(7));
        List<Integer> steps = new ArrayList<>();
        Swept swept = operations.clean(step -> steps.add(step.tasks()));
        assertThat(swept.tasks()).isEqualTo(4_800);
        assertThat(swept.more()).isFalse();
        assertThat(steps).hasSizeGreaterThan(1).isSorted();
        assertThat(world.task(dead).state()).isEqualTo(TaskState.FAILED);
        world.pass(Duration.ofDays(23));
        assertThat(operations.clean(step -> {}).tasks()).isEqualTo(1);
    }

    @Test
    void cleaningRunsByItself() {
        Cleaning often =
                new Cleaning(Duration.ofMillis(20), Duration.ofDays(7), Duration.ofDays(30), Duration.ofDays(30));
        try (Semel cleaning = Semel.on(new Shared(world.store)).cleaning(often).build()) {
            TaskId id = cleaning.submit(COUNT, INPUT).send().taskId();
            settle(new Settlement.Complete(claim().lease(), null));
            world.pass(Duration.ofDays(7));
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> world.store.find(List.of(id)).isEmpty());
        }
    }

    @Test
    void ttlAndPolicyComeFromTheSubmissionTheTypeTheQueueAndTheInstanceInThisOrder() {
        operations.set(
                "default",
                QueueSettings.builder()
                        .idempotencyTtl(Duration.ofHours(2))
                        .reuse(ReusePolicy.never())
                        .build());
        TaskType<RawJson, RawJson> typed = TaskType.builder("typed", RawJson.class, RawJson.class)
                .idempotencyTtl(Duration.ofHours(1))
                .reuse(ReusePolicy.afterFinish())
                .build();
        assertThat(ttl(world.semel.submit(COUNT, INPUT).queue("elsewhere"))).isEqualTo(Duration.ofDays(30));
        assertThat(ttl(world.semel.submit(COUNT, INPUT))).isEqualTo(Duration.ofHours(2));
        assertThat(ttl(world.semel.submit(typed, INPUT))).isEqualTo(Duration.ofHours(1));
        assertThat(ttl(world.semel.submit(typed, INPUT).idempotencyTtl(Duration.ofMinutes(5))))
                .isEqualTo(Duration.ofMinutes(5));
        assertThat(policy(world.semel.submit(COUNT, INPUT).queue("elsewhere")))
                .isEqualTo(ReusePolicy.allowFailedOnly());
        assertThat(policy(world.semel.submit(COUNT, INPUT))).isEqualTo(ReusePolicy.never());
        assertThat(policy(world.semel.submit(typed, INPUT))).isEqualTo(ReusePolicy.afterFinish());
    }

    private static Duration ttl(SubmissionRequest<?, ?> request) {
        return Objects.requireNonNull(request.idempotencyKey("k").preview().key())
                .ttl();
    }

    private static ReusePolicy policy(SubmissionRequest<?, ?> request) {
        return Objects.requireNonNull(request.idempotencyKey("k").preview().key())
                .policy();
    }

    private static QueueView view(Semel semel, String queue) {
        return semel.operations().queues().stream()
                .filter(view -> view.name().equals(queue))
                .findFirst()
                .orElseThrow();
    }

    private static TaskId unknown() {
        return TaskId.parse("0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de");
    }

    private TaskId submit(String key) {
        return world.semel.submit(COUNT, INPUT).idempotencyKey(key).send().taskId();
    }

    private TaskId die(String key) {
        TaskId id = submit(key);
        settle(new Settlement.Fail(claim().lease(), false, "it \"broke\""));
        return id;
    }

    private Claimed claim() {
        return claimed(1).getFirst();
    }

    private List<Claimed> claimAll() {
        return claimed(5_000);
    }

    private List<Claimed> claimed(int limit) {
        return world.store
                .claim(new ClaimRequest(
                        claims.incrementAndGet(),
                        false,
                        Set.of("default"),
                        null,
                        limit,
                        0,
                        Duration.ofMinutes(1),
                        "worker"))
                .tasks();
    }

    private void settle(Settlement settlement) {
        world.store.settle(List.of(settlement));
    }

    /** The world's store for a second instance, which may close it. */
    private static final class Shared extends dev.semel.store.ForwardingTaskStore {

        Shared(dev.semel.store.TaskStore store) {
            super(store);
        }

        @Override
        public void close() {}
    }
}
