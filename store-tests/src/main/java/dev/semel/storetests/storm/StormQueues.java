package dev.semel.storetests.storm;

import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.storetests.storm.StormWeather.Condition;
import dev.semel.task.RateLimit;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a storm and their settings, which stay as they are for a round.
 *
 * @param deadLetterQueues from a queue to the one that receives its dead letters
 * @param hasBare whether the tasks of {@link #BARE} lose their data when they are completed or cancelled
 * @param bareRetention how long after its end a sweep may remove a task without data
 */
record StormQueues(Map<String, String> deadLetterQueues, boolean hasBare, Duration bareRetention) {

    static final String WORK = "work";
    static final String IDLE = "idle";
    static final String NARROW = "narrow";
    static final String SLOW = "slow";
    static final String BARE = "bare";
    static final String FLOWS = "flows";
    static final String NARROW_FLOWS = "narrow-flows";
    static final String LETTERS = "letters";
    static final String LAST_LETTERS = "last-letters";
    static final Map<String, Integer> CONCURRENCIES = Map.of(NARROW, 2, NARROW_FLOWS, 2);

    /** Queues without settings that a model has to know. */
    static final StormQueues PLAIN = new StormQueues(Map.of(), false, IdentityModel.RETENTION);

    static StormQueues of(StormWeather weather) {
        return new StormQueues(
                weather.has(Condition.DEAD_LETTERS)
                        ? Map.of(WORK, LETTERS, NARROW, LETTERS, IDLE, LETTERS, BARE, LETTERS, LETTERS, LAST_LETTERS)
                        : Map.of(),
                weather.has(Condition.BARE_QUEUE),
                // A call that is sent again must find its task, or it makes another one. Two tasks of one id are told
                // apart
                // by their time of creation, so the second is made a millisecond later at the earliest.
                weather.isCalm() ? Duration.ofMillis(1) : IdentityModel.RETENTION);
    }

    /** The operations that declare the queues. */
    List<Operation> declarations() {
        List<Operation> settings = new ArrayList<>();
        for (String queue : List.of(WORK, IDLE, NARROW, SLOW, BARE, NARROW_FLOWS, LETTERS)) {
            QueueSettings.Builder builder = QueueSettings.builder();
            if (CONCURRENCIES.containsKey(queue)) {
                builder.concurrency(CONCURRENCIES.get(queue));
            }
            if (queue.equals(SLOW)) {
                builder.rateLimit(RateLimit.parse("200/sec"));
            }
            if (hasBare && queue.equals(BARE)) {
                builder.retention(Duration.ZERO);
            }
            String deadLetterQueue = deadLetterQueues.get(queue);
            if (deadLetterQueue != null) {
                builder.deadLetterQueue(deadLetterQueue);
            }
            settings.add(new Operation.DeclareQueue(queue, builder.build()));
        }
        return settings;
    }

    /** How long a sweep keeps tasks, in queues that differ. */
    Map<String, Duration> retentions() {
        return hasBare ? Map.of(BARE, bareRetention) : Map.of();
    }

    /** The queue that receives the dead letters of another, or null. */
    @Nullable
    String deadLettersTo(String queue) {
        return deadLetterQueues.get(queue);
    }

    /** Whether a task in a state has lost its input and its result. */
    boolean isBare(String queue, TaskState state) {
        return hasBare && queue.equals(BARE) && !state.isOpen() && !state.isDead();
    }
}
