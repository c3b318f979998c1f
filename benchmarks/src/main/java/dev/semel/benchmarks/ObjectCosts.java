package dev.semel.benchmarks;

import dev.semel.benchmarks.ObjectProcess.Share;
import dev.semel.engine.Worker;
import dev.semel.store.TaskQuery;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** How many requests each thing costs on object storage, counted. */
final class ObjectCosts {

    static final String REQUESTS = "requests";
    static final String IDLE = "idle";
    static final String SINGLE = "single submission";

    private static final int SHARED = 64;
    private static final int BATCH = 1_000;
    private static final double HOUR = Duration.ofHours(1).toNanos();

    private final Duration delay;

    ObjectCosts(Duration delay) {
        this.delay = delay;
    }

    /** Counts the requests of each operation of an idle process. */
    Result requests(ObjectPlace place) {
        Map<String, Double> details = new LinkedHashMap<>();
        try (ObjectProcess process = place.open(delay)) {
            process.request(0).send();
            count(process, details, SINGLE, 1, () -> process.request(1).send());
            count(process, details, "duplicate", SHARED, () -> {
                for (int i = 0; i < SHARED; i++) {
                    process.request(1).send();
                }
            });
            count(
                    process,
                    details,
                    "submission, 64 callers at once",
                    SHARED,
                    () -> process.submit(new Share(10, SHARED, SHARED, 1, 1)));
            count(
                    process,
                    details,
                    "submission, batch of 1,000",
                    BATCH,
                    () -> process.submit(new Share(1_000, BATCH, 1, BATCH, 1)));
            count(process, details, "read of a list", 1, () -> process.store().list(TaskQuery.all(100)));
            int tasks = 2 + SHARED + BATCH;
            count(process, details, "run and finish, in bulk", tasks, () -> {
                try (Worker worker = process.work(SHARED)) {
                    process.store().awaitCompleted(tasks);
                    worker.close();
                }
            });
            try (Worker worker = process.work(SHARED)) {
                count(process, details, "submit, run and finish one", 1, () -> {
                    process.request(9_999).send();
                    process.store().awaitCompleted(tasks + 1);
                });
                worker.close();
            }
        }
        return result(REQUESTS, "Requests of each operation", "requests", details.getOrDefault(SINGLE, 0.0), details);
    }

    private static void count(
            ObjectProcess process, Map<String, Double> details, String what, int times, Runnable operation) {
        Requests before = process.requests();
        operation.run();
        details.put(what, process.requests().minus(before).total() / (double) times);
    }

    /** Counts the requests of an idle worker, and of a store that nothing but listens. */
    Result idle(ObjectPlace place, Duration time) {
        Map<String, Double> details = new LinkedHashMap<>();
        double perHour;
        try (ObjectProcess process = place.open(delay)) {
            process.request(0).send();
            try (Worker worker = process.work(SHARED)) {
                process.store().awaitCompleted(1);
                pause(Duration.ofSeconds(2));
                Requests before = process.requests();
                long began = System.nanoTime();
                pause(time);
                double hours = (System.nanoTime() - began) / HOUR;
                Requests idle = process.requests().minus(before);
                perHour = idle.total() / hours;
                details.put("PUT and LIST an hour", (idle.puts() + idle.lists()) / hours);
                details.put("$ a month", idle.pricePerMillion(1_000_000 * hours) * 24 * 30);
                worker.close();
            }
        }
        return result(IDLE, "Idle worker", "requests an hour", perHour, details);
    }

    private static void pause(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static Result result(String id, String title, String unit, double value, Map<String, Double> details) {
        return new Result(id, "Requests", title, unit, new Series(List.of(value)), null, null, details);
    }
}
