package dev.semel.engine;

import dev.semel.task.Limits;
import java.time.Duration;

/**
 * The settings of the background cleaning: how often it runs, and how long finished work is kept.
 *
 * @param interval how often to clean; zero for no background cleaning
 * @param retention how long a finished task's data is kept in queues without a retention of their own; must not be
 *     zero, which only a queue can set
 * @param deadLetterRetention how long dead letters are kept, in every queue
 * @param workflowRetention how long a finished workflow's history is kept
 */
public record Cleaning(
        Duration interval, Duration retention, Duration deadLetterRetention, Duration workflowRetention) {

    /** The default: clean every hour, keep tasks for 7 days, dead letters and workflows for 30 days. */
    public static final Cleaning STANDARD =
            new Cleaning(Duration.ofHours(1), Duration.ofDays(7), Duration.ofDays(30), Duration.ofDays(30));

    /** Validates the settings. */
    public Cleaning {
        if (!Limits.notNull("cleaning interval", interval).isZero()) {
            Limits.positive("cleaning interval", interval);
        }
        Limits.positive("retention", retention);
        Limits.positive("retention of dead letters", deadLetterRetention);
        Limits.positive("retention of workflows", workflowRetention);
    }

    /**
     * Returns these settings with another interval.
     *
     * @param newInterval how often to clean; zero for no background cleaning
     * @return new settings
     */
    public Cleaning withInterval(Duration newInterval) {
        return new Cleaning(newInterval, retention, deadLetterRetention, workflowRetention);
    }

    /**
     * Returns these settings with another retention of finished tasks.
     *
     * @param newRetention how long a finished task's data is kept
     * @return new settings
     */
    public Cleaning withRetention(Duration newRetention) {
        return new Cleaning(interval, newRetention, deadLetterRetention, workflowRetention);
    }

    /**
     * Returns these settings with another retention of dead letters.
     *
     * @param newRetention how long dead letters are kept
     * @return new settings
     */
    public Cleaning withDeadLetterRetention(Duration newRetention) {
        return new Cleaning(interval, retention, newRetention, workflowRetention);
    }

    /**
     * Returns these settings with another retention of workflows.
     *
     * @param newRetention how long a finished workflow's history is kept
     * @return new settings
     */
    public Cleaning withWorkflowRetention(Duration newRetention) {
        return new Cleaning(interval, retention, deadLetterRetention, newRetention);
    }
}
