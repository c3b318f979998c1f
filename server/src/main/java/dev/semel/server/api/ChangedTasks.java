package dev.semel.server.api;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;

/** The tasks that a filter matched, as the audit log shows them: the first hundred, and how many more. */
final class ChangedTasks {

    private static final int SHOWN = 100;

    private final List<TaskId> first = new ArrayList<>();
    private int all;

    void add(TaskId id) {
        all++;
        if (first.size() < SHOWN) {
            first.add(id);
        }
    }

    @Override
    public String toString() {
        return "tasks=" + first + (all > SHOWN ? " and " + (all - SHOWN) + " more" : "");
    }
}
