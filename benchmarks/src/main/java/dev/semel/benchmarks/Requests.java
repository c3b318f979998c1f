package dev.semel.benchmarks;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Requests to an object service.
 *
 * @param puts creations, successful or not
 * @param refused creations that were refused, because another process was first
 * @param gets reads
 * @param lists pages of lists
 * @param deletions deletions
 * @param sent bytes of created objects
 * @param received bytes of objects that were read
 */
record Requests(long puts, long refused, long gets, long lists, long deletions, long sent, long received) {

    /** The price of a million PUT and LIST requests, in dollars: the list price of Amazon S3 in most regions. */
    static final double PUT_PRICE = 5;

    /** The price of a million GET requests, in dollars. Deletions are free. */
    static final double GET_PRICE = 0.4;

    static final Requests NONE = new Requests(0, 0, 0, 0, 0, 0, 0);

    static Requests parse(String text) {
        long[] all =
                Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
        return new Requests(all[0], all[1], all[2], all[3], all[4], all[5], all[6]);
    }

    String text() {
        return LongStream.of(puts, refused, gets, lists, deletions, sent, received)
                .mapToObj(Long::toString)
                .collect(Collectors.joining(" "));
    }

    long total() {
        return puts + gets + lists + deletions;
    }

    Requests plus(Requests other) {
        return new Requests(
                puts + other.puts,
                refused + other.refused,
                gets + other.gets,
                lists + other.lists,
                deletions + other.deletions,
                sent + other.sent,
                received + other.received);
    }

    Requests minus(Requests other) {
        return plus(new Requests(
                -other.puts,
                -other.refused,
                -other.gets,
                -other.lists,
                -other.deletions,
                -other.sent,
                -other.received));
    }

    /** The price of a million of what cost these requests so many times, in dollars, at list prices. */
    double pricePerMillion(double times) {
        return (PUT_PRICE * (puts + lists) + GET_PRICE * gets) / times;
    }

    /** Adds what each of a number of tasks cost. */
    void describe(Map<String, Double> details, double tasks) {
        details.put("requests per task", total() / tasks);
        details.put("of these PUT", puts / tasks);
        details.put("refused PUT", refused / tasks);
        details.put("bytes sent per task", sent / tasks);
        details.put("$ per million tasks", pricePerMillion(tasks));
    }
}
