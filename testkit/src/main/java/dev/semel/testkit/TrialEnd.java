package dev.semel.testkit;

import dev.semel.testkit.Rehearsal.Ending;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The end of one run of a {@link HandlerTrial}.
 *
 * @param ending the outcome of the rehearsal
 * @param seen the observed values, by name
 */
record TrialEnd(Ending ending, Map<String, @Nullable Object> seen) {}
