package dev.semel.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A store of tasks and idempotency records. Safe for use by many threads, and the durable ones by many processes.
 *
 * <p>Every item of an operation is atomic, and durable before it is answered. Every operation may throw
 * {@link dev.semel.task.StoreUnavailable}: then each of its items may or may not have been done, and it is safe to repeat the
 * same operation.
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
 *   <li>S5: a submission of a task id that was accepted before is answered as created, whatever happened to the task and
 *       its key since.
 *   <li>S6: a batch means its items in order: later items find the tasks of earlier ones.
 *   <li>S7: one rejected item never fails its neighbours.
 *   <li>S8: every cell of the decision table holds for every store.
 *   <li>S9: a rerun after an end without success is a new task of the same identity and lineage with the next run, and the
 *       old task stays as it was.
 *   <li>S10: a replaced task that is not running is cancelled at once; a replaced task that runs is asked to cancel, and
 *       the new one is waiting until the old one has really ended. Workflows: F15.
 *   <li>S11: tasks without a key are never merged, and leave no record.
 *   <li>S12: a new task under a free key begins a series; a rerun or replacement belongs to the series of the task that it
 *       takes the key from, with the next run. No two tasks have the same series and run.
 * </ol>
 *
 * <h3>Claiming</h3>
 *
 * <ol>
 *   <li>C1: a claim gives each due task to exactly one caller and raises its attempt by one. The lease carries the number of
 *       the claim.
 *   <li>C2: a task that is not due is not claimed, and becomes claimable by the passing of time alone.
 *   <li>C3: an expired lease makes the task due again with no other process running; the vanished attempt is counted.
 *   <li>C4: a claim takes only the queues and types it names.
 *   <li>C5: a claim takes no more tasks with a vanished attempt than it allows, and leaves the others due.
 *   <li>C6: within a queue higher priority comes first, then earlier due time; a minute of waiting outweighs one step of
 *       priority.
 *   <li>C7: no queue and no tenant starves another: a claim of several with backlog takes from each.
 *   <li>C8: a claim repeated with its number returns the tasks that it took and that still belong to it.
 *   <li>C9: a claim that takes less than it may returns how long until the next task is due.
 *   <li>C10: the inputs that a claim takes have together no more bytes than it allows, unless it takes a single task.
 *   <li>C11: a claim that is narrowed to a tenant takes that tenant's tasks and no others, repeated too, and returns how long until
 *       the next one of them is due.
 * </ol>
 *
 * <h3>Settling and operating</h3>
 *
 * <ol>
 *   <li>M1: a settlement with an old attempt is stale and changes nothing.
 *   <li>M2: a settlement repeated after a lost answer is answered as applied again and changes nothing, even after
 *       another attempt has begun.
 *   <li>M3: an attempt ends once: another end under the same lease is stale.
 *   <li>M4: a retry counts a failure; a put-back does not; neither lowers the attempt.
 *   <li>M5: an extension moves the end of the lease, even after it has expired, unless another attempt has begun.
 *   <li>M6: cancelling a pending or waiting task ends it at once; a running one is asked to cancel, stays open, and
 *       its worker is notified with the next extension.
 *   <li>M7: a task that was asked to cancel ends as cancelled when its attempt fails, is put back or vanishes, and as
 *       completed if it completes.
 *   <li>M8: a redrive makes a dead letter pending under a fresh budget as the same task, and takes its key back in the same
 *       step; if a newer task holds the key it is superseded and changes nothing.
 *   <li>M9: a key is released only if its task has ended.
 *   <li>M10: a batch of settlements or operations means its items in order, and one rejected item never fails its
 *       neighbours.
 *   <li>M11: every attempt is kept with its worker, its times, its outcome and its error.
 * </ol>
 *
 * <h3>Effects</h3>
 *
 * <ol>
 *   <li>E1: an intent is recorded under the newest attempt while it runs, and under no other; what is rejected changes
 *       nothing.
 *   <li>E2: an outcome is recorded under the newest attempt while it runs; sent again after a lost answer it is answered as
 *       applied, even after another attempt has begun.
 *   <li>E3: an effect that is done stays so: a later intent or outcome is answered as concluded and changes nothing.
 *   <li>E4: what one task recorded is read by every later attempt, redrive and rerun of its lineage, and by no other
 *       lineage.
 *   <li>E5: an intent without an outcome is in progress while its attempt runs, and unknown from then on.
 *   <li>E6: an unknown effect can be intended again until its provider's window has passed, counted from its first intent;
 *       one that is not done begins anew.
 *   <li>E7: a parked task is waiting without a lease, a slot or a mutex, and its attempt costs no failure; if its effect
 *       was resolved meanwhile it is pending at once.
 *   <li>E8: a resolution settles an unknown effect once and is kept; it lets a parked task continue in the same step, or
 *       fails it if it is given up; it is rejected while the effect is in progress, and stale once another attempt has
 *       recorded something about it.
 *   <li>E9: a listing of effects is in the order of their ids and its pages neither repeat nor miss one that was there
 *       throughout.
 *   <li>E10: effects are deleted when nothing can continue their lineage, and not before.
 *   <li>E11: a listing of effects that is narrowed to a tenant has the effects of that tenant's lineages and no others.
 *   <li>E12: a referral leaves an unknown effect to a person under the newest attempt while it runs, and ends nothing; sent again it is applied once,
 *       and of an effect with an outcome it is answered as concluded.
 * </ol>
 *
 * <h3>Queues</h3>
 *
 * <ol>
 *   <li>Q1: what is set at run time takes precedence over what is declared, setting by setting, and a reset restores what
 *       is declared.
 *   <li>Q2: a paused queue gives nothing to a claim; resumed, it gives what it would have given.
 *   <li>Q3: a queue with a rate limit gives to all claims together what its limit allows, and within any span no more than
 *       that and one burst.
 *   <li>Q4: of a queue with a concurrency no more tasks run than it says, over all claims together, and a slot is free
 *       again as soon as an attempt has ended or its lease has expired.
 *   <li>Q5: of the tasks of one mutex never two run; those that would are waiting, and one becomes pending when the one
 *       that runs has ended or was put back.
 *   <li>Q6: a task that dies in a queue with a dead-letter queue creates one task there in the same step, and circles of
 *       queues are rejected.
 *   <li>Q7: in a queue with a retention of zero a task's input and result are deleted with its completion or cancellation,
 *       and a repeated submission or settlement of it is answered as before.
 *   <li>Q8: a submission that is answered with an existing task is counted on its record, at the latest when the record is
 *       read through the same store.
 *   <li>Q9: the depth of a queue counts each of its tasks that is open or dead, once.
 *   <li>Q10: no setting of one queue changes what another one gives.
 *   <li>Q11: depths that are narrowed to a tenant count that tenant's tasks and no others, and name no queue in which it
 *       never had any.
 * </ol>
 *
 * <h3>Schedules</h3>
 *
 * <ol>
 *   <li>T1: a change of a schedule is carried out only if the schedule has the version that it expects; then the schedule, the
 *       tasks that the change creates and those that it cancels change in one step. Otherwise it is stale and changes nothing.
 *   <li>T2: of any number of concurrent changes of one version exactly one is carried out.
 *   <li>T3: a change that is sent again after a lost answer is answered as applied and changes nothing, until another change
 *       follows it.
 *   <li>T4: a change is stale before its time by the store's clock.
 *   <li>T5: due are the schedules whose next tick is not after the store's time, earliest first; the answer says how long it is
 *       until the next one.
 *   <li>T6: a listing of schedules is in the order of their ids and its pages neither repeat nor miss one that was there
 *       throughout.
 * </ol>
 *
 * <h3>Workflows</h3>
 *
 * <ol>
 *   <li>F1: an advance adds its lines to the history and starts and watches its steps in one step, under the newest attempt while
 *       it runs and under no other; what is rejected changes nothing.
 *   <li>F2: the lines of a history are numbered without gaps. An advance that is sent again while its attempt runs is applied once;
 *       lines that do not follow the stored ones are stale.
 *   <li>F3: a step is decided as any other submission; a key's existing task becomes the step, and one that conflicts or is
 *       rejected is an entry without success in the inbox.
 *   <li>F4: the end of a watched task, however it ends, is one entry in the inbox of each workflow that watches it, with its result
 *       and its error, in the step that ends it; of a task that had ended before, in the step that watches it.
 *   <li>F5: the entries of an inbox are numbered without gaps in the order of acceptance, and none becomes visible before one with
 *       a smaller number.
 *   <li>F6: a wait ends the attempt: the task is waiting without a lease, a slot or a mutex, or pending from the time on at which it
 *       continues by itself. If its inbox has what it waits for already, it is pending at once.
 *   <li>F7: an entry wakes a workflow that waits if it is urgent, or as many are there as the workflow waits for: then it is pending
 *       at once. Signals and ends without success are urgent.
 *   <li>F8: a wait costs no failure and leaves no attempt, unless it has an error; sent again it is applied once. An advance sets
 *       failures and vanished attempts to zero.
 *   <li>F9: a signal to an open task is accepted once for each key, before the first attempt too; sent again it is accepted and
 *       changes nothing. One to a task that has ended, or does not exist, is rejected.
 *   <li>F10: a step that is abandoned is cancelled if the workflow created it and no other one watches it, and its end is an entry. Of a workflow that
 *       has begun an entry requests the cancellation instead, as if it were replaced (F15).
 *       Otherwise it is no longer watched, goes on, and an entry says so, all in one step.
 *   <li>F11: the cancellation of a workflow's task is that of any task (M6, M7): it ends without its code, and its steps go on. A
 *       workflow that has ended gets no more signals. The ends of its steps are still added to its inbox and wake nobody, so that a
 *       redriven workflow does not wait for a step that has ended meanwhile.
 *   <li>F12: a history is read as it was written, and deleted with the data of its task and not before.
 *   <li>F13: the key of a signal is accepted once in all stored tasks of a series: one that an earlier run has accepted is accepted
 *       again and changes nothing. A key of Semel's own is accepted once in each run.
 *   <li>F14: a listing by parent has the tasks that the history of that workflow names as its steps, and no others.
 *   <li>F15: a workflow that is replaced after it has begun is not cancelled: an entry requests its cancellation, once, in the step that
 *       replaces it, and the new task waits until it has ended, in whatever way. One that has not begun or is parked ends at once (S10).
 *   <li>F16: a signal with a start is one step: the submission of the workflow, and the entry in the inbox of the task that is created or,
 *       if that is open, returned. Otherwise there is no entry. Sent again it changes nothing.
 *   <li>F17: a listing of workflows has the tasks that were submitted as workflows or have a history, and no others.
 *   <li>F18: a restart begins the next generation of a workflow's history in one step: lines before its line stay, the others are deleted, and an
 *       entry in the inbox says so and outlines them. The same task is pending at once, under a fresh budget, without a result or a request to
 *       cancel, and has taken its key as a redrive does (M8); if a newer task has it, the answer is superseded and nothing changes. Entries,
 *       watches and attempts stay.
 *   <li>F19: a restart replaces only the generation that it names: sent again it is applied once, and another one of that generation is stale. A
 *       workflow that runs, has not begun, is parked, or waits for another task or its mutex is held; what is no workflow, or has lost its data,
 *       is not found.
 *   <li>F20: the resolution of an effect whose last attempt is that of a workflow is one urgent entry in its inbox, in the step that resolves the
 *       effect. An effect that was referred to a person can be given up while its workflow is open: that is an entry too, and the workflow goes on.
 *   <li>F21: a workflow that continues as new ends its attempt as a wait does, and begins the next generation in that step, without lines and with the
 *       input in its entry: the same task is pending at once. Sent again it is applied once. Task id, key, input and input hash, watches and
 *       watchers stay. If its cancellation was requested, the task is cancelled instead and its history stays.
 *   <li>F22: of the inbox of a workflow that continues as new, entries stay that its code has not seen or has not received, with their numbers. Signals
 *       that it has received lose everything but their keys, by which they are still recognised; answers stay, up to a number and a size, the newest; other entries are deleted.
 *   <li>F23: an advance that answers a question adds its line and an entry with the answer, which is read like every other. A question is answered once:
 *       a second answer adds its line and no entry, in a later generation too, for as long as the first one is kept.
 *   <li>F24: in a batch, the end of an attempt that follows its advance is not carried out if the advance is rejected as full or busy: it gets the same
 *       answer and changes nothing. Nor is it carried out if the advance fails.
 * </ol>
 *
 * <h3>Time limits</h3>
 *
 * <ol>
 *   <li>D1: a task of which no attempt has begun by its start-by is not claimed any more and ends as timed out, at the latest with the next sweep,
 *       with an error that says so.
 *   <li>D2: a task whose time limit has passed while it does not run is not claimed any more and ends as timed out in the same way.
 *   <li>D3: a running task whose time limit has passed is asked to cancel (M6), and is timed out where it would be cancelled (M7). One that was asked
 *       to cancel before is cancelled.
 *   <li>D4: limits count from the creation of the task. A redrive gives the same limits again, counted from then on.
 *   <li>D5: an end between attempts takes the next attempt number, of which no attempt is kept. A redrive names it (M8), and each such end makes a dead
 *       letter (Q6).
 *   <li>D6: a submission that is answered with an existing task, or repeated, leaves the limits of that task as they are.
 * </ol>
 *
 * <h3>Looking and sweeping</h3>
 *
 * <ol>
 *   <li>L1: a listing is in falling order of ids and its pages neither repeat nor miss a task that was there throughout.
 *   <li>L2: a listener is notified of due and of ended tasks after the operation that made them so.
 *   <li>L3: a store that was closed refuses every operation as closed, and no operation answers that a retry would help.
 *   <li>L4: a listing by tag has the tasks that were submitted with it, newest first, and no others. Tags stay as they were submitted, and are deleted
 *       with the data of their task.
 *   <li>W1: a sweep removes the data of tasks that ended longer ago than their retention, and nothing that is open. Workflows, as in
 *       F17, have a retention of their own where their queue has none.
 *   <li>W2: a record outlives its task's data as a tombstone that answers with the remembered outcome.
 *   <li>W3: a sweep removes records whose task has ended and whose window has passed, and no others.
 *   <li>W4: a sweep removes at most as many as it may, and says whether there is more.
 *   <li>W5: an erasure removes the data of one task that has ended as a sweep does, in one step, whatever its retention; of an open
 *       task it changes nothing. Effects that stay (E10) lose their results, notes and reasons once no task of their lineage is stored.
 * </ol>
 *
 * <h3>The small print</h3>
 *
 * <ul>
 *   <li>Time: an operation has one current time, truncated to milliseconds, for the whole batch, and every stored time is
 *       truncated to milliseconds. A task is due, a lease has expired, a window or a retention has passed from that instant
 *       on.
 *   <li>S5: an id is recognised while the task's data is stored, and after that as long as the record of the submission's
 *       identity names it. Without either it is a new task.
 *   <li>S10: while a replaced task of an identity still runs, every newer task of that identity waits for it, a
 *       rerun too. It keeps its start as its due time and becomes pending in the step in which the other ends. So of
 *       one identity never more than one task is pending or running. A new task that replaces begins a lineage of its own.
 *   <li>S12: a redrive that takes its key back from another task, or takes a free key, begins a series with its next run,
 *       because its own series may have that run already.
 *   <li>C3, M7: before it takes any, a claim ends those tasks of its queues and types that were asked to cancel and whose
 *       lease has expired; a sweep does so for all queues. Their last attempt is kept as vanished. Each may do so in bounded
 *       steps.
 *   <li>S10: a sweep with a limit of zero does that and removes nothing. Instances with a worker send it at a third of a
 *       lease, so that a successor in another queue does not wait for a queue that has lost its last worker.
 *   <li>D1 to D3: before it takes any, a claim ends the overdue tasks among those that it could take, and may end others. A sweep, also one with a
 *       limit of zero, ends those of all queues. {@link TimeLimitDecision} has the rules.
 *   <li>D4, F18: a restart leaves a workflow without a start-by.
 *   <li>C5: a task whose lease has expired is one with a vanished attempt, even before that attempt is counted.
 *   <li>C6: ties are in order of creation.
 *   <li>C7: each tenant in each queue is a group, and groups take turns. This holds for claims of one task as well, because
 *       that is what busy workers send: for example, each claim begins with another group, chosen by its claim number.
 *   <li>C8: a task belongs to the claim while it runs under the attempt that the claim began, even if the lease has
 *       expired. A repeated claim that finds none of its own is done as if sent for the first time; one that finds some takes
 *       no others.
 *   <li>C9: running tasks count with the end of their lease, those just taken too. The answer is never later than the
 *       truth, and may be earlier. A claim that reached its limit may answer null; one that left out due tasks for another
 *       reason answers zero.
 *   <li>C10: a claim always takes at least one task if it may take any. One that was limited by bytes answers zero
 *       (C9). A repeated claim returns all that it took, even if it allows less by now.
 *   <li>M1: an expired lease still holds until another attempt has begun, for every settlement.
 *   <li>M1: a settlement whose lease has the number of another claim is applied to the attempt that the lease names, or is
 *       stale; it changes no other attempt and no other task.
 *   <li>M2: ends are the same if their outcome is the same. An extension under an attempt that has ended is stale.
 *   <li>M2, M8: a redrive of a death that was redriven before is applied, whatever happened to the task since. A redrive
 *       of anything else than the newest death is stale.
 *   <li>M5: the lease ends as long after now as the extension says, even if that is earlier than before.
 *   <li>M7: the attempt keeps its own outcome and error, and a failure still counts.
 *   <li>M8: the key can be taken back if its record names the task, does not exist, or names a task that has ended and whose
 *       window has passed, and if no other task of the identity is open. A window that has passed begins again, with the
 *       ttl that the task was submitted with; so this and the input hash are kept with the task.
 *   <li>M9: not while any task of the identity is open, a replaced one that still runs included. A key without a record
 *       is released already if the task is stored and had it, and not found otherwise; a key that another task holds is
 *       superseded.
 *   <li>W3: not while any task of the identity is open, either.
 *   <li>E1: an expired lease still holds until another attempt has begun, as for every settlement. An intent that is
 *       sent again while its attempt runs is applied and changes nothing; after that it is stale, because a worker that
 *       gets the answer runs the effect.
 *   <li>E2: an outcome of an effect that was never intended is not found. An attempt may record the outcome of an intent of
 *       an earlier one, which it knows from a probe.
 *   <li>E1 to E8: {@link StoredEffect} has the rules, as pure functions that every store calls.
 *   <li>E5: a vanished attempt runs until its task is claimed or a sweep ends it.
 *   <li>E7: a parked task keeps its due time. If it is cancelled, replaced or given up, it ends at once, like every waiting
 *       task. A park makes its attempt the last one that recorded something about the effect, so a resolution of that attempt
 *       wakes this task.
 *   <li>E8: giving up is rejected while the task is open but not parked; of a task that has ended, or is no longer stored, it
 *       is only recorded. A task that was given up is failed with the person's reason as its error and no further failure,
 *       makes a dead letter where its queue says so, and can be redriven at its last attempt like any other.
 *   <li>E10: that is when no task of the lineage is stored, and no record of it could make another one: there is none, or it
 *       remembers a completed task. They are deleted with the sweep, the release, the submission or the redrive that makes it
 *       so. In a queue with a retention of zero they are deleted with the completion of a task if no other one of the lineage
 *       is stored; an outcome that is sent again after that is stale.
 *   <li>F1 to F10: {@link StoredFlow} has the rules, as pure functions that every store calls.
 *   <li>F1: in a batch with an advance and the end of the same attempt the advance is stale when the batch is sent again, as an
 *       intent is (E1).
 *   <li>F1: an advance is rejected as full if the history and the inbox would exceed {@link dev.semel.task.Limits#HISTORY_LINES} or
 *       {@link dev.semel.task.Limits#HISTORY_BYTES}, and so is a signal. The ends of steps are always accepted.
 *   <li>F4: a redrive of a step is not watched: the workflow has its entry.
 *   <li>F6, C9: a workflow that waits until a time is a pending task that is due later, for claims, listings and depths. A due time
 *       before now is now.
 *   <li>F7: only a workflow whose newest attempt ended with a wait is woken. One that is parked, is retried or waits for its mutex
 *       stays as it is.
 *   <li>F7, Q5: a woken workflow takes its mutex again with its next attempt, and others may have had it meanwhile.
 *   <li>F7, Q3: a workflow that continues after a wait, because of an entry, its time, or because it did not have to wait, uses nothing of
 *       a rate limit. A claim takes those of a queue with such a limit before other tasks of that queue. They count for the concurrency.
 *       A retry, a redrive and the attempt after a vanished one are starts.
 *   <li>F8: an attempt of which nothing is kept and that is not newer than the newest one that waited has waited.
 *   <li>F12, F18: the lines that a restart does not keep are deleted by it, and no others are before the data of their task.
 *   <li>F9, F18: a restart gives the entry that requested a cancellation another key, so that the cancellation of the new generation can be requested.
 *   <li>F19: a restart of the generation before the present one is the same if its line is.
 *   <li>F20: a workflow that has ended gets the entry if it has counters, as it gets the ends of its steps (F11). One that was parked (E7) continues or
 *       fails as any other task does, and gets the entry.
 *   <li>F5, F22: the numbers of entries go on after some were deleted. What counts against the limit of a history is what is stored.
 *   <li>F9, F22: the keys of the newest {@link Continuation#KEYS_KEPT} received signals are kept.
 *   <li>F19, F21: a restart of a generation before the newest continuation is stale.
 *   <li>Q1: a queue without any setting, neither declared nor set, is not listed.
 *   <li>C9, Q2 to Q4: tasks that a pause, a limit or a concurrency holds back do not count as due. The answer says when a
 *       limit allows the next one, or when a lease that uses up a concurrency expires. Listeners are notified of a
 *       change of a queue's settings as of a task that is due, and so of a free slot.
 *   <li>Q2: running tasks continue.
 *   <li>Q3: {@link dev.semel.task.RateLimit} says how many may start; the mark belongs to the queue and starts at zero. A
 *       change of settings sets it back if it is too far ahead for the limit that holds from then on; so does a claim, if
 *       the clock was turned back.
 *   <li>Q4: an extension under an expired lease is applied, although its slot may have been given away meanwhile; then one
 *       task more runs until one of them ends.
 *   <li>Q5: a running task holds its mutex until its attempt has ended, even if its lease has expired: it is the next to
 *       run then. Waiting tasks become pending in order of due times, one for each end of a task with the mutex, its
 *       cancellation while pending included. A claim may find several of them pending; those that it leaves out are
 *       waiting from then on.
 *   <li>Q5, S10: a task that waits for a replaced one waits for that first.
 *   <li>Q6: {@link DeadLetter} creates the task, for failed and timed out tasks and not for cancelled ones.
 *   <li>Q7: the bare task stays, with its attempts, until a sweep removes it; its record answers that the data was deleted.
 *   <li>Q8: a new holder of the key begins at zero; a redrive does not.
 * </ul>
 */
public interface TaskStore extends Submitting, Working, Reading, Operating, AutoCloseable {

    @Override
    default Map<String, QueueSetUp> queues(Collection<String> names) {
        Map<String, QueueSetUp> wanted = new HashMap<>(queues());
        wanted.keySet().retainAll(names);
        return wanted;
    }

    /**
     * Registers a listener for hints.
     *
     * @param listener is notified
     * @return ends the registration when closed
     */
    Registration listen(StoreListener listener);

    /**
     * Returns the capability to submit inside a JDBC transaction of the caller's own.
     *
     * @return the capability, or empty if this store has none
     */
    default Optional<Joining> joining() {
        return Optional.empty();
    }

    /**
     * Returns the capability to complete a task in one transaction with writes of its handler.
     *
     * @return the capability, or empty if this store has none
     */
    default Optional<Transacting> transacting() {
        return Optional.empty();
    }

    /**
     * Returns whether another program maintains the store: a server that removes what has outlived its retention, ends vanished
     * attempts and makes the ticks of schedules. Then the engine in this process does none of that by itself.
     *
     * @return true if another program does so
     */
    default boolean isMaintained() {
        return false;
    }

    /**
     * Returns the shortest lease that the store accepts. A claim or an extension with a shorter one throws
     * {@link dev.semel.task.InvalidInput}, and no worker starts with one. On a store whose writes take long a shorter lease could
     * expire while its extension is on the way.
     *
     * @return the length; zero if the store accepts every lease
     */
    default Duration shortestLease() {
        return Duration.ZERO;
    }

    /** Ends a registration. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Closes the store; what was answered stays. Every later operation throws {@link dev.semel.task.StoreUnusable}, and its
     * {@code isClosed()} is true. Closing it again does nothing.
     */
    @Override
    void close();
}
