package dev.semel;

import dev.semel.observe.Observer;
import dev.semel.observe.SubmitResult;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.CheckObserver;
import dev.semel.task.CheckResult;
import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reports the answer to each submission to an observer, and the answer to each submission with a key, with the time that
 * the store took for its batch, to an observer of checks.
 */
final class ObservedSubmitter implements Function<List<NewTask>, List<Submitted>> {

    private static final SafeLogger LOG = SafeLogger.of(ObservedSubmitter.class);

    private final Function<List<NewTask>, List<Submitted>> store;
    private final CheckObserver checks;
    private final Observer observer;

    private ObservedSubmitter(Function<List<NewTask>, List<Submitted>> store, CheckObserver checks, Observer observer) {
        this.store = store;
        this.checks = checks;
        this.observer = observer;
    }

    static Function<List<NewTask>, List<Submitted>> of(
            Function<List<NewTask>, List<Submitted>> store, CheckObserver checks, Observer observer) {
        return checks.equals(CheckObserver.NONE) && observer.equals(Observer.NONE)
                ? store
                : new ObservedSubmitter(store, checks, observer);
    }

    @Override
    public List<Submitted> apply(List<NewTask> batch) {
        long began = System.nanoTime();
        try {
            List<Submitted> answers = store.apply(batch);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            for (int i = 0; i < answers.size(); i++) {
                observe(batch.get(i), result(answers.get(i)), took);
            }
            return answers;
        } catch (RuntimeException e) {
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            batch.forEach(task -> observe(task, SubmitResult.ERROR, took));
            throw e;
        }
    }

    /** Returns the result to report for an answer; null if the submission will be sent again. */
    private static @Nullable SubmitResult result(Submitted answer) {
        return switch (answer) {
            case Submitted.Created created -> SubmitResult.NEW;
            case Submitted.Returned returned -> SubmitResult.DUPLICATE;
            case Submitted.Rejected rejected -> SubmitResult.REJECTED;
            case Submitted.Conflicted conflicted -> SubmitResult.CONFLICT;
            case Submitted.Busy busy -> null;
            case Submitted.Cancellation cancellation -> null;
            case Submitted.Signalled signalled -> null;
        };
    }

    private static CheckResult check(SubmitResult result) {
        return switch (result) {
            case NEW -> CheckResult.NEW;
            case DUPLICATE, REJECTED -> CheckResult.DUPLICATE;
            case CONFLICT -> CheckResult.CONFLICT;
            case ERROR -> CheckResult.ERROR;
        };
    }

    private void observe(NewTask task, @Nullable SubmitResult result, Duration took) {
        if (result == null) {
            return;
        }
        observer.submitted(task.queue(), task.type(), result);
        if (task.key() == null) {
            return;
        }
        observer.checked(check(result), took);
        try {
            checks.checked(check(result), took);
        } catch (Throwable e) {
            // Errors are caught as well: the batch contains submissions of other callers.
            LOG.warn("Observer of idempotency checks failed", e);
        }
    }
}
