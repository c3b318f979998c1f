package dev.semel.jdbc;

import dev.semel.task.TaskId;
import java.util.LinkedHashSet;
import java.util.Set;

/** What a transaction made due and what it ended: told to listeners once it has committed. */
final class StoreNews {

    // Beyond this many a listener is told that some tasks ended, not which.
    private static final int MOST_IDS = 10_000;

    private final Set<String> dueQueues = new LinkedHashSet<>();
    private final Set<TaskId> endedIds = new LinkedHashSet<>();
    private boolean unknownDue;
    private boolean unknownEnded;

    void due(String queue) {
        dueQueues.add(queue);
    }

    void ended(TaskId id) {
        if (endedIds.size() < MOST_IDS) {
            endedIds.add(id);
        } else {
            unknownEnded = true;
        }
    }

    void unknownDue() {
        unknownDue = true;
    }

    void unknownEnded() {
        unknownEnded = true;
    }

    void add(StoreNews more) {
        dueQueues.addAll(more.dueQueues);
        more.endedIds.forEach(this::ended);
        unknownDue |= more.unknownDue;
        unknownEnded |= more.unknownEnded;
    }

    boolean hasDue() {
        return unknownDue || !dueQueues.isEmpty();
    }

    boolean hasEnded() {
        return unknownEnded || !endedIds.isEmpty();
    }

    /** Empty if it is not known in which. */
    Set<String> dueQueues() {
        return unknownDue ? Set.of() : dueQueues;
    }

    /** Empty if it is not known which. */
    Set<TaskId> endedIds() {
        return unknownEnded ? Set.of() : endedIds;
    }
}
