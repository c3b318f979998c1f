package dev.semel.spring.autoconfigure;

import dev.semel.spring.SetUpFailure;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what is wrong with handlers, guarded methods or settings, and what to do, instead of a stack trace. */
final class SetUpFailureAnalyzer extends AbstractFailureAnalyzer<SetUpFailure> {

    @Override
    protected FailureAnalysis analyze(Throwable root, SetUpFailure cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
