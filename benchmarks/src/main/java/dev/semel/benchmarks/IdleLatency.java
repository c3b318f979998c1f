package dev.semel.benchmarks;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.task.TaskType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The time from the call of submit to the first line of the handler on an idle store: in one process, or from a
 * submitting process to a working one. Both use the same wall clock.
 */
record IdleLatency(StoreUnderTest storage, Scale scale, boolean across, boolean keyed) implements Measure {

    /** The input of a task: the time at which it was sent, in microseconds since 1970. */
    record Ping(long sentAt) {}

    @SuppressWarnings("NullAway") // the class is the same whether null is one of its values or not
    static final TaskType<Ping, @Nullable Void> PING = TaskType.<Ping, @Nullable Void>builder(
                    "ping", Ping.class, Void.class)
            .queue(Work.QUEUE)
            .build();

    /** The name of the 99th percentile. */
    static final String TAIL = "p99, ms";

    // A pause between samples, so that each finds the worker idle; random, so that samples do not synchronise with a
    // timer.
    private static final long SHORTEST_PAUSE = 8_000_000;
    private static final long LONGEST_PAUSE = 20_000_000;

    private interface Sender {
        void send(int number) throws Exception;
    }

    @Override
    public String id() {
        return (across ? "idle-across" : "idle") + (keyed ? "-key" : "");
    }

    @Override
    public String title() {
        return "idle submit → start, " + (across ? "two processes" : "one process")
                + (keyed ? ", with key" : ", without key");
    }

    static long micros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    static void send(Semel semel, int number, boolean keyed) {
        var request = semel.submit(PING, new Ping(micros()));
        (keyed ? request.idempotencyKey("ping-" + number) : request).send();
    }

    @Override
    public Result take() throws Exception {
        List<Double> medians = new ArrayList<>();
        List<Double> tails = new ArrayList<>();
        LinkedBlockingQueue<Long> arrived = new LinkedBlockingQueue<>();
        try (StoreUnderTest.Place place = storage.fresh();
                Semel semel = Semel.on(place.open()).build();
                Worker worker = semel.worker(Work.QUEUE)
                        .handle(PING, (context, ping) -> {
                            arrived.add(micros() - ping.sentAt());
                            return null;
                        })
                        .start();
                Child child = across ? Child.start("ping", place.url(), keyed ? 1 : 0) : null) {
            Sender sender = child == null
                    ? number -> send(semel, number, keyed)
                    : number -> child.send(Integer.toString(number));
            int number = 0;
            sample(sender, arrived, number, scale.pings() / 2);
            number += scale.pings() / 2;
            for (int i = 0; i < scale.repeats(); i++) {
                List<Double> millis = sample(sender, arrived, number, scale.pings());
                number += scale.pings();
                medians.add(millis.get(millis.size() / 2));
                tails.add(millis.get(millis.size() * 99 / 100));
            }
            worker.close();
        }
        return new Result(
                id(), "Idle", title(), "ms (p50)", new Series(medians), null, null, Map.of(TAIL, Series.median(tails)));
    }

    private static List<Double> sample(Sender sender, LinkedBlockingQueue<Long> arrived, int from, int count)
            throws Exception {
        List<Double> millis = new ArrayList<>(count);
        for (int number = from; number < from + count; number++) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, LONGEST_PAUSE));
            sender.send(number);
            Long took = arrived.poll(10, TimeUnit.SECONDS);
            if (took == null) {
                throw new IllegalStateException("A task did not start within ten seconds");
            }
            millis.add(took / 1_000.0);
        }
        if (!arrived.isEmpty()) {
            throw new IllegalStateException("A task was started twice, so the figure is not valid");
        }
        millis.sort(null);
        return millis;
    }
}
