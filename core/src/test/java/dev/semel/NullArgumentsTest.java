package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.architecture.NullArguments;
import dev.semel.engine.Cleaning;
import dev.semel.engine.Codec;
import dev.semel.engine.Handler;
import dev.semel.engine.Replayed;
import dev.semel.engine.WorkerSettings;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.guard.KeyExtractor;
import dev.semel.observe.Observer;
import dev.semel.observe.Tracing;
import dev.semel.schedule.Schedule;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.CheckObserver;
import dev.semel.task.Identity;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.JsonPointer;
import dev.semel.task.RateLimit;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.task.TypeRef;
import dev.semel.workflow.WorkflowType;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A null is reported where it is passed, by all types that people use every day. */
class NullArgumentsTest {

    private static final TaskType<String, String> TYPE = TaskType.of("type", String.class, String.class);

    private final InMemoryTaskStore store = new InMemoryTaskStore();
    private final Semel semel = Semel.on(store).build();

    @AfterEach
    void close() {
        semel.close();
    }

    private NullArguments samples() {
        return new NullArguments(InvalidInput.class)
                .sample(List.class, List.of(Instant.EPOCH))
                .sample(Set.class, Set.of("queue"))
                .sample(Long.class, WorkerSettings.FEWEST_BYTES)
                .sample(TaskStore.class, store)
                .sample(TaskType.class, TYPE)
                .sample(WorkflowType.class, WorkflowType.of(TYPE))
                .sample(Replayed.class, WorkflowType.of(TYPE))
                .sample(TypeRef.class, TypeRef.of(String.class))
                .sample(TaskId.class, TaskId.next(InstantSource.system(), new Random(1)))
                .sample(SubmissionRequest.class, semel.submit(TYPE, "x"))
                .sample(Identity.class, Identity.of("tenant", Scope.queue(), "queue", "type", "key"))
                .sample(IdentityStrategy.class, IdentityStrategy.strict())
                .sample(Scope.class, Scope.queue())
                .sample(ReusePolicy.class, ReusePolicy.never())
                .sample(RetryPolicy.class, RetryPolicy.standard())
                .sample(RetryPolicy.Backoff.class, RetryPolicy.standard().backoff())
                .sample(TaskQuery.class, TaskQuery.all(1))
                .sample(QueueSettings.class, QueueSettings.NONE)
                .sample(Cleaning.class, Cleaning.STANDARD)
                .sample(Settings.class, Settings.NONE)
                .sample(
                        Schedule.class,
                        Schedule.every("s", Duration.ofHours(1)).task(TYPE, "x").build())
                .sample(JsonPointer.class, new JsonPointer("/a"))
                .sample(Guard.class, Guard.on(new InMemoryGuardStore()).build())
                .sample(GuardStore.class, new InMemoryGuardStore())
                .sample(Codec.class, Codec.standard())
                .sample(RandomGenerator.class, new SplittableRandom(1))
                .sample(CheckObserver.class, CheckObserver.NONE)
                .sample(Observer.class, Observer.NONE)
                .sample(Tracing.class, Tracing.NONE)
                .sample(Path.class, Path.of("file"))
                .sample(ZoneId.class, ZoneId.of("UTC"))
                .sample(Handler.class, (Handler<Object, Object>) (context, input) -> input)
                .sample(KeyExtractor.class, (KeyExtractor<Object>) input -> "key")
                .sample(Function.class, Function.identity())
                .sample(Consumer.class, (Consumer<Object>) each -> {})
                .sample(Operations.Progress.class, (Operations.Progress<Object>) (task, outcome) -> {});
    }

    @Test
    void aNullIsReportedWhereItIsPassed() {
        NullArguments checked = samples()
                .statics(
                        Semel.class,
                        TaskType.class,
                        WorkflowType.class,
                        TypeRef.class,
                        RetryPolicy.class,
                        RetryPolicy.Backoff.Exponential.class,
                        RetryPolicy.Backoff.Fixed.class,
                        IdentityStrategy.class,
                        ReusePolicy.class,
                        Scope.class,
                        TaskId.class,
                        Identity.class,
                        JsonPointer.class,
                        RateLimit.class,
                        TaskQuery.class,
                        WorkerSettings.class,
                        Cleaning.class,
                        Guard.class,
                        SettingsFile.class,
                        InMemoryTaskStore.class,
                        InMemoryGuardStore.class)
                .instances(
                        Semel.on(store),
                        semel,
                        TaskType.builder("type", String.class, String.class),
                        semel.submit(TYPE, "x"),
                        semel.submit(TYPE, "x").send(),
                        semel.submit(TYPE, "x").send().handle(),
                        semel.tasks(),
                        semel.operations(),
                        semel.worker("queue"),
                        semel.schedules(),
                        semel.workflows(),
                        TaskQuery.builder(),
                        QueueSettings.builder(),
                        Cleaning.STANDARD,
                        ReusePolicy.never(),
                        RetryPolicy.standard(),
                        Schedule.every("s", Duration.ofHours(1)),
                        Guard.on(new InMemoryGuardStore()));
        assertThat(checked.wrong()).isEmpty();
        assertThat(checked.passed()).isGreaterThan(100);
    }

    @Test
    void aNullOfAScheduleIsReportedWhereItIsPassed() {
        NullArguments checked = samples().sample(String.class, "* * * * *").statics(Schedule.class);
        assertThat(checked.wrong()).isEmpty();
        assertThat(checked.passed()).isEqualTo(7);
    }

    @Test
    void aNullOfAnEffectIsReportedWhereItIsPassed() {
        List<ThrowingCallable> calls = List.of(
                () -> semel.effects().of(null),
                () -> semel.effects().list(null),
                () -> semel.effects().resolve(null, null));
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isInstanceOf(InvalidInput.class)
                        .hasMessageContaining("null"));
    }
}
