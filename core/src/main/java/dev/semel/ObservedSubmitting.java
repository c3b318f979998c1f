package dev.semel;

import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.Submitting;
import dev.semel.task.CheckObserver;
import dev.semel.task.CheckResult;
import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells an observer what became of each submission with a key, and how long the store took for the batch it was in. */
final class ObservedSubmitting implements Submitting {

    private static final SafeLogger LOG = SafeLogger.of(ObservedSubmitting.class);

    private final Submitting store;
    private final CheckObserver observer;

    private ObservedSubmitting(Submitting store, CheckObserver observer) {
        this.store = store;
        this.observer = observer;
    }

    static Submitting of(Submitting store, CheckObserver observer) {
        return observer.equals(CheckObserver.NONE) ? store : new ObservedSubmitting(store, observer);
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        long began = System.nanoTime();
        try {
            List<Submitted> answers = store.submit(batch);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            for (int i = 0; i < answers.size(); i++) {
                observe(batch.get(i), result(answers.get(i)), took);
            }
            return answers;
        } catch (RuntimeException e) {
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            batch.forEach(task -> observe(task, CheckResult.ERROR, took));
            throw e;
        }
    }

    /** What an answer counts as; null if there is none yet, because the item will be sent again. */
    private static @Nullable CheckResult result(Submitted answer) {
        return switch (answer) {
            case Submitted.Created created -> CheckResult.NEW;
            case Submitted.Returned returned -> CheckResult.DUPLICATE;
            case Submitted.Rejected rejected -> CheckResult.DUPLICATE;
            case Submitted.Conflicted conflicted -> CheckResult.CONFLICT;
            case Submitted.Busy busy -> null;
        };
    }

    private void observe(NewTask task, @Nullable CheckResult result, Duration took) {
        if (result == null || task.key() == null) {
            return;
        }
        try {
            observer.checked(result, took);
        } catch (Throwable e) {
            // Also an error: the batch has other callers' submissions in it.
            LOG.warn("The observer of idempotency checks failed", e);
        }
    }
}
