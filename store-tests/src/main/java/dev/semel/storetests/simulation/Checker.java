package dev.semel.storetests.simulation;

import dev.semel.store.Task;
import dev.semel.task.TaskId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tests the invariants. It sees what the parties asked and were answered, the effects in the sink, and the store in the
 * end, and nothing of how the world was made. A verdict is given only where nothing that is unknown could excuse it.
 */
final class Checker {

    private final Evidence evidence;
    private final Findings findings;
    private final boolean complete;

    /**
     * Makes a checker.
     *
     * @param complete whether the simulation has finished, so that all tasks should have ended
     */
    Checker(Evidence evidence, Wording wording, long seed, boolean complete) {
        this.evidence = evidence;
        this.findings = new Findings(evidence, wording, seed);
        this.complete = complete;
    }

    List<Violation> check() {
        KeyRules keyRules = new KeyRules(evidence, findings);
        TaskRules taskRules = new TaskRules(findings);
        new QueueRules(evidence, findings).check();
        new ScheduleRules(evidence, findings).check();
        evidence.keys().forEach(keyRules::check);
        evidence.tasks().forEach(taskRules::check);
        checkSink();
        new EffectRules(evidence, findings).check();
        new SuspectRules(evidence, findings).check();
        if (complete) {
            evidence.tasks().forEach(this::checkEnded);
        }
        return List.copyOf(findings.violations());
    }

    /** I7: whatever has a handler has ended. */
    private void checkEnded(TaskStory story) {
        Task last = story.last();
        if (last != null && last.state().isOpen() && Handling.TYPES.contains(last.type())) {
            findings.broken(
                    Invariant.I7,
                    story,
                    "is still " + last.state() + ", due at " + last.progress().dueAt() + " (vanished "
                            + last.progress().vanished() + "), long after the faults stopped");
        }
    }

    /** An attempt has its effect once, in the process that it was handed to, with the token of its lineage. */
    private void checkSink() {
        Map<TaskId, String> tokenOfLineage = new HashMap<>();
        Map<String, TaskId> lineageOfToken = new HashMap<>();
        Set<String> done = new HashSet<>();
        for (Sink.Effect effect : evidence.sink()) {
            TaskStory story = evidence.task(effect.taskId());
            Task task = story.seen();
            if (story.birthTimes().size() > 1) {
                continue; // made again after it was swept: its attempts count from 1 again
            }
            if (!done.add(effect.taskId() + "/" + effect.attempt())) {
                findings.broken(Invariant.I4, story, "attempt " + effect.attempt() + " was run twice");
            }
            boolean handed = story.handed().stream()
                    .anyMatch(claim -> claim.party().equals(effect.worker())
                            && claim.claimed().lease().attempt() == effect.attempt());
            if (!handed || task == null) {
                findings.broken(
                        Invariant.I4,
                        story,
                        "attempt " + effect.attempt() + " was run by " + effect.worker() + ", which was not given it");
                continue;
            }
            String token = tokenOfLineage.putIfAbsent(task.lineage(), effect.token());
            TaskId lineage = lineageOfToken.putIfAbsent(effect.token(), task.lineage());
            if ((token != null && !token.equals(effect.token()))
                    || (lineage != null && !lineage.equals(task.lineage()))) {
                findings.broken(
                        Invariant.TOKENS,
                        story,
                        "lineage " + task.lineage() + " has token " + token + " and token " + effect.token()
                                + " is of lineage " + lineage);
            }
        }
    }
}
