package dev.semel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A goal for a figure.
 *
 * @param what the figure
 * @param atLeast whether it should be at least the limit; otherwise at most
 * @param limit the limit
 * @param measured the measured value
 */
public record Goal(String what, boolean atLeast, double limit, double measured) {

    /**
     * Returns whether the goal is reached.
     *
     * @return true if so
     */
    public boolean isMet() {
        return atLeast ? measured >= limit : measured <= limit;
    }

    /** Returns the goals that apply to the results; a server and a file have different goals. */
    static List<Goal> of(StoreUnderTest storage, List<Result> results) {
        Collector collector = new Collector(results);
        return storage.isServer() ? collector.ofServer() : collector.ofFile();
    }

    private static final class Collector {

        private final Map<String, Result> byId;
        private final List<Goal> goals = new ArrayList<>();

        Collector(List<Result> results) {
            byId = results.stream()
                    .collect(Collectors.toMap(Result::id, Function.identity(), (one, other) -> one, TreeMap::new));
        }

        List<Goal> ofServer() {
            for (String key : List.of("", "-key")) {
                String with = key.isEmpty() ? ", without key" : ", with key";
                ratio("whole life to raw" + with, "life" + key, 0.4);
                ratio("drain to raw" + with, "drain" + key, 0.4);
                ratio("batch submit to raw" + with, "submit-batch" + key, 0.5);
                detail(
                        "64 callers to raw single-row commits from as many" + with,
                        "submit-64" + key,
                        Throughput.TO_SINGLE,
                        true,
                        1.4);
                detail("WAL for each finished task, bytes" + with, "life" + key, Throughput.LOGGED, false, 1_000);
                String process = key.isEmpty() ? "" : ", with key";
                value("idle p50 in one process, ms" + process, "idle" + key, false, 2);
                value("idle p50 across processes, ms" + process, "idle-across" + key, false, 5);
                detail("idle p99 in one process, ms" + process, "idle" + key, IdleLatency.TAIL, false, 25);
                detail("idle p99 across processes, ms" + process, "idle-across" + key, IdleLatency.TAIL, false, 25);
            }
            shared();
            byId.values().forEach(this::growth);
            return goals;
        }

        /** Adds the goals of every storage. */
        private void shared() {
            for (String id : List.of("submit-64", "submit-batch", "drain", "life", "life-64")) {
                withKey(id);
            }
            value("all duplicates in batches, submissions/s", "duplicates-batch", true, 100_000);
            value("all duplicates from 64 callers, submissions/s", "duplicates-64", true, 100_000);
            value("idle worker, % of a core", "idle-cpu", false, 1);
            value("idle workflow, step to next step, p50 in ms", "workflow-step", false, 10);
            String sleeping = SleepingWorkflows.ID;
            detail("heap of an idle worker with sleeping workflows, MB", sleeping, SleepingWorkflows.HEAP, false, 256);
            detail("its processor time for them, % of a core", sleeping, SleepingWorkflows.ADDED, false, 0.5);
            detail("latest start of a due one of them, ms", sleeping, SleepingWorkflows.LATEST, false, 1_000);
        }

        List<Goal> ofFile() {
            for (String key : List.of("", "-key")) {
                String with = key.isEmpty() ? ", without key" : ", with key";
                value("whole life, tasks/s" + with, "life" + key, true, 20_000);
                ratio("whole life to raw" + with, "life" + key, 0.45);
                ratio("drain to raw" + with, "drain" + key, 0.45);
                ratio("batch submit to raw" + with, "submit-batch" + key, 0.5);
                singleCallers("64 callers to one commit for each task" + with, "submit-64" + key, "submit-1" + key);
            }
            value("idle p50 in one process, ms", "idle", false, 2);
            value("idle p50 across processes, ms", "idle-across", false, 10);
            shared();
            byId.values().forEach(this::growth);
            return goals;
        }

        private void value(String what, String id, boolean atLeast, double limit) {
            Result result = byId.get(id);
            if (result != null) {
                goals.add(new Goal(what, atLeast, limit, result.ours().median()));
            }
        }

        private void detail(String what, String id, String name, boolean atLeast, double limit) {
            Result result = byId.get(id);
            Double measured = result == null ? null : result.details().get(name);
            if (measured != null) {
                goals.add(new Goal(what, atLeast, limit, measured));
            }
        }

        private void ratio(String what, String id, double limit) {
            Result result = byId.get(id);
            Double ratio = result == null ? null : result.ratio();
            if (ratio != null) {
                goals.add(new Goal(what, true, limit, ratio));
            }
        }

        private void singleCallers(String what, String many, String one) {
            Result shared = byId.get(many);
            Result single = byId.get(one);
            @Nullable Series raw = single == null ? null : single.raw();
            if (shared != null && raw != null) {
                goals.add(new Goal(what, true, 3.5, shared.ours().median() / raw.median()));
            }
        }

        private void withKey(String id) {
            Result without = byId.get(id);
            Result with = byId.get(id + "-key");
            if (without != null && with != null) {
                goals.add(new Goal(
                        "with key to without, " + id,
                        true,
                        0.8,
                        with.ours().median() / without.ours().median()));
            }
        }

        private void growth(Result result) {
            Double kept = result.kept();
            if (kept != null && result.section().equals(CleaningMeasure.SECTION)) {
                goals.add(new Goal(result.title() + ", to the same without cleaning", true, 0.8, kept));
            } else if (kept != null && result.section().equals(OpenTransactionMeasure.SECTION)) {
                goals.add(new Goal(result.title() + ", to the same with nothing dead", true, 0.7, kept));
            } else if (kept != null) {
                boolean fanOut = result.section().equals(FanOut.SECTION);
                goals.add(
                        fanOut
                                ? new Goal(result.title() + ", to a plain batch of tasks", true, 1.0 / 3, kept)
                                : new Goal(result.title() + ", to an empty store", true, 0.9, kept));
                Double before = result.details().get("heap before, MB");
                Double with = result.details().get("heap with it, MB");
                if (before != null && with != null) {
                    goals.add(new Goal(result.title() + ", growth of the heap in MB", false, 20, with - before));
                }
            }
        }
    }
}
