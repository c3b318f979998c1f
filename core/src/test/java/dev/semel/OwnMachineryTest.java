package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of errors in Semel's own threads: no caller waits for ever, and the work continues. */
@Timeout(120)
class OwnMachineryTest {

    private static final TaskType<String, String> ECHO = TaskType.of("echo", String.class, String.class);

    private final Failing store = new Failing();
    private final Semel semel = Semel.on(store).build();

    @AfterEach
    void close() {
        semel.close();
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, LinkageError.class, AssertionError.class})
    void anErrorOfTheStoreIsRepeatedUntilItAnswers(Class<? extends Error> error) throws Exception {
        Error thrown = error.getDeclaredConstructor().newInstance();
        for (int i = 0; i < 3; i++) {
            store.claimErrors.add(thrown);
            store.writeErrors.add(thrown);
        }
        semel.worker("default").handle(ECHO, (context, input) -> input).start();
        assertThat(semel.submit(ECHO, "hello").send().result(Duration.ofSeconds(60)))
                .isEqualTo("hello");
        assertThat(store.claimErrors).isEmpty();
        assertThat(store.writeErrors).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, LinkageError.class, AssertionError.class})
    void anErrorInASubmissionIsAClearAnswerToEachWhoWaits(Class<? extends Error> error) throws Exception {
        Error thrown = error.getDeclaredConstructor().newInstance();
        store.submitErrors.add(thrown);
        SubmissionRequest<String, String> request = semel.submit(ECHO, "hello");
        assertThatThrownBy(request::send)
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("not known")
                .hasCause(thrown);
        assertThat(request.send().created()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, LinkageError.class, AssertionError.class})
    void aLookForResultsThatEndsInAnErrorIsNotTheLast(Class<? extends Error> error) throws Exception {
        Error thrown = error.getDeclaredConstructor().newInstance();
        TaskHandle<String> handle = semel.submit(ECHO, "hello").send().handle();
        CountDownLatch looked = new CountDownLatch(1);
        Thread waiting = Thread.ofVirtual().start(() -> {
            assertThat(handle.result(Duration.ofSeconds(60))).isEqualTo("hello");
            looked.countDown();
        });
        await().until(() -> store.finds.get() > 0);
        store.findErrors.addAll(Collections.nCopies(3, thrown));
        await().until(store.findErrors::isEmpty);
        semel.worker("default").handle(ECHO, (context, input) -> input).start();
        looked.await();
        waiting.join();
    }

    @Test
    void aWorkerWhoseOwnStepFailsReturnsItsTasksAndStartsAgain() {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger slow = new AtomicInteger();
        semel.worker("default")
                .handle(ECHO, (context, input) -> {
                    if (input.equals("slow") && slow.incrementAndGet() == 1) {
                        never.await();
                    }
                    return input;
                })
                .start();
        TaskId interrupted = semel.submit(ECHO, "slow").send().taskId();
        await().until(() -> slow.get() == 1);
        store.shortAnswers.set(1);
        TaskHandle<String> quick = semel.submit(ECHO, "quick").send().handle();
        assertThat(quick.result(Duration.ofSeconds(60))).isEqualTo("quick");
        assertThat(semel.handle(ECHO, interrupted).result(Duration.ofSeconds(60)))
                .isEqualTo("slow");
        // The unanswered outcome is sent again, and the running tasks were returned to the queue, which does not count
        // as a failure.
        assertThat(task(quick.taskId()).progress().attempt()).isEqualTo(1);
        Task.Progress returned = task(interrupted).progress();
        assertThat(returned.attempt()).isEqualTo(2);
        assertThat(returned.vanished()).isZero();
        assertThat(returned.failures()).isZero();
    }

    @Test
    void aWorkerThatHasFailedCanBeClosed() {
        var worker = semel.worker("default")
                .closeGrace(Duration.ofMillis(100))
                .handle(ECHO, (context, input) -> input)
                .start();
        store.shortAnswers.set(1_000_000);
        TaskId id = semel.submit(ECHO, "hello").send().taskId();
        await().until(() -> store.shortAnswers.get() < 1_000_000);
        worker.close();
        store.shortAnswers.set(0);
        assertThat(task(id).state()).isNotEqualTo(TaskState.FAILED);
    }

    @Test
    void aClaimThatRunsOutOfMemoryIsRepeatedWithHalfTheSizeDownToOne() {
        store.mostClaimed = 1;
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            handles.add(semel.submit(ECHO, "task " + i).send().handle());
        }
        semel.worker("default").handle(ECHO, (context, input) -> input).start();
        for (int i = 0; i < 20; i++) {
            assertThat(handles.get(i).result(Duration.ofSeconds(60))).isEqualTo("task " + i);
        }
        assertThat(store.limits).startsWith(16, 8, 4, 2, 1);
    }

    @Test
    void aWorkerHoldsNoMoreBytesThanItsLimit() {
        String large = "x".repeat(Limits.DOCUMENT_BYTES - 2);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            handles.add(semel.submit(ECHO, large).send().handle());
        }
        semel.worker("default")
                .heldBytes(3L * Limits.DOCUMENT_BYTES)
                .handle(ECHO, (context, input) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    running.decrementAndGet();
                    return "done";
                })
                .start();
        for (TaskHandle<String> handle : handles) {
            assertThat(handle.result(Duration.ofSeconds(60))).isEqualTo("done");
        }
        assertThat(most).hasValueLessThanOrEqualTo(3);
        assertThat(store.claimedBytes)
                .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(3 * Limits.DOCUMENT_BYTES));
    }

    @Test
    void submissionsOfOneCallHaveNoMoreBytesThanACallTakes() {
        String large = "x".repeat(Limits.DOCUMENT_BYTES - 2);
        List<SubmissionRequest<String, String>> requests = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            requests.add(semel.submit(ECHO, large));
        }
        assertThat(semel.submitAll(requests))
                .hasSize(20)
                .allSatisfy(
                        outcome -> assertThat(outcome.submission().created()).isTrue());
        assertThat(store.submittedTogether).containsExactly(8, 8, 4);
    }

    private Task task(TaskId id) {
        return Objects.requireNonNull(store.find(List.of(id)).get(id));
    }

    /** A store in memory that throws a given exception instead of doing its work. */
    private static final class Failing extends ForwardingTaskStore {

        final ConcurrentLinkedQueue<Error> claimErrors = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Error> writeErrors = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Error> submitErrors = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Error> findErrors = new ConcurrentLinkedQueue<>();
        final AtomicInteger shortAnswers = new AtomicInteger();
        final AtomicInteger finds = new AtomicInteger();
        final List<Integer> limits = Collections.synchronizedList(new ArrayList<>());
        final List<Integer> claimedBytes = Collections.synchronizedList(new ArrayList<>());
        final List<Integer> submittedTogether = Collections.synchronizedList(new ArrayList<>());
        volatile int mostClaimed = Integer.MAX_VALUE;

        Failing() {
            super(new InMemoryTaskStore(InstantSource.system()));
        }

        private static void fail(ConcurrentLinkedQueue<Error> errors) {
            Error error = errors.poll();
            if (error != null) {
                throw error;
            }
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            fail(submitErrors);
            submittedTogether.add(batch.size());
            return super.submit(batch);
        }

        @Override
        public Claims claim(ClaimRequest request) {
            fail(claimErrors);
            limits.add(request.limit());
            if (request.limit() > mostClaimed) {
                throw new OutOfMemoryError("on purpose");
            }
            Claims claims = super.claim(request);
            claimedBytes.add(claims.tasks().stream()
                    .mapToInt(claimed ->
                            Objects.requireNonNull(claimed.task().input()).length())
                    .sum());
            return claims;
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            fail(writeErrors);
            if (shortAnswers.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return List.of(); // violates the contract, so that the step that reads it throws
            }
            return super.settle(batch);
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            fail(writeErrors);
            return super.operate(batch);
        }

        @Override
        public Map<TaskId, Task> find(Collection<TaskId> ids) {
            finds.incrementAndGet();
            fail(findErrors);
            return super.find(ids);
        }
    }
}
