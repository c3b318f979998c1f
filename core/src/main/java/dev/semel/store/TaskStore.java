package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where tasks and idempotency records are kept. Safe for use by many threads; the durable ones by many processes.
 *
 * <p>Every item of an operation is atomic, and durable before it is answered. Every operation may throw
 * {@link dev.semel.task.StoreUnavailable}: then each of its items may or may not have been done, and repeating the operation
 * as it was is safe.
 *
 * <h2>Laws</h2>
 *
 * <p>The numbers are those of the tests in the contract suite.
 *
 * <h3>Submitting</h3>
 *
 * <ol>
 *   <li>S1: of any number of concurrent submissions of one identity exactly one is created, and all others get its id.
 *   <li>S2: an identity is held while its task is open, whatever its ttl.
 *   <li>S3: once its task has ended and its window has passed, an identity is free, and of any number of concurrent
 *       submissions exactly one takes it, as run 1.
 *   <li>S4: other input under a held identity is a conflict by default and changes nothing.
 *   <li>S5: a submission of a task id that was accepted before is answered as created, whatever became of the task and of
 *       its key since.
 *   <li>S6: a batch means its items in order: later items meet the tasks of earlier ones.
 *   <li>S7: one refused item never fails its neighbours.
 *   <li>S8: every cell of the decision table holds for every store.
 *   <li>S9: a rerun after an end without success is a new task of the same identity and lineage with the next run, and the
 *       old task stays as it was.
 *   <li>S10: a replaced task that is not running is cancelled at once; a replaced task that runs is asked to cancel, and
 *       the new one is waiting until the old one has really ended.
 *   <li>S11: tasks without a key are never merged, and leave no record.
 *   <li>S12: a new task under a free key begins a series; a rerun or replacement belongs to the series of the task that it
 *       takes the key from, with the next run. No two tasks have the same series and run.
 * </ol>
 *
 * <h3>Claiming</h3>
 *
 * <ol>
 *   <li>C1: a claim gives each due task to exactly one caller and raises its attempt by one.
 *   <li>C2: a task that is not due is not claimed, and becomes claimable by the passing of time alone.
 *   <li>C3: an expired lease makes the task due again with no other process running; the vanished attempt is counted.
 *   <li>C4: a claim takes only the queues and types it names.
 *   <li>C5: a claim takes no more tasks with a vanished attempt than it allows, and leaves the others due.
 *   <li>C6: within a queue higher priority comes first, then earlier due time; a minute of waiting outweighs one step of
 *       priority.
 *   <li>C7: no queue and no tenant starves another: a claim of several with backlog takes from each.
 *   <li>C8: a claim repeated with its number returns the tasks that it took and that still belong to it.
 *   <li>C9: a claim that takes less than it may tells how long until the next task is due.
 *   <li>C10: the inputs that a claim takes have together no more bytes than it allows, unless it takes a single task.
 * </ol>
 *
 * <h3>Moving</h3>
 *
 * <ol>
 *   <li>M1: a worker's move with an old attempt is stale and changes nothing.
 *   <li>M2: a move repeated after a lost answer is answered as applied again and changes nothing, even after another
 *       attempt has begun.
 *   <li>M3: an attempt ends once: another end under the same lease is stale.
 *   <li>M4: a retry counts a failure; a put-back does not; neither lowers the attempt.
 *   <li>M5: an extension moves the end of the lease, also after it has run out, unless another attempt has begun.
 *   <li>M6: cancelling a pending or waiting task ends it at once; a running one is asked, stays open, and tells its worker
 *       with the next extension.
 *   <li>M7: a task that was asked to cancel ends as cancelled when its attempt fails, is put back or vanishes, and as
 *       completed if it completes.
 *   <li>M8: a redrive makes a dead letter pending under a fresh budget as the same task, and takes its key back in the same
 *       step; if a newer task holds the key it is superseded and changes nothing.
 *   <li>M9: a key is released only if its task has ended.
 *   <li>M10: a batch of moves means its items in order, and one refused item never fails its neighbours.
 *   <li>M11: every attempt is kept with its worker, its times, its outcome and its error.
 * </ol>
 *
 * <h3>Effects</h3>
 *
 * <ol>
 *   <li>E1: an intent is recorded under the newest attempt while it runs, and under no other; what is refused changes
 *       nothing.
 *   <li>E2: an outcome is recorded under the newest attempt while it runs; sent again after a lost answer it is answered as
 *       applied, even after another attempt has begun.
 *   <li>E3: an effect that is done stays so: a later intent or outcome is answered as settled and changes nothing.
 *   <li>E4: what one task recorded is read by every later attempt, redrive and rerun of its lineage, and by no other
 *       lineage.
 *   <li>E5: an intent without an outcome is in progress while its attempt runs, and unknown from then on.
 *   <li>E6: an unknown effect can be intended again until its provider's window has passed, counted from its first intent;
 *       one that is not done begins anew.
 *   <li>E7: a parked task is waiting without a lease, a place or a mutex, and its attempt costs no failure; if its effect
 *       was resolved meanwhile it is pending at once.
 *   <li>E8: a person's word settles an unknown effect once and is kept; it lets a parked task go on in the same step, or
 *       fails it if it is given up; it is refused while the effect is in progress, and stale once another attempt has dealt
 *       with it.
 *   <li>E9: a listing of effects is in the order of their ids and its pages neither repeat nor miss one that was there
 *       throughout.
 *   <li>E10: effects go when nothing can continue their lineage, and not before.
 * </ol>
 *
 * <h3>Queues</h3>
 *
 * <ol>
 *   <li>Q1: what is set at run time wins over what is declared, setting by setting, and a reset brings back what is
 *       declared.
 *   <li>Q2: a paused queue gives nothing to a claim; resumed, it gives what it would have given.
 *   <li>Q3: a queue with a rate limit gives to all claims together what its limit allows, and within any span no more than
 *       that and one burst.
 *   <li>Q4: of a queue with a concurrency no more tasks run than it says, over all claims together, and a place is free
 *       again as soon as an attempt has ended or its lease has run out.
 *   <li>Q5: of the tasks of one mutex never two run; those that would are waiting, and one becomes pending when the one
 *       that runs has ended or was put back.
 *   <li>Q6: a task that dies in a queue with a dead-letter queue makes one task there in the same step, and circles of
 *       queues are refused.
 *   <li>Q7: in a queue with a retention of zero a task's input and result go with its completion or cancellation, and
 *       whoever repeats a submission or a move of it is answered as before.
 *   <li>Q8: duplicates are counted on the record of the task that they were answered with.
 *   <li>Q9: the depth of a queue counts each of its tasks that is open or dead, once.
 *   <li>Q10: no setting of one queue changes what another one gives.
 * </ol>
 *
 * <h3>Looking and sweeping</h3>
 *
 * <ol>
 *   <li>L1: a listing is in falling order of ids and its pages neither repeat nor miss a task that was there throughout.
 *   <li>L2: a listener is told of due and of ended tasks after the operation that made them so.
 *   <li>W1: a sweep removes the data of tasks that ended longer ago than their retention, and nothing that is open.
 *   <li>W2: a record outlives its task's data as a tombstone that answers with the remembered outcome.
 *   <li>W3: a sweep removes records whose task has ended and whose window has passed, and no others.
 *   <li>W4: a sweep removes at most as many as it may, and says whether there is more.
 * </ol>
 *
 * <h3>The small print</h3>
 *
 * <ul>
 *   <li>Time: an operation has one now, cut to milliseconds, for the whole batch, and every time that is stored is cut to
 *       milliseconds. A task is due, a lease has run out, a window or a retention has passed from that very instant on.
 *   <li>S5: an id is recognised while the task's data is stored, and after that as long as the record of the submission's
 *       identity names it. Without either it is a new task.
 *   <li>S10: while a replaced task of an identity still runs, every newer task made under that identity waits for it, a
 *       rerun too. It keeps its start as its due time and becomes pending in the very step in which the other ends. So of
 *       one identity never more than one task is pending or running. A new task that replaces begins a lineage of its own.
 *   <li>S12: a redrive that takes its key back from another task, or takes a free key, begins a series with its next run,
 *       because its own series may have that run already.
 *   <li>C3, M7: before it takes any, a claim ends those tasks of its queues and types that were asked to cancel and whose
 *       lease has run out; a sweep does so for all queues. Their last attempt is kept as vanished. Each may do so in bounded
 *       steps.
 *   <li>C5: a task whose lease has run out is one with a vanished attempt, even before anybody has counted it.
 *   <li>C6: ties are in order of creation.
 *   <li>C7: what takes turns is each tenant in each queue. This holds for claims of one task as well, because that is what
 *       busy workers send: for example, each claim begins with another one by its claim number.
 *   <li>C8: a task belongs to the claim while it runs under the attempt that the claim began, even if the lease has run
 *       out. A repeated claim that finds none of its own is done as if sent for the first time; one that finds some takes
 *       no others.
 *   <li>C9: running tasks count with the end of their lease, those just taken too. The answer is never later than the
 *       truth, and may be earlier. A claim that reached its limit need not say anything; one that left out due tasks for
 *       another reason than its limit says zero.
 *   <li>C10: a claim always takes at least one task if it may take any. One that the bytes cut short says zero (C9). A
 *       repeated claim returns all that it took, also if it allows less by now.
 *   <li>M1: a lease that ran out still holds until another attempt has begun, for every move of its worker.
 *   <li>M2: ends are the same if their outcome is the same. An extension under an attempt that has ended is stale.
 *   <li>M2, M8: a redrive of a death that was redriven before is applied, whatever became of the task since. A redrive
 *       of anything else than the newest death is stale.
 *   <li>M5: the lease ends as long after now as the extension says, also if that is earlier than before.
 *   <li>M7: the attempt keeps its own outcome and error, and a failure still counts.
 *   <li>M8: the key can be taken back if its record names the task, is gone, or names a task that has ended and whose
 *       window has passed, and if no other task of the identity is open. A window that has passed begins anew, with the
 *       ttl that the task was submitted with; so this and the input hash are kept with the task.
 *   <li>M9: not while any task of the identity is open, a replaced one that still runs included. A key that is gone is
 *       released already if the task is there and had it, and not found otherwise; one that another task has is
 *       superseded.
 *   <li>W3: not while any task of the identity is open, either.
 *   <li>E1: a lease that ran out still holds until another attempt has begun, as for every move of a worker. An intent that is
 *       sent again while its attempt runs is applied and changes nothing; after that it is stale, because whoever gets the
 *       answer runs the effect.
 *   <li>E2: an outcome of an effect that was never intended is not found. An attempt may record the outcome of an intent of
 *       an earlier one, which it found out otherwise.
 *   <li>E1 to E8: {@link StoredEffect} has the rules, as pure functions that every store calls.
 *   <li>E5: a vanished attempt runs until somebody claims its task or a sweep ends it.
 *   <li>E7: a parked task keeps its due time. Cancelled, replaced or given up it ends at once, like any that waits. A park
 *       makes its attempt the one that dealt with the effect last, so a word that fits it wakes this task.
 *   <li>E8: giving up is refused while the task is open otherwise than parked; of a task that has ended, or has gone, it is
 *       only noted. A task that was given up is failed with the person's words as its error and no further failure, makes a
 *       dead letter where its queue says so, and can be redriven at its last attempt like any other.
 *   <li>E10: that is when no task of the lineage is stored, and no record of it could make another one: there is none, or it
 *       remembers a completed task. They go with the sweep, the release, the submission or the redrive that makes it so. In a
 *       queue with a retention of zero they go with the completion of a task if no other one of the lineage is stored; an
 *       outcome that is sent again after that is stale.
 *   <li>C9, Q2 to Q4: tasks that a pause, a limit or a concurrency holds back do not count as due. The answer says when a
 *       limit allows the next one, or when a lease in the way of a concurrency runs out. A change of a queue's settings
 *       is told to listeners like a task that is due, and so is a free place.
 *   <li>Q2: what runs goes on.
 *   <li>Q3: {@link dev.semel.task.RateLimit} says how many may start; the mark belongs to the queue and starts at zero. A
 *       change of settings sets it back if it is too far ahead for the limit that holds from then on; so does a claim, if
 *       the clock was turned back.
 *   <li>Q4: an extension under a lease that had run out holds, although its place may have been given away meanwhile; then
 *       one more runs until one of them ends.
 *   <li>Q5: a running task holds its mutex until its attempt has ended, also if its lease has run out: it is the next to
 *       run then. Who waits becomes pending in order of due times, one for each end of a task with the mutex, its
 *       cancellation while pending included. A claim may find more than one pending; those that it leaves out are
 *       waiting from then on.
 *   <li>Q5, S10: a task that waits for a replaced one waits for that first.
 *   <li>Q6: {@link DeadLetter} makes the task. It tells of failed and timed out tasks, not of cancelled ones.
 *   <li>Q7: the bare task stays, with its attempts, until a sweep removes it; its record answers that the data has gone.
 *   <li>Q8: a new holder of the key begins at zero; a redrive does not.
 * </ul>
 */
public interface TaskStore extends Submitting, AutoCloseable {

    /**
     * How many calls of {@link #submit} at the same time are worth their while where many callers submit singly and share
     * calls. Nothing but speed depends on it.
     *
     * @return 1, unless the store carries them out side by side
     */
    default int concurrentSubmissions() {
        return 1;
    }

    /**
     * Gives due tasks to a worker, each with a lease.
     *
     * @param request what the worker wants
     * @return what it gets
     */
    Claims claim(ClaimRequest request);

    /**
     * Makes moves, one answer per item, in order.
     *
     * @param batch the moves
     * @return as many answers as there are moves
     */
    List<Applied> apply(List<Transition> batch);

    /**
     * Reads tasks by id.
     *
     * @param ids which ones
     * @return those that are there
     */
    Map<TaskId, Task> find(Collection<TaskId> ids);

    /**
     * Reads the history of tasks.
     *
     * @param ids which ones
     * @return the attempts of each that was ever claimed, oldest first
     */
    Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids);

    /**
     * Reads the history of one task.
     *
     * @param id which one
     * @return its attempts, oldest first; empty if it was never claimed or is not there
     */
    default List<Attempt> attempts(TaskId id) {
        return attempts(List.of(id)).getOrDefault(id, List.of());
    }

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
     * @param query which ones
     * @return at most as many as the query's limit, and where to go on
     */
    EffectPage effects(EffectQuery query);

    /**
     * Lists tasks, newest first.
     *
     * @param query which ones
     * @return at most as many as the query's limit, and where to go on
     */
    Page list(TaskQuery query);

    /**
     * Reads the records of identities.
     *
     * @param identities which ones
     * @return the records that are there, also those whose window has passed
     */
    Map<Identity, KeyRecord> records(Collection<Identity> identities);

    /**
     * Reads the record of one identity.
     *
     * @param identity which one
     * @return the record, also if its window has passed; empty if there is none
     */
    default Optional<KeyRecord> record(Identity identity) {
        return Optional.ofNullable(records(List.of(identity)).get(identity));
    }

    /**
     * Reads the settings of queues.
     *
     * @return the queues of which anything was ever declared or set
     */
    Map<String, QueueSetUp> queues();

    /**
     * Counts the tasks of queues.
     *
     * @return the queues that have tasks that are open or dead; others may be there with nothing but zeros
     */
    Map<String, QueueDepth> depths();

    /**
     * Removes what may go, in one bounded step.
     *
     * @param request what may go
     * @return what went
     */
    Swept sweep(SweepRequest request);

    /**
     * Registers a listener for hints.
     *
     * @param listener whom to tell
     * @return ends the registration when closed
     */
    Registration listen(StoreListener listener);

    /** Ends a registration. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Closes the store; what was answered stays. */
    @Override
    void close();
}
