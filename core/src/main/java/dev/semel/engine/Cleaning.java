package dev.semel.engine;

import dev.semel.task.Limits;
import java.time.Duration;

/**
 * When finished tasks and records that answer for nobody go.
 *
 * @param interval how often to clean; zero for never by itself
 * @param retention how long a finished task's data is kept in queues that do not say so; not zero, a queue can say that
 * @param deadLetterRetention how long dead letters are kept, in every queue
 * @param workflowRetention how long a finished workflow's history is kept
 */
public record Cleaning(
        Duration interval, Duration retention, Duration deadLetterRetention, Duration workflowRetention) {

    /** Every hour; tasks are kept 7 days, dead letters and workflows 30. */
    public static final Cleaning STANDARD =
            new Cleaning(Duration.ofHours(1), Duration.ofDays(7), Duration.ofDays(30), Duration.ofDays(30));

    /** Checks each time. */
    public Cleaning {
        if (!interval.isZero()) {
            Limits.positive("cleaning interval", interval);
        }
        Limits.positive("retention", retention);
        Limits.positive("retention of dead letters", deadLetterRetention);
        Limits.positive("retention of workflows", workflowRetention);
    }
}
