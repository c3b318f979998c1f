package dev.semel.testkit.virtualtime;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.DueSchedules;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A call to a store as a message, so that the call can be delayed or lost, or its answer can be lost.
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
     * @param batch the requests
     */
    record Submit(List<? extends SubmitRequest> batch) implements Call<List<Submitted>> {
        @Override
        public List<Submitted> on(TaskStore store) {
            return store.submit(batch);
        }
    }

    /**
     * {@link TaskStore#claim}.
     *
     * @param request the request
     */
    record Claim(ClaimRequest request) implements Call<Claims> {
        @Override
        public Claims on(TaskStore store) {
            return store.claim(request);
        }
    }

    /**
     * {@link TaskStore#settle}.
     *
     * @param batch the settlements
     */
    record Settle(List<Settlement> batch) implements Call<List<Settled>> {
        @Override
        public List<Settled> on(TaskStore store) {
            return store.settle(batch);
        }
    }

    /**
     * {@link TaskStore#operate}.
     *
     * @param batch the operations
     */
    record Operate(List<Operation> batch) implements Call<List<Operated>> {
        @Override
        public List<Operated> on(TaskStore store) {
            return store.operate(batch);
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
     * @param lineages the lineages of the effects
     */
    record ReadEffects(List<TaskId> lineages) implements Call<Map<TaskId, List<EffectRecord>>> {
        @Override
        public Map<TaskId, List<EffectRecord>> on(TaskStore store) {
            return store.effects(lineages);
        }
    }

    /**
     * {@link TaskStore#histories}.
     *
     * @param queries the workflows, and what is known of them
     */
    record ReadHistories(List<History.Query> queries) implements Call<Map<TaskId, History>> {
        @Override
        public Map<TaskId, History> on(TaskStore store) {
            return store.histories(queries);
        }
    }

    /**
     * {@link TaskStore#effects(EffectQuery)}.
     *
     * @param query the query
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
     * @param query the query
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
     * @param identity the identity of the record
     */
    record LookUp(Identity identity) implements Call<Optional<KeyRecord>> {
        @Override
        public Optional<KeyRecord> on(TaskStore store) {
            return store.record(identity);
        }
    }

    /**
     * {@link TaskStore#dueSchedules}.
     *
     * @param limit how many at the most
     */
    record ReadDue(int limit) implements Call<DueSchedules> {
        @Override
        public DueSchedules on(TaskStore store) {
            return store.dueSchedules(limit);
        }
    }

    /**
     * {@link TaskStore#sweep}.
     *
     * @param request the request
     */
    record Sweep(SweepRequest request) implements Call<Swept> {
        @Override
        public Swept on(TaskStore store) {
            return store.sweep(request);
        }
    }
}
