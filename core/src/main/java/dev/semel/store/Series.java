package dev.semel.store;

import dev.semel.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The name of a series: the tasks of one identity between two moments at which its key was free. A series is named by its
 * first task; only a redrive that takes the key from another holder, or takes a free key, needs a name of its own, because the
 * series of the redriven task may hold later runs already.
 */
public final class Series {

    private Series() {}

    /**
     * Names the series that begins when a dead task takes its key back from another holder.
     *
     * @param task the redriven task
     * @param attempt the attempt with which it died: a task dies once with each
     * @return the same name for the same redrive, and a name that no task has
     */
    public static TaskId begunByRedrive(TaskId task, int attempt) {
        byte[] name = ("semel series " + task + " " + attempt).getBytes(StandardCharsets.UTF_8);
        return new TaskId(UUID.nameUUIDFromBytes(name));
    }
}
