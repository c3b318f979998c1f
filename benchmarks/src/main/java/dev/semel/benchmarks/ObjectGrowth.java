package dev.semel.benchmarks;

import dev.semel.benchmarks.ObjectProcess.Share;
import dev.semel.engine.Worker;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a store with many finished tasks costs: a snapshot, the start of a process on another machine, and of one with a replica. */
final class ObjectGrowth {

    private static final int BATCH = 1_000;

    private ObjectGrowth() {}

    static String id(int kept) {
        return "kept-" + kept;
    }

    static Result measure(ObjectPlace place, int kept) throws IOException {
        Map<String, Double> details = new LinkedHashMap<>();
        TaskId one;
        try (ObjectProcess process = place.open(Duration.ZERO);
                Worker worker = process.work(256)) {
            for (int from = 0; from < kept; from += BATCH * 10) {
                process.submit(new Share(from, Math.min(BATCH * 10, kept - from), 2, BATCH, 1));
                process.store().awaitCompleted(Math.min(kept, from + BATCH * 10));
            }
            worker.close();
            one = process.store().list(TaskQuery.all(1)).tasks().getFirst().id();
            Requests before = process.requests();
            long began = System.nanoTime();
            long unused = process.objects().takeSnapshot();
            Requests snapshot = process.requests().minus(before);
            details.put("snapshot, s", seconds(began));
            details.put("snapshot, MB", snapshot.sent() / 1e6);
            details.put("snapshot, objects", (double) snapshot.puts());
        }
        show(details, "again", () -> place.open(Duration.ZERO), one);
        double cold = show(details, "cold", place::openElsewhere, one);
        return new Result(
                id(kept),
                "Kept tasks",
                String.format(java.util.Locale.ROOT, "%,d finished tasks, start on another machine and show one", kept),
                "s",
                new Series(List.of(cold)),
                null,
                null,
                details);
    }

    private interface Opening {
        ObjectProcess open() throws IOException;
    }

    /** Opens the store and reads a task, as {@code task show} does. */
    private static double show(Map<String, Double> details, String what, Opening opening, TaskId id)
            throws IOException {
        long began = System.nanoTime();
        try (ObjectProcess process = opening.open()) {
            Map<TaskId, Task> found = process.store().find(List.of(id));
            if (found.size() != 1) {
                throw new IllegalStateException("The task " + id + " is not stored");
            }
            double seconds = seconds(began);
            details.put("show " + what + ", s", seconds);
            details.put(
                    "show " + what + ", requests", (double) process.requests().total());
            details.put("show " + what + ", MB read", process.requests().received() / 1e6);
            return seconds;
        }
    }

    private static double seconds(long began) {
        return (System.nanoTime() - began) / 1e9;
    }
}
