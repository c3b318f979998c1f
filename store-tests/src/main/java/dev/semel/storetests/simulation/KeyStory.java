package dev.semel.storetests.simulation;

import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.storetests.simulation.Evidence.Send;
import dev.semel.storetests.simulation.TaskStory.Birth;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** All that is known about one identity: its submissions, and which tasks held it when. */
final class KeyStory {

    /**
     * A task takes the identity: because it is made, or because it is redriven.
     *
     * @param taskId the task
     * @param from the first point in the order of things at which that can have been
     * @param until the point by which it had been; the end of all if that is not known
     * @param certain whether it happened at all
     * @param birth when the task was made, if that is how it took the identity
     * @param isUnseen whether no call saw the task in this life, so that its run, its times and its end are unknown
     */
    record Taking(
            TaskId taskId,
            long from,
            long until,
            boolean certain,
            @Nullable Birth birth,
            boolean isUnseen) {

        boolean isCertainlyBefore(Taking other) {
            return until < other.from
                    || (birth != null
                            && other.birth != null
                            && birth.createdAt().isBefore(other.birth.createdAt()));
        }
    }

    private final Evidence evidence;
    private final Identity identity;
    private final List<Send> sends = new ArrayList<>();
    private final List<Change> releases = new ArrayList<>();
    private @Nullable List<Taking> takings;

    KeyStory(Evidence evidence, Identity identity) {
        this.evidence = evidence;
        this.identity = identity;
    }

    Identity identity() {
        return identity;
    }

    List<Send> sends() {
        return sends;
    }

    List<Change> releases() {
        return releases;
    }

    Set<TaskId> taskIds() {
        Set<TaskId> ids = new LinkedHashSet<>();
        sends.forEach(send -> ids.add(send.item().id()));
        return ids;
    }

    /** All takings, those that are only possible too. */
    List<Taking> takings() {
        if (takings == null) {
            List<Taking> found = new ArrayList<>();
            for (TaskId id : taskIds()) {
                TaskStory task = evidence.task(id);
                Birth birth = task.birth();
                if (birth != null) {
                    found.add(new Taking(id, birth.from(), birth.until(), true, birth, false));
                    found.addAll(redrives(task));
                }
                task.unseenLife().ifPresent(from -> found.add(new Taking(id, from, Long.MAX_VALUE, false, null, true)));
            }
            takings = found;
        }
        return takings;
    }

    private static List<Taking> redrives(TaskStory task) {
        Map<Object, Taking> byDeath = new LinkedHashMap<>();
        for (Change change : task.changes()) {
            if (change.item() instanceof Operation.Redrive && change.mayHaveApplied()) {
                boolean applied = change.answeredApplied();
                long until = applied ? change.earliest().order() : Long.MAX_VALUE;
                Taking taking = new Taking(task.id(), change.earliest().order(), until, applied, null, false);
                byDeath.merge(
                        change.item(),
                        taking,
                        (one, other) -> new Taking(
                                task.id(),
                                Math.min(one.from, other.from),
                                Math.min(one.until, other.until),
                                one.certain || other.certain,
                                null,
                                false));
            }
        }
        return List.copyOf(byDeath.values());
    }

    /** The tasks that may have had the identity at a point: those that took it before, less those that surely lost it. */
    List<Taking> holdersBefore(Taking point) {
        List<Taking> holders = new ArrayList<>();
        for (Taking taking : takings()) {
            if (!taking.taskId.equals(point.taskId)
                    && !point.isCertainlyBefore(taking)
                    && !isSucceededBefore(taking, point)) {
                holders.add(taking);
            }
        }
        return holders;
    }

    private boolean isSucceededBefore(Taking taking, Taking point) {
        for (Taking next : takings()) {
            if (next.certain
                    && !next.taskId.equals(taking.taskId)
                    && !next.taskId.equals(point.taskId)
                    && taking.isCertainlyBefore(next)
                    && next.isCertainlyBefore(point)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a task may have had the identity at a point in the order of things. */
    boolean mayHold(TaskId id, long order) {
        // A point without a task of its own.
        Taking point = new Taking(new TaskId(new UUID(0, 0)), order, order, true, null, false);
        return holdersBefore(point).stream().anyMatch(holder -> holder.taskId.equals(id) && holder.from <= order);
    }

    /** Whether an operator may have released the key of a task before a point. */
    boolean mayBeReleased(TaskId id, long before) {
        return releases.stream()
                .anyMatch(release -> release.mayHaveApplied()
                        && release.item() instanceof Operation.ReleaseKey key
                        && key.taskId().equals(id)
                        && release.earliest().order() < before);
    }

    /** Whether a redrive may have given a task a new window. */
    boolean mayBeRenewed(TaskId id) {
        return evidence.task(id).changes().stream()
                .anyMatch(change -> change.item() instanceof Operation.Redrive && change.mayHaveApplied());
    }

    NewTask.@Nullable KeyRequest requestOf(TaskId id) {
        NewTask item = evidence.task(id).item();
        return item == null ? null : item.key();
    }
}
