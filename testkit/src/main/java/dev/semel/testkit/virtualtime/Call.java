package dev.semel.testkit.virtualtime;

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
public sealed interface Call<T> {

    /**
     * Makes the call.
     *
     * @param store the store
     * @return its answer
     */
    T on(TaskStore store);

    /**
     * {@link TaskStore#submit}.
     *
     * @param batch the tasks
     */
    record Submit(List<NewTask> batch) implements Call<List<Submitted>> {
        @Override
        public List<Submitted> on(TaskStore store) {
            return store.submit(batch);
        }
    }

    /**
     * {@link TaskStore#claim}.
     *
     * @param request what is asked for
     */
    record Claim(ClaimRequest request) implements Call<Claims> {
        @Override
        public Claims on(TaskStore store) {
            return store.claim(request);
        }
    }

    /**
     * {@link TaskStore#apply}.
     *
     * @param moves the transitions
     */
    record Apply(List<Transition> moves) implements Call<List<Applied>> {
        @Override
        public List<Applied> on(TaskStore store) {
            return store.apply(moves);
        }
    }

    /**
     * {@link TaskStore#find}.
     *
     * @param ids the tasks
     */
    record Find(List<TaskId> ids) implements Call<Map<TaskId, Task>> {
        @Override
        public Map<TaskId, Task> on(TaskStore store) {
            return store.find(ids);
        }
    }

    /**
     * {@link TaskStore#effects(java.util.Collection)}.
     *
     * @param lineages whose effects
     */
    record ReadEffects(List<TaskId> lineages) implements Call<Map<TaskId, List<EffectRecord>>> {
        @Override
        public Map<TaskId, List<EffectRecord>> on(TaskStore store) {
            return store.effects(lineages);
        }
    }

    /**
     * {@link TaskStore#effects(EffectQuery)}.
     *
     * @param query which effects
     */
    record ListEffects(EffectQuery query) implements Call<EffectPage> {
        @Override
        public EffectPage on(TaskStore store) {
            return store.effects(query);
        }
    }

    /**
     * {@link TaskStore#list}.
     *
     * @param query which tasks
     */
    record ListTasks(TaskQuery query) implements Call<List<Task>> {
        @Override
        public List<Task> on(TaskStore store) {
            return store.list(query).tasks();
        }
    }

    /**
     * {@link TaskStore#record}.
     *
     * @param identity whose record
     */
    record LookUp(Identity identity) implements Call<Optional<KeyRecord>> {
        @Override
        public Optional<KeyRecord> on(TaskStore store) {
            return store.record(identity);
        }
    }

    /**
     * {@link TaskStore#sweep}.
     *
     * @param request how far
     */
    record Sweep(SweepRequest request) implements Call<Swept> {
        @Override
        public Swept on(TaskStore store) {
            return store.sweep(request);
        }
    }
}
