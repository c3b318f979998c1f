package dev.semel.testkit.simulation;

import dev.semel.store.Applied;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A call to a store as a message, so that it can be late, lost or done without anybody learning of it.
 *
 * @param <T> the class of the answer
 */
sealed interface Call<T> {

    /** Makes the call. */
    T on(TaskStore store);

    record Submit(List<NewTask> batch) implements Call<List<Submitted>> {
        @Override
        public List<Submitted> on(TaskStore store) {
            return store.submit(batch);
        }
    }

    record Claim(ClaimRequest request) implements Call<Claims> {
        @Override
        public Claims on(TaskStore store) {
            return store.claim(request);
        }
    }

    record Apply(List<Transition> moves) implements Call<List<Applied>> {
        @Override
        public List<Applied> on(TaskStore store) {
            return store.apply(moves);
        }
    }

    record Find(List<TaskId> ids) implements Call<Map<TaskId, Task>> {
        @Override
        public Map<TaskId, Task> on(TaskStore store) {
            return store.find(ids);
        }
    }

    record ReadEffects(List<TaskId> lineages) implements Call<Map<TaskId, List<EffectRecord>>> {
        @Override
        public Map<TaskId, List<EffectRecord>> on(TaskStore store) {
            return store.effects(lineages);
        }
    }

    record ListEffects(EffectQuery query) implements Call<EffectPage> {
        @Override
        public EffectPage on(TaskStore store) {
            return store.effects(query);
        }
    }

    record ListTasks(TaskQuery query) implements Call<List<Task>> {
        @Override
        public List<Task> on(TaskStore store) {
            return store.list(query).tasks();
        }
    }

    record LookUp(Identity identity) implements Call<Optional<KeyRecord>> {
        @Override
        public Optional<KeyRecord> on(TaskStore store) {
            return store.record(identity);
        }
    }

    record Sweep(SweepRequest request) implements Call<Swept> {
        @Override
        public Swept on(TaskStore store) {
            return store.sweep(request);
        }
    }
}
