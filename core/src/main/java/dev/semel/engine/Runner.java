package dev.semel.engine;

import dev.semel.store.Task;
import dev.semel.store.Transition;
import dev.semel.task.Durations;
import dev.semel.task.FailureText;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Turns a claimed task into the transition that settles it. */
final class Runner {

    private static final SafeLogger LOG = SafeLogger.of(Runner.class);

    // For so long, and up to twice as long at random, a task rests whose transaction the store failed: no hot loop, and
    // no crowd.
    private static final Duration STORE_PAUSE = Duration.ofSeconds(1);

    private final Handlers handlers;
    private final Codec codec;
    private final RandomGenerator random;

    Runner(Handlers handlers, Codec codec, RandomGenerator random) {
        this.handlers = handlers;
        this.codec = codec;
        this.random = random;
    }

    /**
     * Runs the handler, on the thread it is called on, and says what became of the attempt; null if the handler has completed
     * its task itself. It never throws: an attempt without an outcome would keep its lease and its place for ever.
     */
    @Nullable
    Transition run(TaskContext context) {
        try {
            return settling(context);
        } catch (Throwable thrown) {
            // Not the handler's failure, which is an outcome, but one of what made an outcome of it.
            LOG.error("Settling an attempt of task {} failed", context.taskId(), thrown);
            return new Transition.Fail(context.claimed().lease(), false, FailureText.of(thrown));
        }
    }

    private @Nullable Transition settling(TaskContext context) {
        Transition outcome = outcome(context);
        Parked parked = context.parked();
        if (context.completed()) {
            if (!(outcome instanceof Transition.Complete)) {
                LOG.warn(
                        "The handler of task {} failed after its transaction had completed the task", context.taskId());
            }
            return null;
        }
        // Also if the handler caught it and went on: the effect is unknown all the same.
        return parked == null || context.isCancelled()
                ? outcome
                : new Transition.Park(context.claimed().lease(), parked.effect(), parked.reason());
    }

    private Transition outcome(TaskContext context) {
        Lease lease = context.claimed().lease();
        try (MDC.MDCCloseable task =
                        MDC.putCloseable("semel.task_id", context.taskId().toString());
                MDC.MDCCloseable attempt = MDC.putCloseable("semel.attempt", Integer.toString(context.attempt()))) {
            String input = Objects.requireNonNull(context.task().input(), "an open task has its input");
            Object output = handlers.of(context.type()).handle(codec, context, input);
            return context.timedOut() ? timedOut(context) : new Transition.Complete(lease, encoded(codec, output));
        } catch (Snooze snooze) {
            return new Transition.PutBack(lease, snooze.delay());
        } catch (Throwable thrown) {
            if (context.timedOut()) {
                return timedOut(context);
            }
            if (context.isCancelled()) {
                return new Transition.Cancelled(lease);
            }
            return context.storeFailed() && !(thrown instanceof PermanentFailure)
                    ? storeFailed(context, thrown)
                    : failed(context, thrown);
        }
    }

    /** What becomes of an attempt that threw: another one by the retry policy, or the end. */
    private Transition failed(TaskContext context, Throwable thrown) {
        boolean retried = handlers.of(context.type()).type().retries(thrown);
        return settled(context, retried, false, FailureText.of(thrown));
    }

    /** What becomes of an attempt whose transaction the store failed: another one, at no cost, when the store may be well again. */
    private Transition storeFailed(TaskContext context, Throwable thrown) {
        Duration pause = STORE_PAUSE.plusMillis(random.nextLong(STORE_PAUSE.toMillis()));
        LOG.warn(
                "Store failed in a transaction: task={} attempt={} put_back_for={} error={}",
                context.taskId(),
                context.attempt(),
                Durations.text(pause),
                FailureText.summary(thrown));
        return new Transition.PutBack(context.claimed().lease(), pause);
    }

    /** What becomes of an attempt that ran too long: a failure like another. */
    Transition timedOut(TaskContext context) {
        Duration limit = timeout(context.task());
        String error =
                "The attempt ran longer than its timeout of " + (limit == null ? "?" : Durations.text(limit)) + ".";
        return settled(context, true, true, error);
    }

    private Transition settled(TaskContext context, boolean retried, boolean timedOut, String error) {
        Lease lease = context.claimed().lease();
        int failures = context.failures() + 1;
        RetryPolicy policy = retry(context.task());
        return retried && policy.allowsAfter(failures)
                ? new Transition.Retry(lease, policy.delayAfter(failures, random), error)
                : new Transition.Fail(lease, timedOut, error);
    }

    /** What becomes of a task whose attempts vanish, again and again: it seems to kill its workers. */
    static Transition buried(Lease lease, int vanished) {
        return new Transition.Fail(
                lease,
                false,
                vanished + " attempts vanished: their workers crashed, froze or lost"
                        + " their lease. The task was not run again, because it may be the cause.");
    }

    @Nullable
    Duration timeout(Task task) {
        Duration own = task.options().timeout();
        return own != null ? own : handlers.of(task.type()).type().timeout().orElse(null);
    }

    private RetryPolicy retry(Task task) {
        RetryPolicy own = task.options().retry();
        return own != null ? own : handlers.of(task.type()).type().retry();
    }

    static @Nullable String encoded(Codec codec, @Nullable Object output) {
        if (output == null) {
            return null;
        }
        String json = codec.encode(output);
        try {
            Json.parse(json);
        } catch (InvalidInput e) {
            throw new InvalidInput("The handler returned what cannot be stored as a result: " + e.getMessage(), e);
        }
        return json;
    }
}
