package dev.semel.storetests.process;

import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.engine.EffectCall;
import dev.semel.engine.Probe;
import dev.semel.engine.TaskContext;
import dev.semel.store.EffectState;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A worker whose handler charges once and completes, for {@link EffectCrashContract}. As a process of its own it stops for ever
 * at one point, and says so: then it is killed there.
 */
final class EffectCrashWorker implements AutoCloseable {

    /** Completes by returning. */
    static final String PLAIN = "plain";

    /** Completes in a transaction with a row of its own in table {@code paid}. */
    static final String TRANSACTION = "transaction";

    static final String EFFECT = "charge";

    static final TaskType<String, String> TYPE = TaskType.of("charge", String.class, String.class);

    /** Where the process is killed. */
    enum Point {
        BEFORE_INTENT("before the intent"),
        AFTER_INTENT("after the intent"),
        AFTER_ANSWER("after the provider's answer"),
        BEFORE_OUTCOME("before the outcome is written"),
        AFTER_OUTCOME("after the outcome"),
        BEFORE_COMPLETION("before the completion is written"),
        IN_TRANSACTION("in the transaction, before its commit"),
        AFTER_COMMIT("after the transaction's commit");

        private final String words;

        Point(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        String mode() {
            return this == IN_TRANSACTION || this == AFTER_COMMIT ? TRANSACTION : PLAIN;
        }
    }

    /** What is done about an unknown effect; each has a queue of its own, and so a worker. */
    enum Policy {
        RETRY,
        PROBE,
        PARK,
        ASSUME_DONE;

        String queue() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final TaskStore store;
    private final EffectProvider.Client provider;
    private final @Nullable Point stopAt;
    private final Semel semel;

    /**
     * Makes a worker for each of some policies.
     *
     * @param stopAt where to stop, or null to continue
     */
    EffectCrashWorker(
            TaskStore store,
            EffectProvider.Client provider,
            @Nullable Point stopAt,
            List<Policy> policies,
            Duration lease) {
        this.store = store;
        this.provider = provider;
        this.stopAt = stopAt;
        this.semel = Semel.on(new Stopping(store)).build();
        for (Policy policy : policies) {
            // One at a time and no more: a handler that has stopped must not see its own lease expire and begin again.
            semel.worker(policy.queue())
                    .name("worker-" + policy.queue())
                    .concurrency(1)
                    .prefetch(0)
                    .lease(lease)
                    .handle(TYPE, (context, mode) -> handle(context, mode, policy))
                    .start();
        }
    }

    private String handle(TaskContext context, String mode, Policy policy) throws Exception {
        stop(Point.BEFORE_INTENT, policy);
        String receipt = policed(context.effect(EFFECT, String.class), policy).run(token -> {
            stop(Point.AFTER_INTENT, policy);
            String answer = provider.charge(token);
            stop(Point.AFTER_ANSWER, policy);
            return answer;
        });
        if (stopAt == Point.AFTER_OUTCOME || stopAt == Point.BEFORE_COMPLETION) {
            await().until(() -> isDone(context.taskId()));
            stop(Point.AFTER_OUTCOME, policy);
        }
        if (mode.equals(PLAIN)) {
            return receipt;
        }
        String result = context.transaction(connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO paid (receipt) VALUES (?)")) {
                insert.setString(1, receipt);
                insert.executeUpdate();
            }
            stop(Point.IN_TRANSACTION, policy);
            return receipt;
        });
        stop(Point.AFTER_COMMIT, policy);
        return result;
    }

    private EffectCall<String> policed(EffectCall<String> call, Policy policy) {
        return switch (policy) {
            case RETRY -> call.retryIfUnknown();
            case PROBE ->
                call.probeIfUnknown(
                        token -> provider.find(token).map(Probe.Answer::done).orElseGet(Probe.Answer::notDone));
            case PARK -> call.parkIfUnknown();
            case ASSUME_DONE -> call.assumeDoneIfUnknown("assumed");
        };
    }

    private boolean isDone(TaskId id) {
        return store.effects(List.of(id)).getOrDefault(id, List.of()).stream()
                .anyMatch(effect -> effect.state() == EffectState.DONE);
    }

    /** Says that it is there and stays. */
    private void stop(Point point, Policy policy) throws InterruptedException {
        if (stopAt == point) {
            System.out.println("at " + policy);
            new CountDownLatch(1).await();
        }
    }

    @Override
    public void close() {
        semel.close();
    }

    /** Stops before settlements of a kind are written. */
    private final class Stopping extends ForwardingTaskStore {

        Stopping(TaskStore store) {
            super(store);
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            stopBefore(Point.BEFORE_OUTCOME, batch, move -> move instanceof Settlement.Conclude);
            stopBefore(Point.BEFORE_COMPLETION, batch, move -> move instanceof Settlement.Complete);
            return store.settle(batch);
        }

        private void stopBefore(Point point, List<? extends Settlement> batch, Predicate<Settlement> kind) {
            for (Settlement move : batch) {
                if (stopAt == point && kind.test(move)) {
                    TaskId id = move.lease().taskId();
                    try {
                        Task task =
                                Objects.requireNonNull(store.find(List.of(id)).get(id));
                        stop(point, Policy.valueOf(task.queue().toUpperCase(Locale.ROOT)));
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        }
    }

    /** The process: the opener, the store's address, the provider's port, where to stop, the lease in milliseconds, and the policies. */
    public static void main(String[] arguments) throws InterruptedException {
        List<Policy> policies = List.of(arguments).subList(5, arguments.length).stream()
                .map(Policy::valueOf)
                .toList();
        EffectProvider.Client provider = new EffectProvider.Client(Integer.parseInt(arguments[2]));
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[4]));
        TaskStore store = StoreOpener.open(arguments[0], arguments[1]);
        try (EffectCrashWorker worker =
                new EffectCrashWorker(store, provider, Point.valueOf(arguments[3]), policies, lease)) {
            new CountDownLatch(1).await();
        }
    }
}
