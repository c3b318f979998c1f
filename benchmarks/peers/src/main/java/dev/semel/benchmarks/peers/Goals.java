package dev.semel.benchmarks.peers;

import dev.semel.benchmarks.Goal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The goals for the figures that were measured. */
final class Goals {

    private final Map<String, Figures> byId;
    private final List<Goal> goals = new ArrayList<>();

    private Goals(List<Figures> figures) {
        byId = figures.stream().collect(Collectors.toMap(Figures::id, Function.identity()));
    }

    static List<Goal> of(List<Figures> figures) {
        Goals goals = new Goals(figures);
        goals.collect();
        return goals.goals;
    }

    private void collect() {
        toBestPeer("drain to the best peer", "drain", 4);
        toRaw("drain to raw", "drain", 0.40);
        toBestPeer("whole life with keys to the best peer", "life-key", 3);
        toRaw("whole life with keys to raw", "life-key", 0.40);
        toBestPeer("64 callers without key to the best peer", "submit-64", 2);
        toRaw("64 callers without key to raw single-row commits", "submit-64", 1.4);
        toBestPeer("64 callers with key to the best peer", "submit-64-key", 2);
        toRaw("64 callers with key to raw single-row commits", "submit-64-key", 1.4);
        toBestPeer("50 % duplicates from 64 callers to the best peer", "half-duplicates-64", 2);
        value("all duplicates from 64 callers, submissions/s", "duplicates-64", true, 100_000);
        value("all duplicates in batches, submissions/s", "duplicates-batch", true, 100_000);
        toRaw("batch submit with keys to raw", "submit-batch-key", 0.50);
        add(
                "batch submit with keys to JobRunr",
                true,
                2,
                figures("submit-batch-key").flatMap(batch -> batch.ratio(Figures.SEMEL, "JobRunr")));
        withKey("submit-64");
        withKey("submit-batch");
        value("log of a finished task, with key, bytes", Derived.LOG_OF_LIFE, false, 1_000);
        for (Steps steps : Steps.values()) {
            toBestPeer(
                    "workflows with " + Steps.COUNT + " " + steps.word() + " steps to the best peer",
                    "workflow-" + steps.word() + "-" + Steps.COUNT,
                    5);
        }
        value("idle workflow, step to next step, p50 in ms", IdleWorkflow.ID, false, 10);
        value("idle p50 in one process, ms", Idle.ID, false, 2);
        add(
                "idle p99 in one process, ms",
                false,
                25,
                figures(Idle.ID)
                        .map(idle -> idle.details().getOrDefault(Idle.TAIL, Map.of()))
                        .flatMap(tails -> Optional.ofNullable(tails.get(Figures.SEMEL)))
                        .map(tail -> tail.median()));
    }

    private Optional<Figures> figures(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    private void add(String what, boolean atLeast, double limit, Optional<Double> measured) {
        measured.ifPresent(figure -> goals.add(new Goal(what, atLeast, limit, figure)));
    }

    private void toBestPeer(String what, String id, double limit) {
        add(what, true, limit, figures(id).flatMap(Figures::toBestPeer));
    }

    private void toRaw(String what, String id, double limit) {
        add(what, true, limit, figures(id).flatMap(measure -> measure.ratio(Figures.SEMEL, Figures.RAW)));
    }

    private void value(String what, String id, boolean atLeast, double limit) {
        add(what, atLeast, limit, figures(id).flatMap(measure -> measure.median(Figures.SEMEL)));
    }

    private void withKey(String id) {
        Optional<Double> without = figures(id).flatMap(measure -> measure.median(Figures.SEMEL));
        Optional<Double> with = figures(id + "-key").flatMap(measure -> measure.median(Figures.SEMEL));
        add("with key to without, " + id, true, 0.8, with.flatMap(one -> without.map(other -> one / other)));
    }
}
