package dev.semel.storetests;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Random settlements and operations of effects, of so few names, windows, people and resolutions that they collide all the
 * time.
 */
final class RandomEffects {

    private static final List<String> NAMES = List.of("a", "B", "a_b");
    private static final List<Duration> WINDOWS =
            List.of(Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofHours(1));
    private static final Set<EffectState> NOT_SETTLED = EnumSet.of(EffectState.IN_PROGRESS, EffectState.UNKNOWN);
    private static final List<How> HOWS = List.of(How.RAN, How.PROBED, How.ASSUMED);

    private final RandomGenerator random;

    // The lineage of each task that was ever claimed.
    private final Map<TaskId, TaskId> lineages = new LinkedHashMap<>();

    // The newest lease of each lineage.
    private final Map<TaskId, Lease> newest = new HashMap<>();

    RandomEffects(RandomGenerator random) {
        this.random = random;
    }

    /** Remembers the lineage of a task that was claimed. */
    void note(Claimed claimed) {
        lineages.put(claimed.task().id(), claimed.task().lineage());
        newest.put(claimed.task().lineage(), claimed.lease());
    }

    /** A settlement: mostly about an effect that is there, and otherwise about any under this lease. */
    Settlement settlement(TaskStore model, Lease otherwise, int step) {
        List<EffectRecord> listed = random.nextInt(3) == 0 ? List.of() : all(model, NOT_SETTLED);
        Lease lease = otherwise;
        EffectId effect = anyOf(lineages.getOrDefault(lease.taskId(), lease.taskId()));
        if (!listed.isEmpty()) {
            effect = pick(listed).id();
            lease = newest.getOrDefault(effect.lineage(), otherwise);
        }
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> new Settlement.Intend(lease, effect, random.nextBoolean() ? null : pick(WINDOWS));
            case 3, 4 -> {
                String result = random.nextBoolean() ? "\"at step " + step + "\"" : null;
                yield new Settlement.Conclude(lease, effect, new EffectOutcome.Done(result, pick(HOWS)));
            }
            case 5 ->
                new Settlement.Conclude(lease, effect, new EffectOutcome.NotDone("not at step " + step, pick(HOWS)));
            case 6 -> new Settlement.Refer(lease, effect, "referred at step " + step);
            default -> new Settlement.Park(lease, effect, "parked at step " + step);
        };
    }

    private EffectId anyOf(TaskId lineage) {
        return random.nextBoolean()
                ? new EffectId(lineage, NAMES.getFirst(), 0)
                : new EffectId(lineage, pick(NAMES), random.nextInt(2) * 10);
    }

    /** A resolution, mostly of an effect that is unknown and as it was read; otherwise of one of this lineage. */
    Operation word(TaskStore model, TaskId otherwise) {
        Verdict verdict = pick(List.of(Verdict.values()));
        Resolution word = new Resolution(
                verdict,
                verdict == Verdict.DONE && random.nextBoolean() ? "\"told\"" : null,
                "person " + random.nextInt(2),
                "they looked");
        Set<EffectState> states = random.nextInt(4) == 0 ? Set.of() : Set.of(EffectState.UNKNOWN);
        List<EffectRecord> listed = all(model, states);
        if (listed.isEmpty()) {
            listed = all(model, Set.of());
        }
        if (listed.isEmpty()) {
            return new Operation.Resolve(
                    new EffectId(otherwise, NAMES.getFirst(), 0), new AttemptId(otherwise, 1), word);
        }
        EffectRecord effect = pick(listed);
        AttemptId left = effect.by();
        if (random.nextInt(8) == 0) {
            left = new AttemptId(left.taskId(), left.attempt() + random.nextInt(3) - 1);
        }
        return new Operation.Resolve(effect.id(), left, word);
    }

    /** A listing of any states in pages of any size, from the beginning or from somewhere. */
    EffectQuery query(TaskStore model) {
        Set<EffectState> states = EnumSet.noneOf(EffectState.class);
        for (EffectState state : EffectState.values()) {
            if (random.nextInt(3) == 0) {
                states.add(state);
            }
        }
        List<EffectRecord> listed = all(model, Set.of());
        @Nullable
        EffectId after =
                listed.isEmpty() || random.nextBoolean() ? null : pick(listed).id();
        String tenant = random.nextBoolean() ? null : pick(LockStep.TENANTS);
        return new EffectQuery(tenant, states, after, 1 + random.nextInt(10));
    }

    /** The lineages of all tasks that were ever claimed. */
    List<TaskId> lineages() {
        return List.copyOf(new LinkedHashSet<>(lineages.values()));
    }

    private static List<EffectRecord> all(TaskStore model, Set<EffectState> states) {
        return Snapshot.listed(model, new EffectQuery(null, states, null, EffectQuery.MAX_LIMIT));
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
