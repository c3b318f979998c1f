package dev.semel.benchmarks.objects;

import dev.semel.s3.objects.InMemoryObjects;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.PutAnswer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * An object service in virtual time: every request takes its time, is applied in the middle of it, and is counted. One thread
 * plays all processes, so a run depends on nothing but its parameters.
 */
final class VirtualService {

    /** The kinds of requests. */
    enum Kind {
        PUT(50, 5.0),
        GET(20, 0.4),
        LIST(60, 5.0),
        DELETE(20, 0.0);

        private final int millis;
        private final double dollarsPerMillion;

        Kind(int millis, double dollarsPerMillion) {
            this.millis = millis;
            this.dollarsPerMillion = dollarsPerMillion;
        }
    }

    private record Event(long at, long order, Runnable what) {}

    private final InMemoryObjects objects = new InMemoryObjects(InstantSource.fixed(Instant.EPOCH));
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final RandomGenerator random = new SplittableRandom(1);
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private long now;
    private long order;

    /** Does something later. */
    void after(long millis, Runnable what) {
        events.add(new Event(now + millis, order++, what));
    }

    /** Plays until nothing is left to do. */
    void play() {
        for (Event next = events.poll(); next != null; next = events.poll()) {
            now = next.at();
            next.what().run();
        }
    }

    long now() {
        return now;
    }

    RandomGenerator random() {
        return random;
    }

    /** Creates an object if it is absent; the answer is whether it was. */
    void put(String name, Consumer<Boolean> answer) {
        request(Kind.PUT, () -> {
            boolean created = objects.put(name, new byte[0], Mark.next(random)).outcome() == PutAnswer.Outcome.CREATED;
            return () -> answer.accept(created);
        });
    }

    void get(String name, Runnable answer) {
        request(Kind.GET, () -> answer);
    }

    void list(String prefix, int limit, Consumer<Listing> answer) {
        request(Kind.LIST, () -> {
            Listing listing = objects.list(prefix, "", limit);
            return () -> answer.accept(listing);
        });
    }

    void delete(String name, Runnable answer) {
        request(Kind.DELETE, () -> {
            objects.delete(name);
            return answer;
        });
    }

    private interface Applied {
        Runnable apply();
    }

    private void request(Kind kind, Applied request) {
        counts.merge(kind, 1L, Long::sum);
        // A tenth of jitter, so that processes do not march in step.
        int before = kind.millis / 2 + random.nextInt(kind.millis / 10 + 1);
        after(before, () -> {
            Runnable answer = request.apply();
            after(kind.millis - kind.millis / 2, answer);
        });
    }

    long requests() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    long requests(Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    double dollars() {
        return counts.entrySet().stream()
                .mapToDouble(each -> each.getValue() * each.getKey().dollarsPerMillion / 1_000_000)
                .sum();
    }
}
