package dev.semel.store;

import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The part of a store for workers: claims, settlements, and the reads that a worker needs for claimed tasks. */
public interface Working {

    /**
     * Gives due tasks to a worker, each with a lease.
     *
     * @param request the number and kind of tasks
     * @return the tasks
     */
    Claims claim(ClaimRequest request);

    /**
     * Carries out settlements, one answer per item, in order. Each carries its lease exactly as {@link #claim} returned it; a
     * store may need all of it to find the attempt ({@link dev.semel.task.Lease}).
     *
     * @param batch the settlements
     * @return as many answers as there are settlements
     */
    List<Settled> settle(List<? extends Settlement> batch);

    /**
     * Reads the history of tasks.
     *
     * @param ids the tasks
     * @return the attempts of each that was ever claimed, oldest first
     */
    Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids);

    /**
     * Reads the ledger of lineages.
     *
     * @param lineages the ids of their first tasks
     * @return the effects of each that has any, in order of their names and indexes
     */
    Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages);

    /**
     * Reads the histories of workflows.
     *
     * @param queries the workflows, and what is known of them
     * @return the newer part of each, also if it is empty
     */
    Map<TaskId, History> histories(Collection<History.Query> queries);
}
