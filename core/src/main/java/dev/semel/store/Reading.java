package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a store for people and programs that read: lists, search and counts. It changes nothing.
 *
 * <p>Lists and counts can be narrowed to one tenant. The settings of a queue cannot: they belong to the queue and hold for all
 * its tenants together.
 */
public interface Reading {

    /**
     * Reads tasks by id, with their results.
     *
     * @param ids the tasks
     * @return those that are stored
     */
    Map<TaskId, Task> find(Collection<TaskId> ids);

    /**
     * Lists tasks, newest first.
     *
     * @param query the filter
     * @return at most as many as the query's limit, and where the next page begins
     */
    Page list(TaskQuery query);

    /**
     * Reads the history of tasks.
     *
     * @param ids the tasks
     * @return the attempts of each that was ever claimed, oldest first
     */
    Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids);

    /**
     * Reads the history of one task.
     *
     * @param id the task
     * @return its attempts, oldest first; empty if it was never claimed or is not stored
     */
    default List<Attempt> attempts(TaskId id) {
        return attempts(List.of(id)).getOrDefault(id, List.of());
    }

    /**
     * Reads the records of identities.
     *
     * @param identities the identities
     * @return the records that are stored, including those whose window has passed
     */
    Map<Identity, KeyRecord> records(Collection<Identity> identities);

    /**
     * Reads the ledger of lineages.
     *
     * @param lineages the ids of their first tasks
     * @return the effects of each that has any, in order of their names and indexes
     */
    Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages);

    /**
     * Lists effects, oldest lineage first.
     *
     * @param query the filter
     * @return at most as many as the query's limit, and where the next page begins
     */
    EffectPage effects(EffectQuery query);

    /**
     * Reads the histories of workflows.
     *
     * @param queries the workflows, and what is known of them
     * @return the newer part of each, also if it is empty
     */
    Map<TaskId, History> histories(Collection<History.Query> queries);

    /**
     * Reads the settings of all queues.
     *
     * @return the queues that have settings
     */
    Map<String, QueueSetUp> queues();

    /**
     * Reads schedules by their ids.
     *
     * @param ids the schedules
     * @return those that are stored
     */
    Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids);

    /**
     * Lists schedules in order of their ids.
     *
     * @param query which schedules
     * @return at most as many as the query's limit; fewer mean that there are no more
     */
    List<ScheduleRecord> schedules(ScheduleQuery query);

    /**
     * Counts the tasks of queues.
     *
     * @param tenant the tenant whose tasks are counted; null counts those of all tenants
     * @return the queues that have such tasks that are open or dead; others that have had such tasks may be there with zeros
     */
    Map<String, QueueDepth> depths(@Nullable String tenant);

    /**
     * Counts the tasks of queues, of all tenants together.
     *
     * @return the queues that have tasks that are open or dead; others may be there with zeros
     */
    default Map<String, QueueDepth> depths() {
        return depths(null);
    }
}
