package dev.semel.storetests.simulation;

import dev.semel.store.Attempt;
import dev.semel.store.Claims;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.storetests.simulation.History.Answer;
import dev.semel.storetests.simulation.History.Entry;
import dev.semel.task.Lease;
import dev.semel.task.TaskState;
import java.util.List;
import java.util.Set;

/** Looks whether a worker that says that it is closed has left a task running. */
final class Held {

    private Held() {}

    static void by(String worker, World world) {
        TaskQuery running = new TaskQuery(null, null, null, Set.of(TaskState.RUNNING), null, null, TaskQuery.MAX_LIMIT);
        for (Task task : world.store.list(running).tasks()) {
            List<Attempt> attempts = world.store.attempts(task.id());
            // A claim that arrived after its sender had given it up is nobody's fault: its lease runs out.
            if (!attempts.isEmpty()
                    && attempts.getLast().worker().equals(worker)
                    && wasHanded(worker, new Lease(task.id(), task.progress().attempt()), world.history)) {
                throw new Broken(
                        Invariant.CLOSING,
                        worker + " is closed, but " + world.wording.of(task) + " (" + task.id()
                                + ") still runs in its name");
            }
        }
    }

    private static boolean wasHanded(String worker, Lease lease, History history) {
        for (Entry<?> entry : history.entries()) {
            Answer<?> answer = entry.answer();
            if (entry.party.equals(worker)
                    && answer != null
                    && answer.value() instanceof Claims claims
                    && claims.tasks().stream()
                            .anyMatch(claimed -> claimed.lease().equals(lease))) {
                return true;
            }
        }
        return false;
    }
}
