package dev.semel.storetests.storm;

import dev.semel.store.StoredEffect;
import dev.semel.task.EffectId;
import dev.semel.task.InputHash;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All that one identity has in a store, or one task without a key: its tasks, its record and its effects. Immutable. Two
 * states are taken for equal if their 64-bit sums are; the sum is kept up with each change, because a hot identity has
 * hundreds of tasks and is compared thousands of times.
 */
final class ModelState {

    /**
     * The record of the identity.
     *
     * @param taskId the task that holds it
     * @param inputHash what is compared
     * @param expiresFrom the earliest end of its window, in milliseconds
     * @param expiresUntil the latest end of its window
     */
    record HeldKey(TaskId taskId, InputHash inputHash, long expiresFrom, long expiresUntil) {}

    // A change copies one bucket and this many references, instead of hundreds of tasks.
    private static final int BUCKETS = 64;

    static final ModelState EMPTY = new ModelState(new ModelTask[BUCKETS][0], List.of(), null, Map.of(), 0);

    private final ModelTask[][] tasks;
    private final List<TaskId> open;
    private final @Nullable HeldKey held;
    private final Map<EffectId, StoredEffect> effects;
    private final long sum;

    private ModelState(
            ModelTask[][] tasks,
            List<TaskId> open,
            @Nullable HeldKey held,
            Map<EffectId, StoredEffect> effects,
            long sum) {
        this.tasks = tasks;
        this.open = open;
        this.held = held;
        this.effects = effects;
        this.sum = sum;
    }

    @Nullable
    ModelTask task(TaskId id) {
        for (ModelTask task : tasks[bucket(id)]) {
            if (task.id().equals(id)) {
                return task;
            }
        }
        return null;
    }

    private static int bucket(TaskId id) {
        return Math.floorMod(id.hashCode() * 0x9E37_79B9, BUCKETS);
    }

    /** The task that holds the identity; there is one whenever there is a record. */
    ModelTask holder() {
        return Objects.requireNonNull(task(Objects.requireNonNull(held).taskId()));
    }

    List<ModelTask> open() {
        List<ModelTask> found = new ArrayList<>();
        open.forEach(id -> found.add(Objects.requireNonNull(task(id))));
        return found;
    }

    @Nullable
    HeldKey held() {
        return held;
    }

    @Nullable
    StoredEffect effect(EffectId id) {
        return effects.get(id);
    }

    boolean isLineageOpen(TaskId lineage) {
        return open().stream().anyMatch(task -> task.lineage().equals(lineage));
    }

    ModelState with(ModelTask task) {
        int bucket = bucket(task.id());
        ModelTask before = task(task.id());
        ModelTask[] old = tasks[bucket];
        ModelTask[] changed = Arrays.copyOf(old, before == null ? old.length + 1 : old.length);
        changed[before == null ? old.length : Arrays.asList(old).indexOf(before)] = task;
        ModelTask[][] more = tasks.clone();
        more[bucket] = changed;
        List<TaskId> nowOpen = open;
        if (task.state().isOpen() != open.contains(task.id())) {
            nowOpen = new ArrayList<>(open);
            if (task.state().isOpen()) {
                nowOpen.add(task.id());
            } else {
                nowOpen.remove(task.id());
            }
        }
        return new ModelState(more, nowOpen, held, effects, sum ^ mixed(before) ^ mixed(task));
    }

    ModelState with(@Nullable HeldKey next) {
        return new ModelState(tasks, open, next, effects, sum ^ mixed(held) ^ mixed(next));
    }

    ModelState with(StoredEffect effect) {
        Map<EffectId, StoredEffect> more = new HashMap<>(effects);
        StoredEffect before = more.put(effect.id(), effect);
        return new ModelState(tasks, open, held, more, sum ^ mixed(before) ^ mixed(effect));
    }

    ModelState withoutEffect(EffectId id) {
        Map<EffectId, StoredEffect> fewer = new HashMap<>(effects);
        StoredEffect before = fewer.remove(id);
        return new ModelState(tasks, open, held, fewer, sum ^ mixed(before));
    }

    private static long mixed(@Nullable Object part) {
        if (part == null) {
            return 0;
        }
        long x = part.hashCode() * 0x9E37_79B9_7F4A_7C15L
                + part.getClass().getSimpleName().hashCode();
        x = (x ^ (x >>> 32)) * 0xD6E8_FEB8_6659_FD93L;
        return x ^ (x >>> 32);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ModelState that && sum == that.sum && Objects.equals(held, that.held);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(sum);
    }

    @Override
    public String toString() {
        return "held by " + (held == null ? "no task" : held.taskId() + " until " + held.expiresFrom() % 10_000_000)
                + (held == null || open.contains(held.taskId()) ? "" : " (" + holder() + ")") + ", open " + open();
    }
}
