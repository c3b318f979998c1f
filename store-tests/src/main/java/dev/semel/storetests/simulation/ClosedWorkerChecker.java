package dev.semel.storetests.simulation;

import dev.semel.store.Attempt;
import dev.semel.store.Claims;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.storetests.simulation.History.Answer;
import dev.semel.storetests.simulation.History.Entry;
import dev.semel.task.AttemptId;
import dev.semel.task.TaskState;
import java.util.List;
import java.util.Set;

/** Checks that a worker that reports that it is closed has left no task running. */
final class ClosedWorkerChecker {

    private ClosedWorkerChecker() {}

    static void check(String worker, World world) {
        TaskQuery running = new TaskQuery(null, null, null, Set.of(TaskState.RUNNING), null, null, TaskQuery.MAX_LIMIT);
        for (Task task : world.store.list(running).tasks()) {
            List<Attempt> attempts = world.store.attempts(task.id());
            // A claim that arrived after its sender had given it up is no fault: its lease expires.
            if (!attempts.isEmpty()
                    && attempts.getLast().worker().equals(worker)
                    && wasHanded(
                            worker, new AttemptId(task.id(), task.progress().attempt()), world.history)) {
                throw new Broken(
                        Invariant.CLOSING,
                        worker + " is closed, but " + world.wording.of(task) + " (" + task.id()
                                + ") still runs in its name");
            }
        }
    }

    private static boolean wasHanded(String worker, AttemptId attempt, History history) {
        for (Entry<?> entry : history.entries()) {
            Answer<?> answer = entry.answer();
            if (entry.party.equals(worker)
                    && answer != null
                    && answer.value() instanceof Claims claims
                    && claims.tasks().stream()
                            .anyMatch(claimed -> claimed.lease().attemptId().equals(attempt))) {
                return true;
            }
        }
        return false;
    }
}
