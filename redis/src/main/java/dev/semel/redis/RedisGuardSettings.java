package dev.semel.redis;

import dev.semel.task.Durations;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * The settings of a {@link RedisGuardStore}.
 *
 * @param prefix the prefix of the names of all entries: one or more parts, each of which starts with a letter,
 *     continues with letters, digits or any of {@code _ - . /} and ends with a colon. A digit follows it, so no prefix
 *     can be mistaken for the start of an entry with another prefix
 * @param connections the maximum number of connections; only for stores that open their own client
 * @param timeout how long to wait for a connection and for an answer; only for stores that open their own client
 */
public record RedisGuardSettings(String prefix, int connections, Duration timeout) {

    /** The maximum value of {@link #connections}. */
    public static final int MAX_CONNECTIONS = 1_000;

    private static final int MAX_PREFIX = 100;
    private static final Pattern PREFIX = Pattern.compile("([A-Za-z][A-Za-z0-9_./-]*:)+");

    /** Checks each setting. */
    public RedisGuardSettings {
        if (prefix == null
                || prefix.length() > MAX_PREFIX
                || !PREFIX.matcher(prefix).matches()) {
            throw new InvalidInput(
                    "A prefix has at most " + MAX_PREFIX + " characters and consists of parts, as in \"idempotency:\""
                            + " or \"shop:orders:\". Each part is a letter, then letters, digits or any of _ - . / and"
                            + " then a colon. But got \""
                            + (prefix == null ? "null" : Limits.shown(prefix)) + "\".");
        }
        if (connections < 1 || connections > MAX_CONNECTIONS) {
            throw new InvalidInput("A Redis guard store has 1 to " + MAX_CONNECTIONS + " connections, but got \""
                    + connections + "\".");
        }
        if (timeout == null || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new InvalidInput("A timeout is between a millisecond and an hour, but got \""
                    + (timeout == null ? "null" : Durations.shown(timeout)) + "\".");
        }
        Limits.positive("timeout", timeout);
    }

    /**
     * Returns the default settings: the prefix {@code idempotency:}, 64 connections, a timeout of 2 s.
     *
     * @return the settings
     */
    public static RedisGuardSettings standard() {
        return new RedisGuardSettings("idempotency:", 64, Duration.ofSeconds(2));
    }

    /**
     * Returns these settings with another prefix.
     *
     * @param newPrefix the prefix
     * @return new settings
     */
    public RedisGuardSettings withPrefix(String newPrefix) {
        return new RedisGuardSettings(newPrefix, connections, timeout);
    }

    /**
     * Returns these settings with another number of connections.
     *
     * @param number the maximum number of connections
     * @return new settings
     */
    public RedisGuardSettings withConnections(int number) {
        return new RedisGuardSettings(prefix, number, timeout);
    }

    /**
     * Returns these settings with another timeout.
     *
     * @param newTimeout how long to wait
     * @return new settings
     */
    public RedisGuardSettings withTimeout(Duration newTimeout) {
        return new RedisGuardSettings(prefix, connections, newTimeout);
    }
}
