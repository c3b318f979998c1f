package dev.semel.redis;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How a {@link RedisGuardStore} behaves.
 *
 * @param prefix what the names of all its entries begin with: one or more parts, each of which begins with a letter, goes on
 *     with letters, digits or any of {@code _ - . /} and ends with a colon. After it comes a digit, so no prefix can be
 *     mistaken for the beginning of an entry under another one
 * @param connections the most connections at the same time; only for stores that open their own client
 * @param timeout how long to wait for a connection and for an answer; only for stores that open their own client
 */
public record RedisGuardSettings(String prefix, int connections, Duration timeout) {

    /** The most connections. */
    public static final int MAX_CONNECTIONS = 1_000;

    private static final int MAX_PREFIX = 100;
    private static final Pattern PREFIX = Pattern.compile("([A-Za-z][A-Za-z0-9_./-]*:)+");

    /** Checks each setting. */
    public RedisGuardSettings {
        if (prefix == null
                || prefix.length() > MAX_PREFIX
                || !PREFIX.matcher(prefix).matches()) {
            throw new InvalidInput(
                    "A prefix has at most " + MAX_PREFIX + " characters in parts such as \"idempotency:\" or"
                            + " \"shop:orders:\", each a letter, then letters, digits or any of _ - . / and then a colon, but got \""
                            + (prefix == null ? "null" : Limits.shown(prefix)) + "\".");
        }
        if (connections < 1 || connections > MAX_CONNECTIONS) {
            throw new InvalidInput("A Redis guard store has 1 to " + MAX_CONNECTIONS + " connections, but got \""
                    + connections + "\".");
        }
        if (timeout == null || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new InvalidInput("A timeout is between a millisecond and an hour, but got \"" + timeout + "\".");
        }
        Limits.positive("timeout", timeout);
    }

    /**
     * The prefix {@code idempotency:}, 64 connections, 2 s.
     *
     * @return the settings
     */
    public static RedisGuardSettings standard() {
        return new RedisGuardSettings("idempotency:", 64, Duration.ofSeconds(2));
    }

    /**
     * These settings with another prefix.
     *
     * @param newPrefix the prefix
     * @return new settings
     */
    public RedisGuardSettings withPrefix(String newPrefix) {
        return new RedisGuardSettings(newPrefix, connections, timeout);
    }

    /**
     * These settings with another number of connections.
     *
     * @param number the most at the same time
     * @return new settings
     */
    public RedisGuardSettings withConnections(int number) {
        return new RedisGuardSettings(prefix, number, timeout);
    }

    /**
     * These settings with another timeout.
     *
     * @param newTimeout how long to wait
     * @return new settings
     */
    public RedisGuardSettings withTimeout(Duration newTimeout) {
        return new RedisGuardSettings(prefix, connections, newTimeout);
    }
}
