package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.engine.Handler;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardState;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Task;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Checks that an attempt is settled and its worker continues for everything that a handler throws, returns or calls.
 */
class OddFailuresTest {

    private static final TaskType<String, Object> ODD = TaskType.builder("odd", String.class, Object.class)
            .retry(RetryPolicy.attempts(1))
            .build();

    /** An exception whose methods all throw. */
    private static final class Unspeakable extends Exception {

        private static final long serialVersionUID = 1L;
        private final transient Callable<RuntimeException> when;

        Unspeakable(Callable<RuntimeException> when) {
            this.when = when;
        }

        private RuntimeException fail() {
            try {
                return when.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String getMessage() {
            throw fail();
        }

        @Override
        public String toString() {
            throw fail();
        }

        @Override
        public synchronized Throwable getCause() {
            throw fail();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw fail();
        }
    }

    private static final class OwnError extends Error {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new OwnError();
        }
    }

    private static Throwable unspeakable() {
        return new Unspeakable(() -> new IllegalStateException("no message"));
    }

    private static final class NoStack extends RuntimeException {

        private static final long serialVersionUID = 1L;
        private final transient StackTraceElement @Nullable [] stack;

        NoStack(String message, StackTraceElement @Nullable [] stack) {
            super(message);
            this.stack = stack;
        }

        @Override
        @SuppressWarnings("NullAway") // wrong on purpose
        public StackTraceElement[] getStackTrace() {
            return stack;
        }
    }

    private static Throwable cyclic() {
        IllegalStateException first = new IllegalStateException("first");
        first.initCause(new IllegalStateException("second", first));
        return first;
    }

    private static Throwable deep(int causes) {
        Throwable thrown = new IllegalStateException("the root");
        for (int i = 0; i < causes; i++) {
            thrown = new IllegalStateException("cause " + i, thrown);
        }
        return thrown;
    }

    private static Throwable wide(int suppressed) {
        IllegalStateException thrown = new IllegalStateException("wide");
        for (int i = 0; i < suppressed; i++) {
            thrown.addSuppressed(new IllegalStateException("suppressed " + i, thrown));
        }
        return thrown;
    }

    /** A value whose encoding as JSON throws a given exception. */
    static final class Unwritable {

        private final Callable<Object> getter;

        Unwritable(Callable<Object> getter) {
            this.getter = getter;
        }

        public Object getValue() throws Exception {
            return getter.call();
        }
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException sneaky(Throwable thrown) throws X {
        throw (X) thrown;
    }

    private static Handler<String, Object> throwing(Callable<Throwable> made) {
        return (context, input) -> {
            throw OddFailuresTest.<RuntimeException>sneaky(made.call());
        };
    }

    private static Handler<String, Object> returning(Callable<Object> getter) {
        return (context, input) -> new Unwritable(getter);
    }

    private static Map<String, Handler<String, Object>> odd() {
        Map<String, Handler<String, Object>> all = new LinkedHashMap<>();
        all.put("throws what throws when asked", throwing(OddFailuresTest::unspeakable));
        all.put(
                "throws what throws an error when asked",
                throwing(() -> new Unspeakable(() -> {
                    throw new OwnError();
                })));
        all.put("throws an error that throws itself", throwing(OwnError::new));
        all.put(
                "throws what overflows when asked",
                throwing(() -> new Unspeakable(() -> {
                    throw new StackOverflowError();
                })));
        all.put("throws what has a bad cause", throwing(() -> new IllegalStateException("outer", unspeakable())));
        all.put("throws without a stack", throwing(() -> new NoStack("bare", null)));
        all.put("throws with holes in the stack", throwing(() -> new NoStack("holes", new StackTraceElement[1000])));
        all.put("throws a cycle", throwing(OddFailuresTest::cyclic));
        all.put("throws 100,000 causes", throwing(() -> deep(100_000)));
        all.put("throws 10,000 suppressed", throwing(() -> wide(10_000)));
        all.put("throws a huge message", throwing(() -> new IllegalStateException("x".repeat(20_000_000))));
        all.put("throws neither exception nor error", throwing(() -> new Throwable("bare")));
        all.put("throws text that no database takes", throwing(() -> new IllegalStateException("a\0b\uD800")));
        all.put("returns what overflows", returning(() -> {
            throw new StackOverflowError();
        }));
        all.put("returns what ends in an error", returning(() -> {
            throw new OwnError();
        }));
        all.put("returns what fails unspeakably", returning(() -> {
            throw new IllegalStateException("outer", unspeakable());
        }));
        all.put("returns what throws the unspeakable", returning(() -> {
            throw OddFailuresTest.<RuntimeException>sneaky(unspeakable());
        }));
        return all;
    }

    @Test
    void whateverAHandlerThrowsOrReturnsSettlesItsAttempt() {
        Map<String, Handler<String, Object>> handlers = odd();
        handlers.put("is fine", (context, input) -> "fine");
        try (World world = new World()) {
            Map<String, TaskId> ids = new LinkedHashMap<>();
            handlers.keySet()
                    .forEach(name ->
                            ids.put(name, world.semel.submit(ODD, name).send().taskId()));
            world.semel
                    .worker("default")
                    .concurrency(2)
                    .handle(ODD, (context, input) -> handlers.get(input).handle(context, input))
                    .start();
            ids.forEach((name, id) -> {
                Task ended = world.awaitState(id, name.equals("is fine") ? TaskState.COMPLETED : TaskState.FAILED);
                if (!name.equals("is fine")) {
                    assertThat(ended.progress().lastError())
                            .as(name)
                            .isNotBlank()
                            .hasSizeLessThanOrEqualTo(Limits.ERROR_LENGTH + 50)
                            .doesNotContain("\0");
                }
            });
            assertThat(world.task(ids.get("throws a cycle")).progress().lastError())
                    .contains("first", "Caused by: ", "second");
            assertThat(world.task(ids.get("throws what has a bad cause"))
                            .progress()
                            .lastError())
                    .contains("outer", Unspeakable.class.getName());
        }
    }

    @Test
    void aGuardRecordsAFailureOfWhichNothingCanBeAsked() throws Exception {
        try (Guard guard =
                Guard.on(new InMemoryGuardStore(InstantSource.system())).build()) {
            for (Map.Entry<String, Handler<String, Object>> each : odd().entrySet()) {
                String name = each.getKey();
                Handler<String, Object> handler = each.getValue();
                if (name.startsWith("throws")) {
                    assertThatThrownBy(() -> guard.once(name, Object.class, token -> {
                                throw sneaky(thrownBy(handler));
                            }))
                            .as(name)
                            .satisfies(thrown ->
                                    assertThat(thrown.getSuppressed().length).isIn(0, 10_000));
                    assertThat(guard.find(name).orElseThrow().state()).as(name).isEqualTo(GuardState.FAILURE);
                } else {
                    Object result = guard.once(name, Object.class, token -> resultOf(handler));
                    assertThat(result).isNotNull();
                    assertThat(guard.find(name).orElseThrow().state()).as(name).isEqualTo(GuardState.SUCCESS);
                }
            }
        }
    }

    @SuppressWarnings("NullAway") // these handlers ask for nothing
    private static Object resultOf(Handler<String, Object> handler) throws Exception {
        return handler.handle(null, "");
    }

    private static Throwable thrownBy(Handler<String, Object> handler) {
        try {
            return new AssertionError(resultOf(handler));
        } catch (Throwable e) {
            return e;
        }
    }

    @Test
    void anObserverThatFailsOddlyFailsNobodysSubmission() {
        try (Semel semel = Semel.on(new InMemoryTaskStore(InstantSource.system()))
                .observer((result, took) -> {
                    throw OddFailuresTest.<RuntimeException>sneaky(new OwnError());
                })
                .build()) {
            TaskType<String, String> type = TaskType.of("plain", String.class, String.class);
            assertThat(semel.submit(type, "x").idempotencyKey("k").send().created())
                    .isTrue();
            semel.worker("default").handle(type, (context, input) -> input).start();
            assertThat(semel.submit(type, "x").idempotencyKey("k").send().result(Duration.ofSeconds(30)))
                    .isEqualTo("x");
        }
    }
}
