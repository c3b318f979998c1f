package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The part of a store for programs that submit work: requests, and what a submitter may look up. */
public interface Submitting {

    /** The maximum number of requests in one call. */
    int MAX_BATCH = 10_000;

    /**
     * Decides and creates, one answer per item, in order. A batch means exactly what its items would mean one after the other:
     * a later item of the same identity finds the task of an earlier one. A submission that is answered with an existing task
     * is counted on its key.
     *
     * @param batch at most {@link #MAX_BATCH} requests
     * @return as many answers as there are requests
     * @throws dev.semel.task.StoreUnavailable if the store did not answer; send the same batch again
     */
    List<Submitted> submit(List<? extends SubmitRequest> batch);

    /**
     * Returns how many calls of {@link #submit} at the same time are worthwhile if many callers submit single tasks and
     * share calls. It affects speed only.
     *
     * @return 1, unless the store executes them in parallel
     */
    default int concurrentSubmissions() {
        return 1;
    }

    /**
     * Reads tasks by id, with their results.
     *
     * @param ids the tasks
     * @return those that are stored
     */
    Map<TaskId, Task> find(Collection<TaskId> ids);

    /**
     * Reads the records of identities.
     *
     * @param identities the identities
     * @return the records that are stored, including those whose window has passed
     */
    Map<Identity, KeyRecord> records(Collection<Identity> identities);

    /**
     * Reads the record of one identity.
     *
     * @param identity the identity
     * @return the record, even if its window has passed; empty if there is none
     */
    default Optional<KeyRecord> record(Identity identity) {
        return Optional.ofNullable(records(List.of(identity)).get(identity));
    }

    /**
     * Reads the settings of queues by name.
     *
     * @param names the queues
     * @return those that have settings
     */
    Map<String, QueueSetUp> queues(Collection<String> names);
}
