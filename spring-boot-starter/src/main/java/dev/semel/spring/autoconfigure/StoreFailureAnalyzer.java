package dev.semel.spring.autoconfigure;

import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why the store could not be opened, instead of a stack trace. */
final class StoreFailureAnalyzer extends AbstractFailureAnalyzer<SemelException> {

    @Override
    @SuppressWarnings("NullAway") // null is how an analyzer leaves a failure to others
    protected @Nullable FailureAnalysis analyze(Throwable root, SemelException cause) {
        return switch (cause) {
            case StoreUnusable unusable ->
                new FailureAnalysis(
                        unusable.getMessage(), "Fix the store, or set semel.store to another place.", unusable);
            case StoreUnavailable unavailable ->
                new FailureAnalysis(
                        unavailable.getMessage(), "Start the store, then start the application again.", unavailable);
            default -> null;
        };
    }
}
