package dev.semel.benchmarks;

import dev.semel.benchmarks.ObjectProcess.Share;
import dev.semel.engine.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The whole life of tasks with keys on object storage, from the first submission to the last completion: 64 submitters and 256
 * handlers, inputs of 1 kB, in one or several processes.
 */
final class ObjectLife {

    private static final int SUBMITTERS = 64;
    private static final int HANDLERS = 256;
    private static final int WARM_UP = 2_000;
    private static final int PATIENCE_MINUTES = 10;

    private final int tasks;
    private final int processes;
    private final int batch;
    private final Duration delay;

    ObjectLife(int tasks, int processes, int batch, Duration delay) {
        this.tasks = tasks;
        this.processes = processes;
        this.batch = batch;
        this.delay = delay;
    }

    String id() {
        return "life-" + processes + (batch == 1 ? "-single" : "-batch");
    }

    private String title() {
        return (processes == 1 ? "one process" : processes + " processes")
                + (batch == 1 ? ", each submission by itself" : ", batches of " + batch);
    }

    private Share share(int process, int first, int number) {
        return new Share(
                first + process * (number / processes),
                number / processes,
                SUBMITTERS / processes,
                batch,
                HANDLERS / processes);
    }

    Result measure(ObjectPlace place) throws IOException, InterruptedException {
        Map<String, Double> details = new LinkedHashMap<>();
        double seconds = processes == 1 ? alone(place, details) : together(place, details);
        return new Result(
                id(), "Whole life", title(), "tasks/s", new Series(List.of(tasks / seconds)), null, null, details);
    }

    private double alone(ObjectPlace place, Map<String, Double> details) {
        try (ObjectProcess process = place.open(delay);
                Worker worker = process.work(HANDLERS)) {
            process.submit(share(0, tasks, WARM_UP));
            process.store().awaitCompleted(WARM_UP);
            Requests before = process.requests();
            Lap.Begun began = Lap.begin();
            process.submit(share(0, 0, tasks));
            process.store().awaitCompleted(WARM_UP + tasks);
            Lap took = began.end();
            process.requests().minus(before).describe(details, tasks);
            details.put("processor µs per task", took.processorMicrosPer(tasks));
            worker.close();
            return took.nanos() / 1e9;
        }
    }

    private double together(ObjectPlace place, Map<String, Double> details) throws IOException, InterruptedException {
        List<Child> children = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                children.add(start(place, share(i, 0, tasks)));
            }
            AtomicLongArray completed = new AtomicLongArray(processes);
            CountDownLatch done = new CountDownLatch(1);
            Requests[] requests = new Requests[processes];
            List<Thread> readers = new ArrayList<>();
            long began = System.nanoTime();
            for (int i = 0; i < processes; i++) {
                int number = i;
                children.get(i).send(ObjectProcess.GO);
                readers.add(Thread.ofPlatform().daemon().start(() -> {
                    requests[number] = read(children.get(number), number, completed, done);
                }));
            }
            if (!done.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException(
                        "Only " + sum(completed) + " of " + tasks + " tasks were completed in time");
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            Requests all = Requests.NONE;
            for (int i = 0; i < processes; i++) {
                children.get(i).send(ObjectProcess.STOP);
                Callers.join(readers.get(i));
                all = all.plus(requests[i]);
            }
            all.describe(details, tasks);
            return seconds;
        } finally {
            for (Child child : children) {
                child.close();
            }
        }
    }

    private Child start(ObjectPlace place, Share share) throws IOException {
        return Child.start(
                ObjectProcess.class,
                place.url(),
                place.directory().toString(),
                Long.toString(delay.toMillis()),
                Integer.toString(share.first()),
                Integer.toString(share.tasks()),
                Integer.toString(share.submitters()),
                Integer.toString(share.batch()),
                Integer.toString(share.handlers()));
    }

    private Requests read(Child child, int number, AtomicLongArray completed, CountDownLatch done) {
        try {
            String line = child.receive();
            while (line.startsWith(ObjectProcess.DONE)) {
                completed.set(number, Long.parseLong(line.substring(ObjectProcess.DONE.length())));
                if (sum(completed) >= (long) tasks / processes * processes) {
                    done.countDown();
                }
                line = child.receive();
            }
            return Requests.parse(line);
        } catch (IOException e) {
            throw new IllegalStateException("A process of the measure has failed", e);
        }
    }

    private static long sum(AtomicLongArray numbers) {
        long sum = 0;
        for (int i = 0; i < numbers.length(); i++) {
            sum += numbers.get(i);
        }
        return sum;
    }
}
