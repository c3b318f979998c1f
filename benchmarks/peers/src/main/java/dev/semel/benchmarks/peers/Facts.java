package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Callers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observations of what a contestant does with a second submission with the same key: while the first task is pending,
 * while it runs, after it has completed, with different input, and in a race.
 */
final class Facts {

    static final String ID = "facts";
    static final String RACE = "race";

    private static final int THREADS = 32;
    private static final String FIRST = "the first";
    private static final String OTHER = "another";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    // Task numbers, which are also the keys.
    private static final int PENDING = 0;
    private static final int RUNNING = 1;
    private static final int OTHER_PENDING = 2;
    private static final int MARKERS = 100;

    /**
     * The behaviour of one contestant in one case.
     *
     * @param question the case
     * @param contestant the contestant
     * @param answer the observed behaviour
     */
    record Fact(String question, String contestant, String answer) {}

    private final Server server;
    private final Scale scale;

    Facts(Server server, Scale scale) {
        this.server = server;
        this.scale = scale;
    }

    /** Records what ran with which input; tasks that are to be observed while running wait until they are released. */
    private static final class Watch implements Handler {

        private final Map<Integer, List<String>> ran = new ConcurrentHashMap<>();
        private final LinkedBlockingQueue<Integer> begun = new LinkedBlockingQueue<>();
        private final CountDownLatch letGo = new CountDownLatch(1);

        @Override
        public @Nullable String run(int number, String filler) {
            ran.computeIfAbsent(number, none -> Collections.synchronizedList(new ArrayList<>()))
                    .add(filler);
            begun.add(number);
            if (number == RUNNING) {
                await(letGo);
            }
            return "made of " + filler;
        }

        private static void await(CountDownLatch latch) {
            try {
                if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IllegalStateException("The task was not released in time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while running", e);
            }
        }

        void awaitBegun(int number) {
            try {
                while (true) {
                    Integer next = begun.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
                    if (next == null) {
                        throw new IllegalStateException("Task " + number + " did not begin");
                    }
                    if (next == number) {
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while watching", e);
            }
        }

        List<String> inputs(int number) {
            return List.copyOf(ran.getOrDefault(number, List.of()));
        }
    }

    /** Runs all cases except the race, on one database. */
    List<Fact> of(Contestant contestant) {
        List<Fact> facts = new ArrayList<>();
        Watch watch = new Watch();
        try (Place place = server.fresh(contestant.name(), contestant::makeTables);
                Session session = contestant.open(place, watch)) {
            int marker = MARKERS;
            session.submit(piece(PENDING, FIRST));
            Said pending = said(() -> session.submit(piece(PENDING, FIRST)));
            session.submit(piece(OTHER_PENDING, FIRST));
            Said otherPending = said(() -> session.submit(piece(OTHER_PENDING, OTHER)));
            session.submit(piece(RUNNING, FIRST));
            session.work();
            watch.awaitBegun(RUNNING);
            Said running = said(() -> session.submit(piece(RUNNING, FIRST)));
            watch.letGo.countDown();
            settle(contestant, place, session, watch, marker++);
            facts.add(fact(contestant, "the same again while the first is pending", pending, times(watch, PENDING)));
            facts.add(fact(contestant, "the same again while it runs", running, times(watch, RUNNING)));
            facts.add(fact(
                    contestant,
                    "different input while the first is pending",
                    otherPending,
                    inputs(watch, OTHER_PENDING)));

            Said completed = said(() -> session.submit(piece(PENDING, FIRST)));
            settle(contestant, place, session, watch, marker++);
            facts.add(fact(contestant, "the same again after it has completed", completed, times(watch, PENDING)));
            facts.add(new Fact(
                    "the result for a repeated submission", contestant.name(), result(completed, watch)));

            Said otherCompleted = said(() -> session.submit(piece(OTHER_PENDING, OTHER)));
            settle(contestant, place, session, watch, marker++);
            facts.add(fact(
                    contestant,
                    "different input after the first has completed",
                    otherCompleted,
                    inputs(watch, OTHER_PENDING)));
        }
        return facts;
    }

    private static Piece piece(int number, String filler) {
        return new Piece(number, Piece.key(number), filler);
    }

    /** Waits until all tasks have ended: a task that was submitted after all others has run, and none is left. */
    private static void settle(Contestant contestant, Place place, Session session, Watch watch, int marker) {
        session.submit(piece(marker, FIRST));
        watch.awaitBegun(marker);
        place.awaitNone(contestant.unsettled());
    }

    /** The answer to the caller: a receipt or an exception. */
    private record Said(@Nullable Receipt receipt, @Nullable RuntimeException thrown) {}

    private static Said said(Supplier<Receipt> submission) {
        try {
            return new Said(submission.get(), null);
        } catch (RuntimeException e) {
            return new Said(null, e);
        }
    }

    private static Fact fact(Contestant contestant, String question, Said said, String effect) {
        String heard;
        if (said.thrown() != null) {
            heard = "refused with " + said.thrown().getClass().getSimpleName();
        } else if (said.receipt() != null && said.receipt().novelty() != Receipt.Novelty.NOTHING) {
            heard = "reported as " + (said.receipt().novelty() == Receipt.Novelty.NEW ? "new" : "a duplicate");
        } else {
            heard = "nothing reported";
        }
        return new Fact(question, contestant.name(), heard + "; " + effect);
    }

    private static String times(Watch watch, int number) {
        int times = watch.inputs(number).size();
        return times == 1 ? "ran once" : "ran " + times + " times";
    }

    private static String inputs(Watch watch, int number) {
        List<String> inputs = watch.inputs(number);
        return "ran with " + String.join(", then with ", inputs);
    }

    private static String result(Said said, Watch watch) {
        Receipt receipt = said.receipt();
        if (receipt == null || !receipt.givesResults()) {
            return "none: results are not kept";
        }
        boolean same = ("made of " + FIRST).equals(receipt.result(LIMIT));
        boolean again = watch.inputs(PENDING).size() > 1;
        return same ? again ? "that of the new execution" : "the stored one" : "another one";
    }

    /** Lets every thread submit every key, all in the same order, while workers run. */
    Fact race(Contestant contestant) {
        int keys = scale.races();
        Executions executions = new Executions(keys);
        AtomicLong created = new AtomicLong();
        Map<String, AtomicLong> thrown = new ConcurrentHashMap<>();
        AtomicBoolean reports = new AtomicBoolean();
        try (Place place = server.fresh(contestant.name(), contestant::makeTables);
                Session session = contestant.open(place, executions)) {
            session.work();
            Callers.run(() -> 0, THREADS, THREADS, thread -> {
                for (int key = 0; key < keys; key++) {
                    try {
                        Receipt receipt = session.submit(Piece.of(key, true));
                        if (receipt.novelty() != Receipt.Novelty.NOTHING) {
                            reports.set(true);
                            created.addAndGet(receipt.novelty() == Receipt.Novelty.NEW ? 1 : 0);
                        }
                    } catch (RuntimeException e) {
                        thrown.computeIfAbsent(e.getClass().getSimpleName(), none -> new AtomicLong())
                                .incrementAndGet();
                    }
                }
            });
            executions.await(keys, 120);
            place.awaitNone(contestant.unsettled());
            StringBuilder seen = new StringBuilder();
            seen.append(String.format(Locale.ROOT, "%,d extra executions; ", executions.extra(keys)));
            seen.append(
                    reports.get()
                            ? String.format(Locale.ROOT, "%,d submissions reported as new", created.get())
                            : "nothing reported");
            thrown.forEach((name, count) -> seen.append(String.format(Locale.ROOT, "; %,d × %s", count.get(), name)));
            return new Fact(
                    String.format(
                            Locale.ROOT,
                            "a race: %d threads, %,d keys, each submitted %d times",
                            THREADS,
                            keys,
                            THREADS),
                    contestant.name(),
                    seen.toString());
        }
    }
}
