package dev.semel.task;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * The maximum number of failed attempts of a task, and the backoff between attempts.
 *
 * @param maxAttempts the number of failed attempts after which the task becomes a dead letter; snoozes and shutdowns do
 *     not count
 * @param backoff the wait before the next attempt
 */
public record RetryPolicy(int maxAttempts, Backoff backoff) {

    /** The upper limit of {@code maxAttempts}. */
    public static final int MOST_ATTEMPTS = 1_000;

    private static final RetryPolicy DEFAULT =
            new RetryPolicy(5, new Backoff.Exponential(Duration.ofSeconds(1), Duration.ofMinutes(10), 2.0, 0.2));

    /** The wait after a failure. */
    public sealed interface Backoff {

        /**
         * Waits longer after every failure, up to a cap.
         *
         * @param first the wait after the first failure
         * @param cap the longest wait
         * @param factor the factor by which each wait is longer than the one before
         * @param jitter the random share of the wait, 0 to 1, so that tasks that failed together are not retried
         *     together
         */
        record Exponential(Duration first, Duration cap, double factor, double jitter) implements Backoff {

            /** Checks the values and their relations. */
            public Exponential {
                Limits.duration("first backoff", first);
                Limits.duration("backoff cap", cap);
                if (cap.compareTo(first) < 0) {
                    throw new InvalidInput("A backoff cap must not be below the first backoff, but got cap \""
                            + Durations.shown(cap) + "\" and first \"" + Durations.shown(first) + "\".");
                }
                if (!(factor >= 1.0 && factor <= 100.0)) {
                    throw new InvalidInput("A backoff factor is between 1 and 100, but got \"" + factor + "\".");
                }
                if (!(jitter >= 0.0 && jitter <= 1.0)) {
                    throw new InvalidInput("A backoff jitter is between 0 and 1, but got \"" + jitter + "\".");
                }
            }
        }

        /**
         * Waits according to a list; the last entry applies to all further failures.
         *
         * @param delays the waits
         */
        record Fixed(List<Duration> delays) implements Backoff {

            /** Checks each wait. */
            public Fixed {
                Limits.notNull("list of retry delays", delays).forEach(delay -> Limits.duration("delay", delay));
                delays = List.copyOf(delays);
                if (delays.isEmpty() || delays.size() > 100) {
                    throw new InvalidInput(
                            "A list of retry delays has 1 to 100 entries, but got " + delays.size() + ".");
                }
            }
        }
    }

    /** Checks the number of attempts. */
    public RetryPolicy {
        Limits.notNull("backoff", backoff);
        if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
            throw new InvalidInput(
                    "The maximum number of attempts is 1 to " + MOST_ATTEMPTS + ", but got \"" + maxAttempts + "\".");
        }
    }

    /**
     * Returns the default: five attempts with waits of 1 s, 2 s, 4 s and 8 s, each shortened by a random share of up to
     * a fifth.
     *
     * @return the policy
     */
    public static RetryPolicy standard() {
        return DEFAULT;
    }

    /**
     * Returns a policy with the standard backoff and another number of attempts.
     *
     * @param maxAttempts how many attempts may fail
     * @return the policy
     */
    public static RetryPolicy attempts(int maxAttempts) {
        return new RetryPolicy(maxAttempts, DEFAULT.backoff);
    }

    /**
     * Returns a policy with a fixed list of delays and one attempt more than there are delays.
     *
     * @param delays the waits between attempts
     * @return the policy
     */
    public static RetryPolicy delays(Duration... delays) {
        return new RetryPolicy(delays.length + 1, new Backoff.Fixed(Arrays.asList(delays)));
    }

    /**
     * Returns whether the budget allows another attempt.
     *
     * @param failures the number of failed attempts so far
     * @return whether another attempt is allowed
     */
    public boolean allowsAfter(int failures) {
        return failures < maxAttempts;
    }

    /**
     * Returns how long to wait before the next attempt.
     *
     * @param failures the number of failed attempts so far, at least 1
     * @param random the source of randomness for the jitter
     * @return the wait
     */
    public Duration delayAfter(int failures, RandomGenerator random) {
        Limits.notNull("source of randomness", random);
        return switch (backoff) {
            case Backoff.Fixed(List<Duration> delays) -> delays.get(Math.min(failures, delays.size()) - 1);
            case Backoff.Exponential(Duration first, Duration cap, double factor, double jitter) -> {
                double longest = Math.min((double) cap.toMillis(), first.toMillis() * Math.pow(factor, failures - 1));
                yield Duration.ofMillis((long) (longest * (1.0 - jitter * random.nextDouble())));
            }
        };
    }

    /**
     * Returns this policy as one line, the form in which a store keeps it with a task.
     *
     * @return for example {@code 5 exponential 1s 10m 2.0 0.2} or {@code 3 fixed 1s 5s}
     */
    public String text() {
        return switch (backoff) {
            case Backoff.Fixed(List<Duration> delays) ->
                maxAttempts + " fixed " + delays.stream().map(Durations::text).collect(Collectors.joining(" "));
            case Backoff.Exponential(Duration first, Duration cap, double factor, double jitter) ->
                maxAttempts + " exponential " + Durations.text(first) + " " + Durations.text(cap) + " " + factor + " "
                        + jitter;
        };
    }

    /**
     * Reads a policy as {@link #text} writes it.
     *
     * @param text the line
     * @return the policy
     * @throws InvalidInput if the line has another form
     */
    public static RetryPolicy parse(String text) {
        Limits.notNull("text of a retry policy", text);
        try {
            List<String> words = List.of(text.split(" "));
            int attempts = Integer.parseInt(words.get(0));
            if (words.get(1).equals("fixed")) {
                return new RetryPolicy(
                        attempts,
                        new Backoff.Fixed(words.subList(2, words.size()).stream()
                                .map(Durations::parse)
                                .toList()));
            }
            if (words.get(1).equals("exponential") && words.size() == 6) {
                return new RetryPolicy(
                        attempts,
                        new Backoff.Exponential(
                                Durations.parse(words.get(2)),
                                Durations.parse(words.get(3)),
                                Double.parseDouble(words.get(4)),
                                Double.parseDouble(words.get(5))));
            }
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            // reported below
        }
        throw new InvalidInput(
                "A retry policy has the form \"5 exponential 1s 10m 2.0 0.2\" or \"3 fixed 1s 5s\", but got \""
                        + Limits.shown(text) + "\".");
    }
}
