package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.engine.Handler;
import dev.semel.engine.TaskContext;
import dev.semel.engine.Worker;
import dev.semel.store.EffectState;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Task;
import dev.semel.task.InvalidInput;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TypeRef;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mistakes of handlers that would go unnoticed: each is loud. */
@Timeout(60)
class HandlerMistakesTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final TaskType<String, Object> WORK = TaskType.builder("work", String.class, Object.class)
            .retry(RetryPolicy.delays(Duration.ZERO, Duration.ZERO))
            .build();

    private final Semel semel = Semel.on(new InMemoryTaskStore()).build();

    @AfterEach
    void close() {
        semel.close();
    }

    private Task ended(Handler<String, Object> handler) {
        TaskHandle<Object> handle = semel.submit(WORK, "x").send().handle();
        try (Worker worker = semel.worker("default").handle(WORK, handler).start()) {
            await().atMost(SOON).until(() -> !handle.state().isOpen());
        }
        return semel.tasks().find(handle.taskId()).orElseThrow();
    }

    private static void failedAtOnce(Task task, String... because) {
        assertThat(task.state()).isEqualTo(TaskState.FAILED);
        assertThat(task.progress().attempt()).isEqualTo(1);
        assertThat(task.progress().lastError()).contains(because);
    }

    @Test
    void aSnoozeThatIsNotThrownFailsTheTask() {
        failedAtOnce(
                ended((context, input) -> {
                    var unused = context.snooze(Duration.ofMinutes(1));
                    return "done";
                }),
                "throw context.snooze(");
    }

    @Test
    void anEffectThatIsPreparedAndNotRunFailsTheTask() {
        failedAtOnce(
                ended((context, input) -> {
                    context.effect("charge", String.class, token -> "paid");
                    context.effect("mail", String.class).retryIfUnknown();
                    return "done";
                }),
                "effect \"mail\"",
                "run(");
    }

    @Test
    void aHandlerThatReturnsWhileAnEffectRunsIsRetriedAndItsPolicyDecides() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger effects = new AtomicInteger();
        Task task = ended((context, input) -> {
            if (context.attempt() > 1) {
                return context.effect("charge", Integer.class, token -> effects.incrementAndGet());
            }
            CountDownLatch running = new CountDownLatch(1);
            Thread.startVirtualThread(() -> {
                context.effect("charge", Integer.class, token -> {
                    running.countDown();
                    awaitQuietly(end);
                    return effects.incrementAndGet();
                });
            });
            running.await();
            return "done";
        });
        assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
        assertThat(task.progress().attempt()).isEqualTo(2);
        assertThat(task.progress().lastError())
                .contains("returned while effect \"charge\" was still running on another thread");
        assertThat(task.progress().result()).isEqualTo("1");
        assertThat(semel.effects().of(task.id()))
                .singleElement()
                .satisfies(effect -> assertThat(effect.state()).isEqualTo(EffectState.DONE));
        end.countDown();
    }

    @Test
    void noEffectBeginsAfterItsHandlerHasReturned() throws Exception {
        AtomicReference<TaskContext> left = new AtomicReference<>();
        Task task = ended((context, input) -> {
            left.set(context);
            context.effect("first", String.class, token -> "");
            return "done";
        });
        assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
        assertThatThrownBy(() -> left.get().effect("second", String.class, token -> ""))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("before it returns");
        assertThat(semel.effects().of(task.id())).hasSize(1);
    }

    @Test
    void aResultThatIsNoDataFailsTheTaskInsteadOfBecomingEmpty() {
        failedAtOnce(ended((context, input) -> new Object()), "cannot be stored", "java.lang.Object");
        failedAtOnce(ended((context, input) -> Thread.currentThread()), "cannot be stored");
        failedAtOnce(ended((context, input) -> List.of(new Object())), "cannot be stored");
        record Nothing() {}
        assertThat(ended((context, input) -> new Nothing()).progress().result())
                .as("a record without components is data")
                .isEqualTo("{}");
    }

    @Test
    void anInputThatIsNoDataIsRejected() {
        TaskType<Object, Void> any = TaskType.of("any", Object.class, Void.class);
        assertThatThrownBy(() -> semel.submit(any, new Object()).send())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("java.lang.Object");
    }

    @Test
    void anInputThatCanNeverFitItsClassIsNotRetriedAndTheReasonIsKept() {
        record Amount(int cents) {}
        TaskType<String, String> old = TaskType.of("pay", String.class, String.class);
        TaskType<Amount, String> now = TaskType.of("pay", Amount.class, String.class);
        TaskHandle<String> handle = semel.submit(old, "card 4111").send().handle();
        AtomicInteger runs = new AtomicInteger();
        semel.worker("default")
                .handle(now, (context, amount) -> "run " + runs.incrementAndGet())
                .start();
        await().atMost(SOON).until(() -> !handle.state().isOpen());
        Task task = semel.tasks().find(handle.taskId()).orElseThrow();
        failedAtOnce(
                task,
                "does not fit task type \"pay\"",
                "MismatchedInputException: Cannot construct instance of",
                "Amount",
                "redrive");
        assertThat(task.progress().lastError()).doesNotContain("4111");
        assertThat(runs).hasValue(0);
    }

    @Test
    void genericTypesAreReadAsTheyWereDeclared() {
        record Line(String article, int pieces) {}
        TaskType<List<Line>, List<Integer>> count =
                TaskType.of("count", new TypeRef<List<Line>>() {}, new TypeRef<List<Integer>>() {});
        semel.worker("default")
                .handle(count, (context, lines) -> {
                    List<Long> sums = context.effect("sums", new TypeRef<List<Long>>() {})
                            .run(token -> List.of((long) lines.getFirst().pieces()));
                    assertThat(sums.getFirst()).isInstanceOf(Long.class);
                    return lines.stream().map(Line::pieces).toList();
                })
                .start();
        List<Integer> pieces = semel.submit(count, List.of(new Line("lamp", 2), new Line("book", 3)))
                .send()
                .result(SOON);
        assertThat(pieces).containsExactly(2, 3);
        assertThat(count.input()).hasToString("java.util.List<" + Line.class.getName() + ">");
        assertThatThrownBy(HandlerMistakesTest::unknown).isInstanceOf(InvalidInput.class);
    }

    private static <T> TypeRef<List<T>> unknown() {
        return new TypeRef<>() {};
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
