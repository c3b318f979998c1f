package dev.semel.storetests.storm;

import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task;
import dev.semel.storetests.storm.StormOperation.Certainty;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the histories of all actors into one list of operations, and finds out what happened to calls whose answer was lost: from
 * the answer to their repetition, and from what others saw.
 */
final class HistoryReader {

    /** What a call saw of a task: that it was created, when, and as which run. */
    record Sighting(int run, Instant createdAt) {}

    private final Map<TaskId, Sighting> seen = new HashMap<>();
    private final List<StormOperation> operations = new ArrayList<>();
    private final Set<Identity> unseenLosses = new HashSet<>();

    private final FlowEvidence flows;

    private HistoryReader(FlowEvidence flows) {
        this.flows = flows;
    }

    /**
     * Reads histories.
     *
     * @param histories those of all actors
     * @param stored the tasks that are stored at the end
     * @return the operations, each with an answer or marked as lost
     */
    static HistoryReader read(Collection<StormHistory> histories, Collection<Task> stored) {
        HistoryReader reader = new HistoryReader(new FlowEvidence(histories));
        Map<TaskId, List<StormOperation>> submissions = new LinkedHashMap<>();
        Map<Object, List<StormOperation>> changes = new LinkedHashMap<>();
        stored.forEach(reader::saw);
        for (StormHistory history : histories) {
            for (StormOperation operation : history.operations()) {
                reader.look(operation);
                switch (operation.action()) {
                    case StormOperation.Submit submit ->
                        submissions
                                .computeIfAbsent(submit.item().id(), id -> new ArrayList<>())
                                .add(operation);
                    case StormOperation.Settle settle -> add(changes, settle.settlement(), operation);
                    case StormOperation.Operate operate -> add(changes, operate.operation(), operation);
                    case StormOperation.Claim claim -> reader.operations.add(operation);
                    case StormOperation.Look look -> reader.operations.add(operation);
                    case StormOperation.LookUp lookUp -> reader.operations.add(operation);
                    case StormOperation.LetterLook letter -> reader.operations.add(operation);
                    case StormOperation.Signal signal -> reader.operations.add(operation);
                    case StormOperation.StepReturned returned -> reader.operations.add(operation);
                }
            }
        }
        submissions.forEach(reader::submissions);
        changes.forEach(reader::sends);
        return reader;
    }

    private static void add(Map<Object, List<StormOperation>> changes, Object change, StormOperation operation) {
        changes.computeIfAbsent(change, same -> new ArrayList<>()).add(operation);
    }

    List<StormOperation> operations() {
        return operations;
    }

    /** What was read of workflows. */
    FlowEvidence flows() {
        return flows;
    }

    /** The tasks that any call saw. */
    Map<TaskId, Sighting> seen() {
        return seen;
    }

    /**
     * The identities with a submission whose answer was lost and whose task was never seen. Where nothing is swept it was not created;
     * otherwise it may have been made, replaced and removed.
     */
    Set<Identity> unseenLosses() {
        return unseenLosses;
    }

    // ---- evidence

    private void saw(Task task) {
        seen.put(task.id(), new Sighting(task.run(), task.createdAt()));
    }

    private void saw(ExistingTask task) {
        seen.put(task.taskId(), new Sighting(task.run(), task.createdAt()));
    }

    private void look(StormOperation operation) {
        switch (operation.action()) {
            case StormOperation.Submit(NewTask item, Submitted answer) -> {
                switch (answer) {
                    case null -> {}
                    case Submitted.Created created ->
                        seen.put(created.taskId(), new Sighting(created.run(), created.createdAt()));
                    case Submitted.Returned(ExistingTask task, boolean differs) -> saw(task);
                    case Submitted.Rejected(ExistingTask task, boolean differs) -> saw(task);
                    case Submitted.Conflicted(ExistingTask task) -> saw(task);
                    case Submitted.Busy busy -> {}
                    case Submitted.Cancellation cancellation -> {}
                    case Submitted.Signalled signalled -> {}
                }
            }
            case StormOperation.Claim claim -> saw(claim.claimed().task());
            case StormOperation.Look look -> {
                if (look.found() != null) {
                    saw(look.found());
                }
            }
            case StormOperation.LookUp lookUp -> {
                if (lookUp.found() != null) {
                    seen.put(
                            lookUp.found().taskId(),
                            new Sighting(lookUp.found().run(), lookUp.found().createdAt()));
                }
            }
            case StormOperation.Settle settle -> {}
            case StormOperation.Operate operate -> {}
            case StormOperation.LetterLook letter -> {}
            case StormOperation.Signal signal -> {}
            case StormOperation.StepReturned returned -> {}
        }
    }

    // ---- submissions

    private void submissions(TaskId id, List<StormOperation> sends) {
        sends.sort(Comparator.comparingLong(send -> send.span().asked()));
        Span lost = null;
        StormOperation lostSend = null;
        boolean made = false;
        for (StormOperation send : sends) {
            Submitted answer = ((StormOperation.Submit) send.action()).answer();
            if (answer == null) {
                lost = lost == null ? send.span() : lost;
                lostSend = send;
            } else if (answer instanceof Submitted.Created && lost != null && !made) {
                // Made by one of the sends; this answer may be that to a repetition.
                operations.add(send.with(send.span().since(lost), send.action(), Certainty.REPEATED));
                made = true;
            } else if (!(answer instanceof Submitted.Busy)) {
                operations.add(send);
                made = made || answer instanceof Submitted.Created;
            }
        }
        Sighting sighting = seen.get(id);
        if (lostSend == null || lost == null || made) {
            return;
        }
        NewTask item = ((StormOperation.Submit) lostSend.action()).item();
        if (sighting != null) {
            Submitted.Created created =
                    new Submitted.Created(id, sighting.run(), TaskState.PENDING, sighting.createdAt());
            operations.add(lostSend.with(
                    lostSend.span().since(lost), new StormOperation.Submit(item, created), Certainty.REPEATED));
        } else if (flows.existing().containsKey(id)) {
            operations.add(lostSend.with(
                    lostSend.span().since(lost),
                    new StormOperation.StepReturned(item, flows.existing().get(id)),
                    Certainty.REPEATED));
        } else if (item.key() != null && !flows.rejected().contains(id)) {
            unseenLosses.add(item.key().identity());
        }
    }

    // ---- settlements and operations

    /** All sends of one settlement or operation. */
    private void sends(Object change, List<StormOperation> sends) {
        sends.sort(Comparator.comparingLong(send -> send.span().asked()));
        List<StormOperation> lost = new ArrayList<>();
        boolean applied = false;
        for (StormOperation send : sends) {
            Object answer = answer(send);
            if (answer == null && send.certainty() == Certainty.LOST) {
                lost.add(send);
            } else if ((answer == Settled.APPLIED || answer == Operated.APPLIED) && isSafeToMerge(change) && !applied) {
                applied = true;
                Span span = lost.isEmpty()
                        ? send.span()
                        : send.span().since(lost.getFirst().span());
                operations.add(
                        send.with(span, send.action(), lost.isEmpty() ? Certainty.ANSWERED : Certainty.REPEATED));
            } else {
                operations.add(send);
            }
        }
        if (!applied) {
            lost.forEach(send -> operations.add(send.with(send.span(), send.action(), Certainty.LOST)));
        }
    }

    private static @Nullable Object answer(StormOperation send) {
        return switch (send.action()) {
            case StormOperation.Settle settle -> settle.answer();
            case StormOperation.Operate operate -> operate.answer();
            default -> throw new IllegalArgumentException("Not a settlement or an operation: " + send);
        };
    }

    /**
     * Whether a repetition after a lost answer is answered as applied exactly if any of the sends was, and nothing of it can be
     * undone in between. An outcome of an effect can: a later intent begins it again.
     */
    private static boolean isSafeToMerge(Object change) {
        return change instanceof Settlement.Ending
                || change instanceof Operation.Redrive
                || change instanceof Operation.Restart;
    }
}
