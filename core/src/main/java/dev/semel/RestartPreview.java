package dev.semel;

import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.workflow.RestartPoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Previews the restart of a workflow: which steps it would read back, and which it would run again.
 *
 * @param task the task of the workflow
 * @param generation the generation of its history now
 * @param from the first line that is not kept; the one behind the last line keeps all of them, and 0 keeps none
 * @param lines how many lines its history has now
 * @param steps its steps, in the order of their lines
 * @param localSteps its local steps with a known outcome, in the order in which they ran
 */
public record RestartPreview(
        TaskId task, int generation, int from, int lines, List<Step> steps, List<LocalStep> localSteps) {

    /** Copies. */
    public RestartPreview {
        steps = List.copyOf(steps);
        localSteps = List.copyOf(localSteps);
    }

    /**
     * A step.
     *
     * @param line the number of its line
     * @param type its task type
     * @param task its task
     * @param state how it ended; null as long as it is open
     * @param isKept whether it is read back, or waited for if it is still open; otherwise it runs again if the code comes there
     */
    public record Step(
            int line, String type, TaskId task, @Nullable TaskState state, boolean isKept) {}

    /**
     * A local step.
     *
     * @param name its name in the ledger of effects
     * @param isKept whether its recorded result is read back; otherwise it runs again if the code comes there
     */
    public record LocalStep(String name, boolean isKept) {}

    static RestartPreview of(TaskStore store, TaskId task, TaskId lineage, @Nullable Integer wanted) {
        History history = Objects.requireNonNull(
                store.histories(List.of(History.Query.whole(task))).get(task), "every query is answered");
        int from = wanted == null ? RestartPoint.of(history) : checked(wanted, history);
        Map<Integer, InboxEntry> ends = RestartPoint.ends(history);
        List<Step> steps = new ArrayList<>();
        for (HistoryLine line : history.lines()) {
            if (line.kind() == HistoryLine.Kind.STEP && line.task() != null) {
                InboxEntry end = ends.get(line.number());
                steps.add(new Step(
                        line.number(),
                        line.name(),
                        line.task(),
                        end == null ? null : end.state(),
                        line.number() < from));
            }
        }
        List<Generation> generations = Generation.all(history.inbox());
        return new RestartPreview(
                task,
                generations.isEmpty() ? 1 : generations.getLast().number(),
                from,
                history.lines().size(),
                steps,
                localSteps(store.effects(List.of(lineage)).getOrDefault(lineage, List.of()), history, from));
    }

    private static int checked(int from, History history) {
        int last = history.lines().size() + 1;
        if (from < 0 || from > last) {
            throw new InvalidInput("A workflow with " + history.lines().size() + " lines is restarted from line 0 to "
                    + last + ", but got \"" + from + "\".");
        }
        return from;
    }

    // The ledger does not say at which line a local step ran. What is before it was written before it ran, and what is
    // behind it after that.
    private static List<LocalStep> localSteps(List<EffectRecord> effects, History history, int from) {
        Instant until = from > history.lines().size()
                ? Instant.MAX
                : from == 0 ? Instant.MIN : history.lines().get(from - 1).at();
        return effects.stream()
                .filter(effect -> effect.state() == EffectState.DONE)
                .sorted((a, b) -> a.intendedAt().compareTo(b.intendedAt()))
                .map(effect ->
                        new LocalStep(effect.id().label(), !effect.intendedAt().isAfter(until)))
                .toList();
    }
}
