package dev.semel.task;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * How often a task may fail and how long it waits in between.
 *
 * @param maxAttempts how many attempts may fail before the task is a dead letter; snoozes and shutdowns do not count
 * @param backoff how long to wait before the next attempt
 */
public record RetryPolicy(int maxAttempts, Backoff backoff) {

    /** The most attempts that may be asked for. */
    public static final int MOST_ATTEMPTS = 1_000;

    private static final RetryPolicy DEFAULT =
            new RetryPolicy(5, new Backoff.Exponential(Duration.ofSeconds(1), Duration.ofMinutes(10), 2.0, 0.2));

    /** How long to wait after a failure. */
    public sealed interface Backoff {

        /**
         * Waits longer after every failure, up to a cap.
         *
         * @param first the wait after the first failure
         * @param cap the longest wait
         * @param factor by how much each wait is longer than the one before
         * @param jitter the share of the wait, 0 to 1, that is drawn by lot, so that tasks which failed together do not
         *     come back together
         */
        record Exponential(Duration first, Duration cap, double factor, double jitter) implements Backoff {

            /** Checks that the numbers make sense together. */
            public Exponential {
                Limits.duration("first backoff", first);
                Limits.duration("backoff cap", cap);
                if (cap.compareTo(first) < 0) {
                    throw new InvalidInput("The backoff cap is not below the first backoff, but got cap \"" + cap
                            + "\" and first \"" + first + "\".");
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
         * Waits as a list says; the last entry holds for all further failures.
         *
         * @param delays the waits
         */
        record Fixed(List<Duration> delays) implements Backoff {

            /** Checks each wait. */
            public Fixed {
                delays = List.copyOf(delays);
                if (delays.isEmpty() || delays.size() > 100) {
                    throw new InvalidInput("A list of delays has 1 to 100 entries, but got " + delays.size() + ".");
                }
                delays.forEach(delay -> Limits.duration("delay", delay));
            }
        }
    }

    /** Checks the number of attempts. */
    public RetryPolicy {
        if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
            throw new InvalidInput(
                    "The maximum of attempts is 1 to " + MOST_ATTEMPTS + ", but got \"" + maxAttempts + "\".");
        }
    }

    /**
     * The default: five attempts, waiting 1 s, 2 s, 4 s and 8 s, each up to a fifth shorter by lot.
     *
     * @return the policy
     */
    public static RetryPolicy standard() {
        return DEFAULT;
    }

    /**
     * The standard waits with another number of attempts.
     *
     * @param maxAttempts how many attempts may fail
     * @return the policy
     */
    public static RetryPolicy attempts(int maxAttempts) {
        return new RetryPolicy(maxAttempts, DEFAULT.backoff);
    }

    /**
     * A fixed list of delays: one attempt more than there are delays.
     *
     * @param delays the waits between attempts
     * @return the policy
     */
    public static RetryPolicy delays(Duration... delays) {
        return new RetryPolicy(delays.length + 1, new Backoff.Fixed(List.of(delays)));
    }

    /**
     * Tells whether the budget allows another attempt.
     *
     * @param failures how many attempts have failed by now
     * @return whether there is one left
     */
    public boolean allowsAfter(int failures) {
        return failures < maxAttempts;
    }

    /**
     * How long to wait before the next attempt.
     *
     * @param failures how many attempts have failed by now, at least 1
     * @param random draws the jitter
     * @return the wait
     */
    public Duration delayAfter(int failures, RandomGenerator random) {
        return switch (backoff) {
            case Backoff.Fixed(List<Duration> delays) -> delays.get(Math.min(failures, delays.size()) - 1);
            case Backoff.Exponential(Duration first, Duration cap, double factor, double jitter) -> {
                double longest = Math.min((double) cap.toMillis(), first.toMillis() * Math.pow(factor, failures - 1));
                yield Duration.ofMillis((long) (longest * (1.0 - jitter * random.nextDouble())));
            }
        };
    }

    /**
     * This policy in one line, as a store keeps it with a task.
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
     * Reads what {@link #text} wrote.
     *
     * @param text the line
     * @return the policy
     * @throws InvalidInput if the line has another form
     */
    public static RetryPolicy parse(String text) {
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
            // answered below
        }
        throw new InvalidInput("A retry policy reads \"5 exponential 1s 10m 2.0 0.2\" or \"3 fixed 1s 5s\", but got \""
                + Limits.shown(text) + "\".");
    }
}
