package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.engine.Handler;
import dev.semel.engine.RawJson;
import dev.semel.store.TaskQuery;
import dev.semel.task.IdempotencyConflict;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.PermanentFailure;
import dev.semel.task.ResultNotReady;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskAlreadyCompleted;
import dev.semel.task.TaskAlreadyExists;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SemelTest {

    record Charge(String order, double amount) {}

    record Receipt(String id) {}

    private static final TaskType<Charge, Receipt> CHARGE = TaskType.of("charge", Charge.class, Receipt.class);
    private static final Charge INPUT = new Charge("ORD-123", 99);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final ReusePolicy REJECT = ReusePolicy.of(WhileOpen.REJECT, AfterEnd.REJECT, AfterEnd.REJECT);

    private final World world = new World();
    private final Semel semel = world.semel;

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void everySubmitterOfAKeyGetsTheSameResult() {
        Submission<Receipt> first =
                semel.submit(CHARGE, INPUT).idempotencyKey("k").send();
        Submission<Receipt> second =
                semel.submit(CHARGE, INPUT).idempotencyKey("k").send();
        work((context, charge) -> new Receipt("R-" + charge.order()));
        assertThat(first.created()).isTrue();
        assertThat(first.deduplicatedFrom()).isEmpty();
        assertThat(first.state()).isEqualTo(TaskState.PENDING);
        assertThat(second.created()).isFalse();
        assertThat(second.deduplicatedFrom()).contains(first.createdAt());
        assertThat(second.taskId()).isEqualTo(first.taskId());
        assertThat(first.result(SOON)).isEqualTo(new Receipt("R-ORD-123"));
        assertThat(second.result(SOON)).isEqualTo(new Receipt("R-ORD-123"));
        assertThat(semel.handle(CHARGE, first.taskId()).result(SOON)).isEqualTo(new Receipt("R-ORD-123"));
        Submission<Receipt> third =
                semel.submit(CHARGE, INPUT).idempotencyKey("k").send();
        assertThat(third.state()).isEqualTo(TaskState.COMPLETED);
        assertThat(third.result(SOON)).isEqualTo(new Receipt("R-ORD-123"));
    }

    @Test
    void manyCallersWithOneKeyMakeOneTask() throws Exception {
        Set<TaskId> ids = ConcurrentHashMap.newKeySet();
        CyclicBarrier barrier = new CyclicBarrier(64);
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                calls.add(() -> {
                    barrier.await();
                    Submission<Receipt> answer =
                            semel.submit(CHARGE, INPUT).idempotencyKey("one").send();
                    ids.add(answer.taskId());
                    return answer.created();
                });
            }
            int created = 0;
            for (Future<Boolean> answer : callers.invokeAll(calls)) {
                created += answer.get() ? 1 : 0;
            }
            assertThat(created).isEqualTo(1);
        }
        assertThat(ids).hasSize(1);
        assertThat(world.store.list(TaskQuery.all(10)).tasks()).hasSize(1);
    }

    @Test
    void otherInputUnderTheSameKeyIsAConflictThatNamesThePlace() {
        Submission<Receipt> first =
                semel.submit(CHARGE, INPUT).idempotencyKey("k").send();
        IdempotencyConflict conflict = catchThrowableOfType(
                IdempotencyConflict.class,
                () -> semel.submit(CHARGE, new Charge("ORD-123", 100.25))
                        .idempotencyKey("k")
                        .send());
        assertThat(conflict.existingTaskId()).isEqualTo(first.taskId());
        assertThat(conflict.status()).isEqualTo(TaskState.PENDING);
        assertThat(conflict.differingPaths()).containsExactly("/amount");
        assertThat(conflict.existingHash()).isNotEqualTo(conflict.requestHash());
        assertThat(conflict).hasMessageContaining("/amount").hasMessageNotContaining("100.25");
        assertThat(world.store.list(TaskQuery.all(10)).tasks()).hasSize(1);
    }

    @Test
    void anotherTypeInASharedScopeIsAConflictThatNamesBothTypes() {
        semel.submit(CHARGE, INPUT).idempotencyKey("k").scope(Scope.tenant()).send();
        TaskType<Charge, Receipt> refund = TaskType.of("refund", Charge.class, Receipt.class);
        assertThatThrownBy(() -> semel.submit(refund, INPUT)
                        .idempotencyKey("k")
                        .scope(Scope.tenant())
                        .send())
                .isInstanceOf(IdempotencyConflict.class)
                .hasMessageContaining("\"charge\"")
                .hasMessageContaining("\"refund\"");
    }

    @Test
    void aConflictOfChosenFieldsNamesThoseAlone() {
        TaskType<Charge, Receipt> type = TaskType.builder("by-order", Charge.class, Receipt.class)
                .identity(IdentityStrategy.contextual("/order"))
                .build();
        semel.submit(type, INPUT).idempotencyKey("k").send();
        assertThat(semel.submit(type, new Charge("ORD-123", 1))
                        .idempotencyKey("k")
                        .send()
                        .created())
                .isFalse();
        IdempotencyConflict conflict = catchThrowableOfType(
                IdempotencyConflict.class,
                () -> semel.submit(type, new Charge("ORD-9", 1))
                        .idempotencyKey("k")
                        .send());
        assertThat(conflict.differingPaths()).containsExactly("/order");
    }

    @Test
    void aFailingKeyFunctionIsAnErrorOfItsItemAlone() {
        TaskType<Charge, Receipt> type = TaskType.builder("bad-key", Charge.class, Receipt.class)
                .keyedBy(charge -> charge.order().substring(5))
                .build();
        List<SubmitOutcome<Receipt>> outcomes =
                semel.submitAll(List.of(semel.submit(type, new Charge("x", 1)), semel.submit(type, INPUT)));
        assertThatThrownBy(() -> outcomes.get(0).submission())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("\"bad-key\"");
        assertThat(outcomes.get(1).submission().created()).isTrue();
    }

    @Test
    void aWarningReturnsTheExistingTaskAndSaysThatItDiffers() {
        semel.submit(CHARGE, INPUT).idempotencyKey("k").send();
        Submission<Receipt> second = semel.submit(CHARGE, new Charge("ORD-123", 100))
                .idempotencyKey("k")
                .reuse(ReusePolicy.allowFailedOnly().onOtherInput(OtherInput.WARN))
                .send();
        assertThat(second.created()).isFalse();
        assertThat(second.inputDiffers()).isTrue();
    }

    @Test
    void aRejectionReportsTheStateOfTheExistingTask() {
        Submission<Receipt> open =
                semel.submit(CHARGE, INPUT).idempotencyKey("k").send();
        TaskAlreadyExists exists = catchThrowableOfType(TaskAlreadyExists.class, () -> rejecting("k"));
        assertThat(exists.existingTaskId()).isEqualTo(open.taskId());
        assertThat(exists.status()).isEqualTo(TaskState.PENDING);
        semel.submit(CHARGE, INPUT).idempotencyKey("bad").send();
        work((context, charge) -> {
            if (context.key().orElseThrow().equals("bad")) {
                throw new PermanentFailure("no such card");
            }
            return new Receipt("R");
        });
        open.result(SOON);
        TaskAlreadyCompleted completed = catchThrowableOfType(TaskAlreadyCompleted.class, () -> rejecting("k"));
        assertThat(completed.result()).contains("{\"id\":\"R\"}");
        assertThat(completed.completedAt()).isEqualTo(world.now.get());
        assertThat(completed.existingTaskId()).isEqualTo(open.taskId());
        TaskId bad = world.store.list(TaskQuery.all(10)).tasks().getFirst().id();
        world.awaitState(bad, TaskState.FAILED);
        TaskAlreadyFinished finished = catchThrowableOfType(TaskAlreadyFinished.class, () -> rejecting("bad"));
        assertThat(finished.status()).isEqualTo(TaskState.FAILED);
        assertThat(finished.existingTaskId()).isEqualTo(bad);
        assertThat(finished.finishedAt()).isEqualTo(world.now.get());
    }

    private void rejecting(String key) {
        semel.submit(CHARGE, INPUT).idempotencyKey(key).reuse(REJECT).send();
    }

    @Test
    void aSubmissionWhoseAnswerWasLostIsRecognisedWithAKeyAndWithout() {
        for (String key : new String[] {"k", null}) {
            SubmissionRequest<Charge, Receipt> request =
                    semel.submit(CHARGE, INPUT).idempotencyKey(key);
            world.lose.set(1);
            assertThatThrownBy(request::send).isInstanceOf(StoreUnavailable.class);
            Submission<Receipt> again = request.send();
            assertThat(again.created()).isTrue();
            assertThat(again.taskId()).isEqualTo(request.taskId());
            assertThatThrownBy(() -> request.queue("other"))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("was sent already");
        }
        assertThat(world.store.list(TaskQuery.all(10)).tasks()).hasSize(2);
    }

    @Test
    void anIdentityHeldByAnOpenTransactionIsAskedForAgain() {
        world.busy.set(3);
        assertThat(semel.submit(CHARGE, INPUT).idempotencyKey("k").send().created())
                .isTrue();
        assertThat(world.busy).hasValue(0);
    }

    @Test
    void aBatchAnswersItemByItemInOrder() {
        List<SubmissionRequest<Charge, Receipt>> requests = List.of(
                semel.submit(CHARGE, INPUT).idempotencyKey("a"),
                semel.submit(CHARGE, new Charge("other", 1)).idempotencyKey("a"),
                semel.submit(CHARGE, new Charge("nan", Double.NaN)).idempotencyKey("b"),
                semel.submit(CHARGE, INPUT).idempotencyKey("a"),
                semel.submit(CHARGE, INPUT));
        List<SubmitOutcome<Receipt>> outcomes = semel.submitAll(requests);
        assertThat(outcomes).hasSize(5);
        assertThat(outcomes.get(0).submission().created()).isTrue();
        assertThatThrownBy(() -> outcomes.get(1).submission()).isInstanceOf(IdempotencyConflict.class);
        assertThatThrownBy(() -> outcomes.get(2).submission()).isInstanceOf(InvalidInput.class);
        assertThat(outcomes.get(3).submission().taskId())
                .isEqualTo(requests.get(0).taskId());
        assertThat(outcomes.get(4).submission().created()).isTrue();
        assertThat(world.store.list(TaskQuery.all(10)).tasks()).hasSize(2);
        assertThat(semel.submitAll(List.<SubmissionRequest<Charge, Receipt>>of()))
                .isEmpty();
    }

    @Test
    void aBatchOfThousandsIsSentInParts() {
        List<SubmissionRequest<Charge, Receipt>> requests = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            requests.add(semel.submit(CHARGE, INPUT).idempotencyKey("k" + i % 2_000));
        }
        List<SubmitOutcome<Receipt>> outcomes = semel.submitAll(requests);
        assertThat(outcomes.stream().filter(outcome -> outcome.submission().created()))
                .hasSize(2_000);
        assertThat(outcomes.get(2_400).submission().taskId())
                .isEqualTo(requests.get(400).taskId());
    }

    @Test
    void wrongValuesAreRefusedAndNothingIsStored() {
        assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).idempotencyKey("x".repeat(256)))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).queue("no good")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).tenant("")).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).delay(Duration.ofSeconds(-1)))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).priority(10)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).idempotencyTtl(Duration.ZERO))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).timeout(Duration.ZERO))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(
                        () -> semel.submit(CHARGE, new Charge("x", Double.NaN)).send())
                .isInstanceOf(InvalidInput.class);
        TaskType<RawJson, RawJson> raw = TaskType.of("raw", RawJson.class, RawJson.class);
        for (String wrong : List.of("{\"a\":1,\"a\":2}", "[".repeat(65) + "]".repeat(65), "\"\\ud800\"", "{", "NaN")) {
            assertThatThrownBy(() -> semel.submit(raw, new RawJson(wrong)).send())
                    .isInstanceOf(InvalidInput.class);
        }
        assertThatThrownBy(() -> semel.submit(raw, new RawJson("\"" + "x".repeat(1 << 20) + "\""))
                        .send())
                .isInstanceOf(InvalidInput.class);
        TaskType<Charge, Receipt> keyed = TaskType.builder("keyed", Charge.class, Receipt.class)
                .identity(IdentityStrategy.callerProvided())
                .build();
        assertThatThrownBy(() -> semel.submit(keyed, INPUT).idempotencyKey(null).send())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("needs an idempotency key");
        for (String blank : new String[] {"", " ", "\t", "\u2003\u00a0"}) {
            assertThatThrownBy(() -> semel.submit(CHARGE, INPUT).idempotencyKey(blank))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("An idempotency key");
        }
        TaskType<String, String> named = TaskType.builder("named", String.class, String.class)
                .keyedBy(key -> key)
                .mutex(key -> " ")
                .build();
        assertThatThrownBy(() -> semel.submit(named, " ").send())
                .as("a function may return no key, but not a blank one")
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("An idempotency key is more than white space");
        assertThatThrownBy(() -> semel.submit(named, "k").send())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("A mutex is more than white space");
        assertThat(world.store.list(TaskQuery.all(10)).tasks()).isEmpty();
    }

    @Test
    void theInstanceCanMakeEveryTypeStrict() {
        try (Semel strict = Semel.on(world.store)
                .identity(IdentityStrategy.strict())
                .tenant("acme")
                .reuse(ReusePolicy.never())
                .idempotencyTtl(Duration.ofHours(1))
                .build()) {
            Submission<Receipt> first = strict.submit(CHARGE, INPUT).send();
            assertThat(strict.submit(CHARGE, INPUT).send().taskId()).isEqualTo(first.taskId());
            assertThat(world.task(first.taskId()).tenant()).isEqualTo("acme");
            assertThat(strict.submit(CHARGE, new Charge("ORD-124", 1)).send().created())
                    .isTrue();
        }
    }

    @Test
    void aResultThatIsNotThereIsAnErrorAndNeverAHang() {
        Submission<Receipt> open = semel.submit(CHARGE, INPUT).send();
        assertThatThrownBy(() -> open.result(Duration.ofMillis(20))).isInstanceOf(ResultNotReady.class);
        TaskId unknown = TaskId.parse("01890a5d-ac96-774b-bcce-b302099a8057");
        assertThatThrownBy(() -> semel.handle(CHARGE, unknown).result(SOON)).isInstanceOf(TaskNotFound.class);
        work((context, charge) -> {
            throw new PermanentFailure("declined");
        });
        TaskUnsuccessful failed =
                catchThrowableOfType(TaskUnsuccessful.class, () -> open.handle().result(SOON));
        assertThat(failed.status()).isEqualTo(TaskState.FAILED);
        assertThat(failed.lastError().orElseThrow()).contains("declined");
        assertThat(failed.taskId()).isEqualTo(open.taskId());
    }

    @Test
    void aHandlerThatReturnsNothingStoresNothing() {
        TaskType<Charge, Void> silent = TaskType.of("silent", Charge.class, Void.class);
        Submission<Void> submission = semel.submit(silent, INPUT).send();
        semel.worker("default").handle(silent, (context, charge) -> null).start();
        assertThat(submission.result(SOON)).isNull();
        assertThat(world.task(submission.taskId()).progress().result()).isNull();
    }

    @Test
    void aStoreWithoutTransactionsSaysThatItCannotJoinOne() {
        Connection connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> null);
        assertThatThrownBy(() -> semel.joining(connection))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("cannot join");
    }

    private void work(Handler<Charge, Receipt> handler) {
        semel.worker("default").handle(CHARGE, handler).start();
    }
}
