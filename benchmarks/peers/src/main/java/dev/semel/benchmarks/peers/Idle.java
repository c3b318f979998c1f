package dev.semel.benchmarks.peers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The time from the call of submit to the first line of the handler in the same process, on an idle store: in
 * milliseconds, as p50 and p99.
 */
final class Idle {

    static final String ID = "idle";
    static final String SECTION = "Idle";
    static final String TAIL = "p99, ms";

    // A pause between samples, so that each finds the worker idle; random, so that none falls in step with a timer.
    private static final long SHORTEST_PAUSE = 8_000_000;
    private static final long LONGEST_PAUSE = 20_000_000;

    // A contestant that polls less often than this is not sampled one by one, because that would take too long.
    private static final Duration SELDOM = Duration.ofMillis(500);

    // For such a contestant, this many tasks arrive between two polls.
    private static final int BETWEEN_LOOKS = 10;

    private static final long LIMIT_SECONDS = 30;

    private final Server server;
    private final Scale scale;
    private final List<Contestant> contestants;

    Idle(Server server, Scale scale, List<Contestant> contestants) {
        this.server = server;
        this.scale = scale;
        this.contestants = contestants;
    }

    /**
     * Takes the figures. Each contestant is opened once and stays open for all its turns, because one that has just
     * started is not idle.
     */
    Figures take() {
        Figures.Collector collector = new Figures.Collector();
        Map<String, Integer> tasks = new LinkedHashMap<>();
        for (Contestant contestant : contestants) {
            boolean seldom = contestant.looksEvery().compareTo(SELDOM) > 0;
            int pings = seldom ? scale.looks() * BETWEEN_LOOKS : scale.pings();
            tasks.put(contestant.name(), pings);
            try (Place place = server.fresh(contestant.name(), contestant::makeTables)) {
                Pings handler = new Pings((scale.repeats() + 1) * pings);
                try (Session session = contestant.open(place, handler)) {
                    server.settle();
                    session.work();
                    for (int turn = 0; turn <= scale.repeats(); turn++) {
                        // The first turn is a warm-up for the JIT compiler.
                        int count = turn > 0 ? pings : seldom ? BETWEEN_LOOKS : pings / 2;
                        List<Double> millis = seldom
                                ? scattered(session, handler, turn * pings, count, contestant.looksEvery())
                                : oneByOne(session, handler, turn * pings, count);
                        if (turn > 0) {
                            collector.add(contestant.name(), millis.get(millis.size() / 2));
                            collector.detail(TAIL, contestant.name(), millis.get(millis.size() * 99 / 100));
                        }
                    }
                }
            }
        }
        return new Figures(
                ID,
                SECTION,
                "idle submit → start, one process",
                "ms (p50)",
                false,
                collector.series(),
                tasks,
                collector.details());
    }

    /** Records when each task began. */
    private static final class Pings implements Handler {

        private final AtomicLongArray sentAt;
        private final AtomicLongArray nanos;
        private final LinkedBlockingQueue<Integer> begun = new LinkedBlockingQueue<>();

        Pings(int tasks) {
            sentAt = new AtomicLongArray(tasks);
            nanos = new AtomicLongArray(tasks);
        }

        @Override
        public @Nullable String run(int number, String filler) {
            nanos.set(number, System.nanoTime() - sentAt.get(number));
            begun.add(number);
            return null;
        }

        void send(Session session, int number) {
            sentAt.set(number, System.nanoTime());
            session.submitHere(Piece.of(number, true));
        }

        void await() {
            try {
                if (begun.poll(LIMIT_SECONDS, TimeUnit.SECONDS) == null) {
                    throw new IllegalStateException("A task did not start within " + LIMIT_SECONDS + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while measuring", e);
            }
        }

        List<Double> sorted(int from, int count) {
            if (!begun.isEmpty()) {
                throw new IllegalStateException("A task was started twice, so the figure is not valid");
            }
            List<Double> millis = new ArrayList<>(count);
            for (int number = from; number < from + count; number++) {
                millis.add(nanos.get(number) / 1e6);
            }
            millis.sort(null);
            return millis;
        }
    }

    private static List<Double> oneByOne(Session session, Pings pings, int from, int count) {
        Random random = new Random(from);
        for (int number = from; number < from + count; number++) {
            LockSupport.parkNanos(random.nextLong(SHORTEST_PAUSE, LONGEST_PAUSE));
            pings.send(session, number);
            pings.await();
        }
        return pings.sorted(from, count);
    }

    /** Samples at moments that are independent of the worker's polls. */
    private static List<Double> scattered(Session session, Pings pings, int from, int count, Duration every) {
        Random random = new Random(from);
        long longest = 2 * every.toNanos() / BETWEEN_LOOKS;
        for (int number = from; number < from + count; number++) {
            LockSupport.parkNanos(random.nextLong(longest));
            pings.send(session, number);
        }
        for (int i = 0; i < count; i++) {
            pings.await();
        }
        return pings.sorted(from, count);
    }
}
