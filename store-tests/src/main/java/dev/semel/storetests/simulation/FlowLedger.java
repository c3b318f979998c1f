package dev.semel.storetests.simulation;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The books of the provider that steps of workflows pay: who came with which token, and what was charged. */
final class FlowLedger {

    /**
     * The beginning of a step.
     *
     * @param name the step, the same in every replay
     * @param task its task; for a local step that of the workflow
     * @param attempt the attempt of its task; of no meaning for a local step
     * @param local whether it is a local step
     * @param token its token
     */
    record Visit(String name, TaskId task, int attempt, boolean local, String token) {}

    /** A visit, and when it was in the order of all that happened. */
    record Dated(Visit visit, long order) {}

    private final World world;
    private final List<Dated> visits = new ArrayList<>();
    private final Map<String, Set<String>> tokens = new LinkedHashMap<>();
    private final Set<String> charged = new LinkedHashSet<>();

    FlowLedger(World world) {
        this.world = world;
    }

    void began(Visit visit) {
        visits.add(
                new Dated(visit, world.history.now(world.storeClock.instant()).order()));
        tokens.computeIfAbsent(visit.name(), any -> new LinkedHashSet<>()).add(visit.token());
    }

    /** Charges once for each token. */
    void paid(String token) {
        charged.add(token);
    }

    List<Dated> visits() {
        return visits;
    }

    /** From each step to the tokens with which it came. */
    Map<String, Set<String>> tokens() {
        return tokens;
    }

    /** The tokens that were charged. */
    Set<String> charged() {
        return charged;
    }
}
