package dev.semel.benchmarks;

import dev.semel.engine.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long stores with replicas of their own wait for their entry when all of them want one all the time. They are in one process, but
 * share nothing but the service.
 */
final class ObjectTurns {

    static final String ID = "turns-16";
    static final String LONGEST = "longest wait, s";

    private final int stores;
    private final Duration time;
    private final Duration delay;

    ObjectTurns(int stores, Duration time, Duration delay) {
        this.stores = stores;
        this.time = time;
        this.delay = delay;
    }

    Result measure(ObjectPlace place) {
        List<ObjectProcess> processes = new ArrayList<>();
        List<Double> waits = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger next = new AtomicInteger();
        try {
            for (int i = 0; i < stores; i++) {
                processes.add(place.open(delay));
            }
            long end = System.nanoTime() + time.toNanos();
            List<Worker> workers = new ArrayList<>();
            processes.forEach(process -> workers.add(process.work(4)));
            Lap unused = Callers.run(stores, stores, number -> {
                ObjectProcess process = processes.get(number);
                while (System.nanoTime() < end) {
                    long began = System.nanoTime();
                    process.request(next.getAndIncrement()).send();
                    waits.add((System.nanoTime() - began) / 1e9);
                }
            });
            workers.forEach(Worker::close);
            return result(processes, waits, next.get());
        } finally {
            processes.forEach(ObjectProcess::close);
        }
    }

    private Result result(List<ObjectProcess> processes, List<Double> waits, int tasks) {
        List<Double> sorted = new ArrayList<>(waits);
        Collections.sort(sorted);
        Map<String, Double> details = new LinkedHashMap<>();
        details.put("p99, s", sorted.get((int) (sorted.size() * 0.99)));
        details.put(LONGEST, sorted.getLast());
        Requests all = Requests.NONE;
        for (ObjectProcess process : processes) {
            all = all.plus(process.requests());
        }
        all.describe(details, tasks);
        return new Result(
                ID,
                "Fairness",
                stores + " stores that submit and work all the time, wait for an entry",
                "s (p50)",
                new Series(List.of(sorted.get(sorted.size() / 2))),
                null,
                null,
                details);
    }
}
