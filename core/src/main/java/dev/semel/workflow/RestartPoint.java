package dev.semel.workflow;

import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the line from which a workflow is restarted, unless a person says otherwise: the first step without success. The rule is pure.
 *
 * <ul>
 *   <li>A step that the code itself gave up is not one that failed. What a delivered cancellation gave up is, and so is a child workflow that
 *       was cancelled because the code had ended: the code that runs again may wait for it.
 *   <li>If the workflow has begun to undo what it did, the first compensation that failed is tried again. If none has failed, everything was
 *       undone, so everything is done again, local steps included.
 *   <li>If no step failed, all lines are kept: the code ends in another way only because it, or a local step, has changed.
 * </ul>
 */
public final class RestartPoint {

    /** The name of the line behind which a workflow undoes what it did. */
    static final String UNDOING = "$undoing";

    /** The name of the line behind which a workflow whose code has ended cancels its children. */
    static final String ENDING = "$ending";

    private final List<HistoryLine> lines;
    private final Map<Integer, InboxEntry> ends = new HashMap<>();

    private RestartPoint(History history) {
        this.lines = history.lines();
        List<Generation> generations = Generation.all(history.inbox());
        Map<TaskId, List<InboxEntry>> entries = new HashMap<>();
        for (InboxEntry entry : history.inbox()) {
            if (entry.step() != null) {
                entries.computeIfAbsent(entry.step(), step -> new ArrayList<>()).add(entry);
            }
        }
        for (HistoryLine line : lines) {
            Generation owner = Generation.owner(generations, line.number());
            for (InboxEntry entry : entries.getOrDefault(line.task(), List.of())) {
                if (line.kind() == Kind.STEP && (owner == null || entry.number() > owner.entry())) {
                    ends.putIfAbsent(line.number(), entry);
                }
            }
        }
    }

    /**
     * Returns how the steps of a workflow ended, by their lines.
     *
     * @param history the whole history of the workflow
     * @return the entries of those that have ended
     */
    public static Map<Integer, InboxEntry> ends(History history) {
        return Map.copyOf(new RestartPoint(history).ends);
    }

    /**
     * Returns the first line that a restart does not keep.
     *
     * @param history the whole history of the workflow
     * @return the number of the line; the one behind the last line keeps all of them, and 0 keeps none
     */
    public static int of(History history) {
        return new RestartPoint(history).find();
    }

    private int find() {
        int cancelled = first(Kind.CANCELLED, 0);
        int undoing = marker(UNDOING);
        int ending = marker(ENDING);
        Set<TaskId> givenUp = new HashSet<>();
        for (HistoryLine line : lines) {
            TaskId step = line.task();
            boolean byCode = (cancelled == 0 || line.number() < cancelled || undoing > 0)
                    && (ending == 0 || line.number() < ending);
            if (step != null && line.kind() == Kind.ABANDONED && byCode) {
                givenUp.add(step);
            }
        }
        int failed = failed(undoing, givenUp);
        if (undoing > 0) {
            return failed > 0 ? failed : 0;
        }
        return failed == 0 && cancelled == 0
                ? lines.size() + 1
                : failed == 0 ? cancelled : cancelled == 0 ? failed : Math.min(failed, cancelled);
    }

    private int marker(String name) {
        return lines.stream()
                .filter(line -> line.kind() == Kind.VALUE && line.name().equals(name))
                .mapToInt(HistoryLine::number)
                .findFirst()
                .orElse(0);
    }

    private int first(Kind kind, int after) {
        return lines.stream()
                .filter(line -> line.number() > after && line.kind() == kind)
                .mapToInt(HistoryLine::number)
                .findFirst()
                .orElse(0);
    }

    /** The first step behind a line that ended without success and was not given up; 0 if there is none. */
    private int failed(int after, Set<TaskId> givenUp) {
        for (HistoryLine line : lines) {
            InboxEntry end = ends.get(line.number());
            if (line.number() > after
                    && end != null
                    && end.state() != TaskState.COMPLETED
                    && !givenUp.contains(end.step())) {
                return line.number();
            }
        }
        return 0;
    }
}
