package dev.semel.testkit;

import dev.semel.testkit.Rehearsal.Ending;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The end of one run of a {@link HandlerTrial}.
 *
 * @param ending what became of the task
 * @param seen what was observed, by its name
 */
record TrialEnd(Ending ending, Map<String, @Nullable Object> seen) {}
