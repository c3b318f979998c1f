package dev.semel.engine;

import dev.semel.guard.Guard;
import dev.semel.guard.InProgress;
import dev.semel.guard.KeyExtractor;
import dev.semel.guard.Outcome;
import dev.semel.guard.OutcomeNotRecorded;
import dev.semel.task.InvalidInput;
import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A handler behind a guard. A task whose business key has already been handled skips the handler and completes with the
 * stored result, whether it is the same task again or one that was submitted under another key.
 */
final class GuardedTask<I, O extends @Nullable Object> implements Handler<I, O> {

    private static final SafeLogger LOG = SafeLogger.of(GuardedTask.class);

    // The other run may end long before its lease expires. So the task checks again this often, without a failure.
    private static final Duration LONGEST_SNOOZE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_SNOOZE = Duration.ofMillis(10);

    private final TaskType<I, O> type;
    private final Class<O> output;
    private final Guard guard;
    private final KeyExtractor<? super I> key;
    private final Handler<I, O> handler;

    @SuppressWarnings("unchecked") // the class of the output, as was checked
    GuardedTask(TaskType<I, O> type, Guard guard, KeyExtractor<? super I> key, Handler<I, O> handler) {
        if (guard == null || key == null || handler == null) {
            throw new InvalidInput("A guarded handler of task type \"" + type.name()
                    + "\" needs a guard, a key extractor and a handler, but got null.");
        }
        if (!type.output().isClass()) {
            throw new InvalidInput("The result of a guarded handler is of a plain class, but task type \"" + type.name()
                    + "\" has the output \"" + type.output() + "\". Put it into a record.");
        }
        this.output = (Class<O>) type.output().rawClass();
        this.type = type;
        this.guard = guard;
        this.key = key;
        this.handler = handler;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // the guard returns what the handler returned
    public O handle(TaskContext context, I input) throws Exception {
        AtomicBoolean began = new AtomicBoolean();
        AtomicBoolean returned = new AtomicBoolean();
        try {
            Outcome<O> outcome = guard.call(key, input)
                    .tenant(context.tenant())
                    .type(type.name())
                    .outcome(output, token -> {
                        began.set(true);
                        O made = handler.handle(context, input);
                        returned.set(true);
                        return made;
                    });
            return switch (outcome) {
                case Outcome.Ran<O>(O result) -> result;
                case Outcome.Repeated<O>(O result, var finishedAt) -> result;
                case Outcome.Unguarded<O>(O result) -> result;
                // To complete the task now would store no result, and the other run may still fail.
                case Outcome.Skipped<O>(Duration remaining) -> throw context.snooze(bounded(remaining));
            };
        } catch (StoreUnavailable e) {
            // The handler did not run, so no failure is counted.
            if (began.get()) {
                throw e;
            }
            throw context.snooze(LONGEST_SNOOZE);
        } catch (InProgress e) {
            // An exception of another guard, which the handler itself called, is a failure of the handler.
            if (began.get()) {
                throw e;
            }
            throw context.snooze(bounded(e.retryAfter()));
        } catch (OutcomeNotRecorded e) {
            if (!returned.get()) {
                throw e;
            }
            // The handler has run, and the task's completion is a record as well.
            LOG.warn("Guard could not record an outcome, the task completes anyway: task={}", context.taskId(), e);
            return (O) e.result();
        }
    }

    private static Duration bounded(Duration delay) {
        Duration least = delay.compareTo(SHORTEST_SNOOZE) < 0 ? SHORTEST_SNOOZE : delay;
        return least.compareTo(LONGEST_SNOOZE) > 0 ? LONGEST_SNOOZE : least;
    }
}
