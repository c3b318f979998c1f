package dev.semel.engine;

import dev.semel.observe.Tracing;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.Durations;
import dev.semel.task.FailureText;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.SafeLogger;
import dev.semel.task.TaskState;
import dev.semel.task.TypeRef;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The execution of an attempt: decodes the input, calls the handler, and returns the settlement for the outcome. */
final class Runner {

    private static final SafeLogger LOG = SafeLogger.of(Runner.class);

    /**
     * The logger of failures of handlers: WARN if the task is retried, ERROR if it was the last attempt. The handler of
     * a type has a logger below it, so that a type's failures can be turned down.
     */
    static final String FAILURES = "dev.semel.handler";

    private static final String FAILURE_FIELDS = " task={} type={} queue={} attempt={} failures={}";

    // A task whose transaction failed because of the store is put back for this time, and up to twice as long at
    // random, so that it neither retries in a hot loop nor together with all others.
    private static final Duration STORE_PAUSE = Duration.ofSeconds(1);

    private final Handlers handlers;
    private final Codec codec;
    private final RandomGenerator random;
    private final Tracing tracing;

    Runner(Handlers handlers, Codec codec, RandomGenerator random, Tracing tracing) {
        this.handlers = handlers;
        this.codec = codec;
        this.random = random;
        this.tracing = tracing;
    }

    /**
     * Runs the handler on the current thread and returns the settlement of the attempt, or null if the handler has
     * completed its task itself. It never throws: an attempt without a settlement would keep its lease and its slot
     * forever.
     */
    @Nullable
    Settlement run(TaskContext context) {
        AttemptSpan span = AttemptSpan.begin(tracing, context);
        return AttemptSpan.end(span, settlement(context));
    }

    private @Nullable Settlement settlement(TaskContext context) {
        try {
            return settling(context);
        } catch (Throwable thrown) {
            // An exception of the handler is an outcome. This one comes from the code that turns it into a settlement.
            LOG.error("Attempt could not be settled, the task fails: task={}", context.taskId(), thrown);
            return new Settlement.Fail(context.claimed().lease(), false, FailureText.of(thrown));
        }
    }

    private @Nullable Settlement settling(TaskContext context) {
        Ended ended = outcome(context);
        Parked parked = context.parked();
        if (context.completed()) {
            if (!(ended.outcome instanceof Settlement.Complete)) {
                failures(context)
                        .warn(
                                "Handler failed after its transaction had completed the task: task={} type={} attempt={}",
                                context.taskId(),
                                context.type(),
                                context.attempt(),
                                ended.thrown);
            }
            return null;
        }
        // Even if the handler caught the exception and continued: the effect's outcome is still unknown.
        if (parked != null && !context.isCancelled()) {
            return new Settlement.Park(context.claimed().lease(), parked.effect(), parked.reason());
        }
        Settlement.Ending ending = context.ending();
        if (ending != null && !context.isCancelled() && !context.timedOut()) {
            return ending;
        }
        logFailure(context, ended.outcome, ended.thrown);
        return ended.outcome;
    }

    /** The outcome of an attempt, and the exception that led to it, or null. */
    private record Ended(Settlement outcome, @Nullable Throwable thrown) {}

    /** Logs a failed attempt, unless its worker has already logged it or its outcome is discarded. */
    private void logFailure(TaskContext context, Settlement outcome, @Nullable Throwable thrown) {
        boolean failure = outcome instanceof Settlement.Retry || outcome instanceof Settlement.Fail;
        if (!failure || context.leaseLost() || !context.firstFailure()) {
            return;
        }
        // An exception is logged with its stack if a logger can print it, otherwise its text.
        boolean printable = thrown != null && FailureText.isPrintable(thrown);
        String fields = printable ? FAILURE_FIELDS : FAILURE_FIELDS + " error={}";
        if (outcome instanceof Settlement.Retry retry) {
            failures(context)
                    .warn(
                            "Attempt failed, the task is retried: retry_in={}" + fields,
                            Durations.text(retry.delay()),
                            context.taskId(),
                            context.type(),
                            context.queue(),
                            context.attempt(),
                            context.failures() + 1,
                            printable ? thrown : retry.error());
        } else if (outcome instanceof Settlement.Fail fail) {
            failures(context)
                    .error(
                            "Task failed, no attempt is left: state={}" + fields,
                            fail.timedOut() ? TaskState.TIMED_OUT.word() : TaskState.FAILED.word(),
                            context.taskId(),
                            context.type(),
                            context.queue(),
                            context.attempt(),
                            context.failures() + 1,
                            printable ? thrown : fail.error());
        }
    }

    private SafeLogger failures(TaskContext context) {
        return handlers.of(context.type()).failures();
    }

    private Ended outcome(TaskContext context) {
        Lease lease = context.claimed().lease();
        try (MDC.MDCCloseable task =
                        MDC.putCloseable("semel.task_id", context.taskId().toString());
                MDC.MDCCloseable type = MDC.putCloseable("semel.task_type", context.type());
                MDC.MDCCloseable attempt = MDC.putCloseable("semel.attempt", Integer.toString(context.attempt()))) {
            String input = Objects.requireNonNull(context.task().input(), "an open task has its input");
            String output = handlers.of(context.type()).handle(codec, context, input);
            return new Ended(
                    context.timedOut() ? timeoutOutcome(context) : new Settlement.Complete(lease, output), null);
        } catch (Snooze snooze) {
            return new Ended(new Settlement.PutBack(lease, snooze.delay()), null);
        } catch (Throwable thrown) {
            return new Ended(outcome(context, thrown), context.timedOut() ? null : thrown);
        }
    }

    private Settlement outcome(TaskContext context, Throwable thrown) {
        if (context.timedOut()) {
            return timeoutOutcome(context);
        }
        if (context.isCancelled()) {
            return new Settlement.Cancelled(context.claimed().lease());
        }
        return context.storeFailed() && !(thrown instanceof PermanentFailure)
                ? storeFailed(context, thrown)
                : failed(context, thrown);
    }

    /** Returns the settlement of an attempt that threw: a retry if the retry policy allows one, otherwise a failure. */
    private Settlement failed(TaskContext context, Throwable thrown) {
        boolean retried = handlers.of(context.type()).type().retries(thrown);
        return settled(context, retried, false, FailureText.of(thrown));
    }

    /**
     * Returns the settlement of an attempt whose transaction the store failed: put back for a pause, with no failure
     * counted.
     */
    private Settlement storeFailed(TaskContext context, Throwable thrown) {
        Duration pause = STORE_PAUSE.plusMillis(random.nextLong(STORE_PAUSE.toMillis()));
        LOG.warn(
                "Store failed in a transaction: task={} attempt={} put_back_for={} error={}",
                context.taskId(),
                context.attempt(),
                Durations.text(pause),
                FailureText.summary(thrown));
        return new Settlement.PutBack(context.claimed().lease(), pause);
    }

    /** Returns the settlement of an attempt that ran longer than its timeout and whose handler does not end. */
    Settlement timedOut(TaskContext context) {
        Settlement outcome = timeoutOutcome(context);
        logFailure(context, outcome, null);
        return outcome;
    }

    /** Returns the settlement of an attempt that ran longer than its timeout, which counts as a failure. */
    private Settlement timeoutOutcome(TaskContext context) {
        Duration limit = timeout(context.task());
        String error =
                "The attempt ran longer than its timeout of " + (limit == null ? "?" : Durations.text(limit)) + ".";
        return settled(context, true, true, error);
    }

    private Settlement settled(TaskContext context, boolean retried, boolean timedOut, String error) {
        Lease lease = context.claimed().lease();
        int failures = context.failures() + 1;
        RetryPolicy policy = retry(context.task());
        return retried && policy.allowsAfter(failures)
                ? new Settlement.Retry(lease, policy.delayAfter(failures, random), error)
                : new Settlement.Fail(lease, timedOut, error);
    }

    /** Returns the settlement of a task with too many vanished attempts: it fails, because it may kill its workers. */
    static Settlement buried(Lease lease, int vanished) {
        return new Settlement.Fail(
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

    TypeRef<?> outputType(Task task) {
        return handlers.of(task.type()).type().output();
    }

    private RetryPolicy retry(Task task) {
        RetryPolicy own = task.options().retry();
        return own != null ? own : handlers.of(task.type()).type().retry();
    }

    /**
     * Encodes a result.
     *
     * @throws PermanentFailure if it cannot be stored: the handler has done its work, and would do it again in vain
     */
    static @Nullable String encoded(Codec codec, @Nullable Object output, @Nullable TypeRef<?> type) {
        if (output == null) {
            return null;
        }
        try {
            String json = type == null ? codec.encode(output) : codec.encode(output, type);
            Json.parse(json);
            return json;
        } catch (InvalidInput e) {
            throw new PermanentFailure("The handler returned a result that cannot be stored: " + e.getMessage(), e);
        }
    }
}
