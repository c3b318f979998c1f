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
 * A handler behind a guard: a task that is delivered again, or submitted again under another key, skips the effect and
 * completes with the stored result if its business key is the same.
 */
final class GuardedTask<I, O extends @Nullable Object> implements Handler<I, O> {

    private static final SafeLogger LOG = SafeLogger.of(GuardedTask.class);

    // The other one may end long before its lease; so a task looks again this often, at no cost to its budget.
    private static final Duration LONGEST_SNOOZE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_SNOOZE = Duration.ofMillis(10);

    private final TaskType<I, O> type;
    private final Guard guard;
    private final KeyExtractor<? super I> key;
    private final Handler<I, O> handler;

    GuardedTask(TaskType<I, O> type, Guard guard, KeyExtractor<? super I> key, Handler<I, O> handler) {
        if (guard == null || key == null || handler == null) {
            throw new InvalidInput("A guarded handler of task type \"" + type.name()
                    + "\" needs a guard, a key extractor and a handler, but got null.");
        }
        this.type = type;
        this.guard = guard;
        this.key = key;
        this.handler = handler;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // what the guard hands back is what the handler returned
    public O handle(TaskContext context, I input) throws Exception {
        AtomicBoolean began = new AtomicBoolean();
        AtomicBoolean returned = new AtomicBoolean();
        try {
            Outcome<O> outcome = guard.call(key, input)
                    .tenant(context.tenant())
                    .type(type.name())
                    .outcome(type.output(), token -> {
                        began.set(true);
                        O output = handler.handle(context, input);
                        returned.set(true);
                        return output;
                    });
            return switch (outcome) {
                case Outcome.Ran<O>(O result) -> result;
                case Outcome.Repeated<O>(O result, var finishedAt) -> result;
                case Outcome.Unguarded<O>(O result) -> result;
                // A guard that skips would complete the task with nothing, and the other run may yet fail.
                case Outcome.Skipped<O>(Duration remaining) -> throw context.snooze(bounded(remaining));
            };
        } catch (StoreUnavailable e) {
            // The effect was not run, so this is nothing that the task's budget should pay for.
            if (began.get()) {
                throw e;
            }
            throw context.snooze(LONGEST_SNOOZE);
        } catch (InProgress e) {
            // Unless it is the handler's own, of some other guard.
            if (began.get()) {
                throw e;
            }
            throw context.snooze(bounded(e.retryAfter()));
        } catch (OutcomeNotRecorded e) {
            if (!returned.get()) {
                throw e;
            }
            // The effect has happened, and the task's completion is a record as well.
            LOG.warn("Task {} completes although its guard could not record it", context.taskId(), e);
            return (O) e.result();
        }
    }

    private static Duration bounded(Duration wish) {
        Duration least = wish.compareTo(SHORTEST_SNOOZE) < 0 ? SHORTEST_SNOOZE : wish;
        return least.compareTo(LONGEST_SNOOZE) > 0 ? LONGEST_SNOOZE : least;
    }
}
